// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.watch.metrics.MetricsServer;
import io.github.rdma4j.perftest.watch.metrics.OpenMetrics;
import io.github.rdma4j.perftest.watch.resource.QueuePairs;
import io.github.rdma4j.perftest.watch.resource.Reading;
import io.github.rdma4j.perftest.watch.sample.Ports;
import io.github.rdma4j.perftest.watch.sample.Sampler;
import io.github.rdma4j.perftest.watch.sample.Watcher;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WatchCommandTest {
    private static final int WIDTH = 80;

    @TempDir
    private Path root;

    private Ports ports;
    private Reading reading = Reading.NONE;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void aPort() {
        ports = new Ports(root).up("mlx5_0").traffic("mlx5_0", 1000, 10);
    }

    private int run(boolean interactive, String... arguments) {
        return WatchCommand.run(
                List.of(arguments),
                root,
                _ -> reading,
                interactive,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void pageForEachLookAndTheEnd() {
        assertThat(run(false, "--count", "1")).isZero();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.get(1)).startsWith("port").endsWith("trouble");
        assertThat(lines.get(2))
                .startsWith("mlx5_0/1")
                .contains("ACTIVE", "100 Gb/sec")
                .endsWith("+0");
        assertThat(lines).allMatch(line -> line.length() <= WIDTH).noneMatch(line -> line.contains("\033"));
    }

    @Test
    void terminalIsClearedFirst() {
        assertThat(run(true, "--count", "1")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("\033[H\033[J");
    }

    @Test
    void machineWithoutDevicesIsReported() {
        ports.remove("mlx5_0");
        assertThat(run(false, "--count", "1")).isEqualTo(1);
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("there is no RDMA device here", "rdma4j doctor");
    }

    @Test
    void processesWithQueuePairsTheMostFirst() {
        List<QueuePairs> owners = new ArrayList<>(List.of(
                new QueuePairs("mlx5_0", 0, "ib_core", 1, 0),
                new QueuePairs("mlx5_0", 4711, "a name of 15 ch", 12, 3),
                new QueuePairs("mlx5_1", 7, "", 2, 0)));
        reading = new Reading(owners, "");
        run(false, "--count", "1");
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        int heading = lines.indexOf("device               process                              queue pairs  in error");
        assertThat(lines.subList(heading + 1, heading + 4))
                .containsExactly(
                        "mlx5_0               a name of 15 ch (4711)                        12         3",
                        "mlx5_1               ? (7)                                          2         0",
                        "mlx5_0               kernel: ib_core                                1         0");
        // They failed before the command was started.
        assertThat(lines).noneMatch(line -> line.contains("more queue pairs"));

        for (int pid = 100; pid < 107; pid++) {
            owners.add(new QueuePairs("mlx5_1", pid, "worker", 1, 0));
        }
        reading = new Reading(owners, "");
        run(false, "--count", "1");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("worker (106)")
                .doesNotContain("rdma resource show qp");
        for (int pid = 107; pid < 120; pid++) {
            owners.add(new QueuePairs("mlx5_1", pid, "worker", 1, 0));
        }
        reading = new Reading(owners, "the kernel refused the request (errno 1)");
        run(false, "--count", "1");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(
                        "and 13 more: rdma resource show qp", "queue pairs: the kernel refused the request (errno 1)");
    }

    @Test
    void failedQueuePairsAreReportedOnce() {
        WatchPage page = new WatchPage(Optional.empty(), true, Reading.NONE);
        Watcher watcher = new Watcher(new Sampler(root, Optional.empty()), 0);
        List<String> lines = List.of();
        for (int failed : new int[] {0, 2, 2, 3}) {
            Reading now = new Reading(List.of(new QueuePairs("mlx5_0", 9, "java", 5, failed)), "");
            lines = page.after(watcher.sample(1), now, LocalTime.of(10, 0, failed));
        }
        assertThat(lines.stream().filter(line -> line.startsWith("10:00:0") && line.contains("more queue pairs")))
                .extracting(line -> line.substring(0, line.indexOf(" more")))
                .containsExactly("10:00:02 mlx5_0: 2", "10:00:03 mlx5_0: 1");
    }

    @Test
    void earlierFailureIsNotReportedAgainAfterAMissingAnswer() {
        WatchPage page = new WatchPage(Optional.empty(), true, Reading.NONE);
        Watcher watcher = new Watcher(new Sampler(root, Optional.empty()), 0);
        Reading whole = new Reading(List.of(new QueuePairs("mlx5_0", 9, "java", 5, 2)), "");
        page.after(watcher.sample(1), whole, LocalTime.of(10, 0, 0));
        page.after(
                watcher.sample(2), new Reading(List.of(), "netlink: recv failed (errno 11)"), LocalTime.of(10, 0, 1));
        assertThat(page.after(watcher.sample(3), whole, LocalTime.of(10, 0, 2)))
                .filteredOn(line -> line.contains("more queue pairs"))
                .containsExactly("10:00:00 mlx5_0: 2 more queue pairs of java (9) are in error: their connections");
    }

    /** The kernel does not name the process once the thread that created them has ended. */
    @Test
    void failedQueuePairsThatLoseTheirOwnerAreNotReportedAgain() {
        WatchPage page = new WatchPage(Optional.empty(), false, failed("java", 2));
        Watcher watcher = new Watcher(new Sampler(root, Optional.empty()), 0);
        assertThat(page.after(watcher.sample(1), failed(1, 1), LocalTime.of(10, 0)))
                .noneMatch(line -> line.contains("more queue pairs"));
        assertThat(page.after(watcher.sample(2), failed(2, 3), LocalTime.of(10, 1)))
                .filteredOn(line -> line.contains("more queue pairs"))
                .containsExactly(
                        "10:01:00 mlx5_0: 1 more queue pairs of java (9) are in error: their connections",
                        "10:01:00 mlx5_0: 2 more queue pairs of threads that have ended are in error:");
    }

    private static Reading failed(String owner, int count) {
        return new Reading(List.of(new QueuePairs("mlx5_0", 9, owner, 5, count)), "");
    }

    private static Reading failed(int ofJava, int withoutOwner) {
        return new Reading(
                List.of(
                        new QueuePairs("mlx5_0", 9, "java", 5, ofJava),
                        new QueuePairs("mlx5_0", QueuePairs.UNKNOWN, "", 4, withoutOwner)),
                "");
    }

    @Test
    void failuresBeforeTheFirstCompleteAnswerAreNotReported() {
        Reading refused = new Reading(List.of(), "netlink: recv failed (errno 11)");
        WatchPage page = new WatchPage(Optional.empty(), false, refused);
        Watcher watcher = new Watcher(new Sampler(root, Optional.empty()), 0);
        assertThat(page.after(watcher.sample(1), failed("java", 2), LocalTime.of(10, 0)))
                .noneMatch(line -> line.contains("more queue pairs"));
        assertThat(page.after(watcher.sample(2), failed("java", 3), LocalTime.of(10, 0)))
                .filteredOn(line -> line.contains("1 more queue pairs"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--count 1", "--openmetrics 0"})
    void deviceThatIsNotThereIsNamed(String options) {
        assertThat(run(false, ("--device mlx5_9 " + options).split(" "))).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("there is no RDMA device 'mlx5_9' here");
    }

    @Test
    void longNameLeavesTheColumnsWhereTheyAre() {
        ports.up("rocep193s0f1np1").traffic("rocep193s0f1np1", 1, 1);
        assertThat(run(false, "--count", "1")).isZero();
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).contains("rocep193s0f1np1/1").allMatch(line -> line.length() <= WIDTH);
        assertThat(lines.stream().filter(line -> line.contains("ACTIVE")).map(line -> line.indexOf("ACTIVE")))
                .containsExactly(13, 13);
    }

    @Test
    void lastTenOfWhatGotWorseStayAndFitTheTerminal() {
        WatchPage page = new WatchPage(Optional.empty(), true, Reading.NONE);
        Watcher watcher = new Watcher(new Sampler(root, Optional.empty()), 0);
        ports.with("mlx5_0", "hw_counters/rnr_nak_retry_err", "0");
        page.after(watcher.sample(1), Reading.NONE, LocalTime.of(10, 0));
        List<String> lines = List.of();
        for (int i = 1; i <= 12; i++) {
            ports.with("mlx5_0", "hw_counters/rnr_nak_retry_err", Integer.toString(i));
            lines = page.after(watcher.sample(1 + i), Reading.NONE, LocalTime.of(10, 0, i));
        }
        assertThat(lines.stream().filter(line -> line.contains("rnr_nak_retry_err +1")))
                .hasSize(10);
        assertThat(lines).noneMatch(line -> line.startsWith("10:00:02")).anyMatch(line -> line.startsWith("10:00:03"));
        assertThat(lines).allMatch(line -> line.length() <= WIDTH);
    }

    /** Off a terminal pages follow each other: a log that repeats an event reports it again. */
    @Test
    void offATerminalEachEventIsPrintedOnce() {
        WatchPage page = new WatchPage(Optional.empty(), false, Reading.NONE);
        Watcher watcher = new Watcher(new Sampler(root, Optional.empty()), 0);
        List<String> all = new ArrayList<>();
        for (int second = 0; second < 4; second++) {
            ports.with("mlx5_0", "hw_counters/rnr_nak_retry_err", Integer.toString(second / 2));
            int failed = second < 2 ? 0 : 1;
            Reading now = new Reading(List.of(new QueuePairs("mlx5_0", 9, "java", 5, failed)), "");
            all.addAll(page.after(watcher.sample(1 + second), now, LocalTime.of(10, 0, second)));
        }
        assertThat(all).filteredOn(line -> line.contains("more queue pairs")).hasSize(1);
        assertThat(all)
                .filteredOn(line -> line.contains("rnr_nak_retry_err +1"))
                .hasSize(1);
    }

    @Test
    void subnetManagementIsNotWatched() throws IOException {
        ports.up("smi1").traffic("smi1", 1, 1);
        Path node = Files.createDirectories(root.resolve("sys/class/infiniband_verbs/uverbs0"));
        Files.writeString(node.resolve("ibdev"), "mlx5_0\n");
        assertThat(run(false, "--count", "1")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("mlx5_0/1").doesNotContain("smi1");
        assertThat(run(false, "--device", "smi1", "--count", "1")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "9.4, 9",
        "999.4, 999",
        "999.6, 1.0 k",
        "99940, 99.9 k",
        "99960, 100 k",
        "12300000, 12.3 M",
        "999600000, 1.0 G",
        "5e15, 5000 T"
    })
    void ratesHaveThreeDigits(double value, String text) {
        assertThat(WatchPage.scaled(OptionalDouble.of(value))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "now",
                "--interval 0",
                "--interval 3601",
                "--count 0",
                "--openmetrics 65536",
                "--openmetrics x",
                "--openmetrics :9",
                "--openmetrics 0 --count 1",
                "--openmetrics no.such.host.invalid:9",
                "--unknown"
            })
    void contradictionsAreRefused(String arguments) {
        assertThat(run(false, arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("watch: ").contains("rdma4j watch --help");
    }

    @Test
    void portInUseIsReportedWithItsRemedy() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run(false, "--openmetrics", Integer.toString(taken.getLocalPort())))
                    .isEqualTo(1);
        }
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("cannot listen at", "ss -ltnp");
    }

    /** Of a network for examples. */
    @Test
    void foreignAddressHasAnotherRemedyThanAPortInUse() {
        assertThat(run(false, "--openmetrics", "192.0.2.1:0")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("cannot listen at 192.0.2.1", "ip address");
    }

    @Test
    void prometheusWayIsServedAndNothingElse() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (MetricsServer server = MetricsServer.start(any, this::metrics);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> found = ask(client, server, "GET", "/metrics");
            assertThat(found.statusCode()).isEqualTo(200);
            assertThat(found.headers().firstValue("Content-Type")).hasValue(OpenMetrics.TYPE);
            assertThat(found.body())
                    .contains("_receive_bytes_total{device=\"mlx5_0\",port=\"1\"} 4000")
                    .endsWith("# EOF\n");
            ports.traffic("mlx5_0", 2000, 20);
            assertThat(ask(client, server, "GET", "/metrics").body()).contains("\"} 8000");
            assertThat(ask(client, server, "HEAD", "/metrics").body()).isEmpty();
            assertThat(ask(client, server, "GET", "/").statusCode()).isEqualTo(404);
            assertThat(ask(client, server, "POST", "/metrics").statusCode()).isEqualTo(405);
        }
    }

    @Test
    void clientsThatAskSlowlyKeepNobodyOut() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<Socket> slow = new ArrayList<>();
        try (MetricsServer server = MetricsServer.start(any, this::metrics);
                HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < 10; i++) {
                Socket half = new Socket(
                        InetAddress.getLoopbackAddress(), server.address().getPort());
                slow.add(half);
                half.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
            }
            // Below the ten seconds after which the server hangs up on the slow ones.
            assertThat(client.sendAsync(
                                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                                    + server.address().getPort() + "/metrics"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .get(7, TimeUnit.SECONDS)
                            .statusCode())
                    .isEqualTo(200);
        } finally {
            for (Socket half : slow) {
                half.close();
            }
        }
    }

    @Test
    void limitsThatTheUserHasSetStay() {
        String name = "sun.net.httpserver.maxReqTime";
        String before = System.getProperty(name);
        System.setProperty(name, "11");
        try {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            MetricsServer.start(any, this::metrics).close();
            assertThat(System.getProperty(name)).isEqualTo("11");
        } finally {
            if (before == null) {
                System.clearProperty(name);
            } else {
                System.setProperty(name, before);
            }
        }
    }

    private String metrics() {
        return OpenMetrics.of(new Sampler(root, Optional.empty()).sample(), Reading.NONE);
    }

    private static HttpResponse<String> ask(HttpClient client, MetricsServer server, String method, String path)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
        return client.send(
                HttpRequest.newBuilder(uri)
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void serverPrintsItsAddressAndEndsWithItsThread() throws Exception {
        FutureTask<Integer> command = new FutureTask<>(() -> run(false, "--openmetrics", "0"));
        Thread serving = Thread.ofPlatform().start(command);
        while (!out.toString(StandardCharsets.UTF_8).contains("/metrics")) {
            assertThat(serving.isAlive()).isTrue();
            Thread.sleep(10);
        }
        serving.interrupt();
        assertThat(command.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).matches("serving http://127\\.0\\.0\\.1:\\d+/metrics\\R");
    }
}
