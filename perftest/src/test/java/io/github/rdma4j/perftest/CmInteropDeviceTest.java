// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.cm.StaleNumbers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests whose sides meet by rdma_cm (-z), and whose queue pairs it connects (-R), against the C tools and among ours.
 */
@Tag("device")
@Timeout(600)
class CmInteropDeviceTest {
    private static final String PATIENT = " -F -u 18 ";
    private static final Duration LIMIT = Duration.ofSeconds(100);

    /** Not in use by TCP does not matter: rdma_cm has ports of its own. */
    private static final AtomicInteger PORTS = new AtomicInteger(19000);

    private static final String OPTIONS = """
        ib_write_lat | -z -n 100
        ib_write_lat | -R -n 100
        ib_write_bw  | -z -s 4096 -n 200 -b
        ib_write_bw  | -R -s 4096 -n 200 -q 3 -b -T 32 --retry_count 6
        """;

    private final String address = RdmaAddress.ofFirstDevice();
    private final int port = PORTS.incrementAndGet();

    private String command(String tool, String options) {
        return tool + PATIENT + options + " -p " + port;
    }

    /** One of our servers, as far as it waits for its client. */
    private static CompletableFuture<CommandRun> serve(String command) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(() -> {
            int status = Main.run(
                    List.of(command.strip().split(" +")), new PrintStream(out, true), new PrintStream(err, true));
            return new CommandRun(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        });
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!server.isDone() && !out.toString(StandardCharsets.UTF_8).contains("Waiting for client")) {
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
        return server;
    }

    /** One of our clients, tried until its server listens. */
    private CommandRun call(String command) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            CommandRun client = Program.run(command + " " + address);
            boolean early = client.err().contains("nobody accepts rdma_cm connections");
            if (!early || System.nanoTime() > deadline) {
                return client;
            }
            Thread.sleep(100);
        }
    }

    private static void assertComplete(CommandRun run, String options, String other) {
        assertThat(run.status()).as("%s\nother side: %s", run, other).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains(" Data ex. method : rdma_cm", " rdma_cm QPs\t : " + (options.contains("-R") ? "ON" : "OFF"))
                .containsPattern("(?m)^ \\d+ +\\d+ +\\d+\\.\\d");
    }

    @ParameterizedTest(name = "{0} {1}: Java client, C server")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void ourClientWithTheirServer(String tool, String options) throws Exception {
        try (PeerProcess server = PeerProcess.ofC(command(tool, options))) {
            CommandRun client = call(command(tool, options));
            assertComplete(client, options, "C server: " + server.output());
            assertThat(server.await(LIMIT)).as("C server: %s", server.output()).isZero();
        }
    }

    @ParameterizedTest(name = "{0} {1}: both Java, by IPv6")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void ourClientReachesOurServerByIpv6(String tool, String options) throws Exception {
        // First: without IPv6 the test ends here, and a server would wait for ever.
        String ipv6 = RdmaAddress.linkLocalOfFirstDevice();
        CompletableFuture<CommandRun> server = serve(command(tool, options));
        CommandRun client = Program.run(command(tool, options) + " " + ipv6);
        assertComplete(client, options, "");
        assertComplete(server.get(), options, client.toString());
    }

    @Test
    void staleConnectionIsReportedAsSuch() throws Exception {
        String command = command("ib_write_lat", "-z -n 100");
        CompletableFuture<CommandRun> server = serve(command);
        CommandRun client;
        try (StaleNumbers numbers = new StaleNumbers()) {
            assertThat(numbers).isNotNull();
            client = Program.run(command + " " + address);
        }
        assertThat(client.status()).isNotZero();
        assertThat(client.err())
                .contains("the peer still has an older connection of this queue pair number")
                .contains("again, which takes another queue pair")
                .doesNotContain("start the server side first");
        assertComplete(Program.run(command + " " + address), "-z", "");
        assertThat(server.get().status()).isZero();
    }

    @Test
    void serverAtAnotherAddressIsReportedAsSuch() throws Exception {
        String ipv6 = RdmaAddress.linkLocalOfFirstDevice();
        String command = command("ib_write_lat", "-z -n 100");
        CompletableFuture<CommandRun> server = serve(command + " --bind_source_ip " + address);
        CommandRun client = Program.run(command + " " + ipv6);
        assertThat(client.status()).isNotZero();
        assertThat(client.err())
                .contains("a program listens at this port, but not at this address")
                .doesNotContain("start the server side first");
        assertComplete(Program.run(command + " " + address), "-z", "");
        assertThat(server.get().status()).isZero();
    }

    @ParameterizedTest(name = "{0} {1}: C client, Java server")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void theirClientWithOurServer(String tool, String options) throws Exception {
        CompletableFuture<CommandRun> server = serve(command(tool, options));
        try (PeerProcess client = PeerProcess.ofC(command(tool, options) + " " + address)) {
            assertThat(client.await(LIMIT)).as("C client: %s", client.output()).isZero();
            assertComplete(server.get(), options, "C client: " + client.output());
        }
    }

    @ParameterizedTest(name = "{0} {1}: Java on both sides")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void oursOnBothSides(String tool, String options) throws Exception {
        CompletableFuture<CommandRun> server = serve(command(tool, options));
        CommandRun client = call(command(tool, options));
        CommandRun other = server.get();
        assertComplete(client, options, other.toString());
        assertComplete(other, options, client.toString());
    }

    @Test
    void deviceIsTheOneThatHasTheAddress() throws Exception {
        List<Device> devices = Device.list();
        assertThat(devices).as("this test needs two devices").hasSizeGreaterThan(1);
        CommandRun client = Program.run(
                command("ib_write_lat", "-R") + " -d " + devices.getLast().name() + " " + address);
        assertThat(client.status()).isEqualTo(2);
        assertThat(client.err())
                .contains("-d/--ib-dev: " + devices.getLast().name() + " is not where rdma_cm (-R) goes for " + address
                        + ":" + port + "; that is " + devices.getFirst().name());
        // Without -d it is found, though it is not the first one.
        String second = RdmaAddress.of(devices.get(1));
        CompletableFuture<CommandRun> server = serve(command("ib_write_lat", "-R -n 20 --bind_source_ip " + second));
        client = Program.run(command("ib_write_lat", "-R -n 20") + " " + second);
        assertThat(client.status()).as(client + "\n" + server.get()).isZero();
        assertThat(client.out()).contains("Device         : " + devices.get(1).name());
    }

    @Test
    void addressWithoutDeviceAndMissingServerAreReported() {
        CommandRun local = Program.run(command("ib_write_bw", "-R") + " localhost");
        assertThat(local.status()).isEqualTo(1);
        assertThat(local.err()).contains("rdma_cm has no device for the test").contains("'rdma link' lists them");
        CommandRun nobody = Program.run(command("ib_write_bw", "-z") + " " + address);
        assertThat(nobody.status()).isEqualTo(1);
        assertThat(nobody.err()).contains("nobody accepts rdma_cm connections at " + address + ":" + port);
    }

    @Test
    void peerThatIsKilledInTheMiddleIsNoticed() throws Exception {
        long before = sentPackets();
        try (PeerProcess server = PeerProcess.ofC(command("ib_write_bw", "-z -D 100"))) {
            CompletableFuture<Void> killer = CompletableFuture.runAsync(() -> {
                long deadline = System.nanoTime() + LIMIT.toNanos() / 2;
                // Far more packets than the two sides need to connect and to exchange their queue pairs.
                while (sentPackets() - before < 2000 && System.nanoTime() < deadline) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
                server.kill();
            });
            CommandRun client = call(command("ib_write_bw", "-z -D 100 --no-warm-up"));
            killer.get();
            assertThat(client.status()).as(client.toString()).isEqualTo(1);
            assertThat(client.err()).containsAnyOf("closed the connection", "completed with an error");
        }
    }

    /** By the first device, on which both sides are. SoftRoCE has a counter of its own. */
    private static long sentPackets() {
        Path port = Path.of("/sys/class/infiniband", Device.list().getFirst().name(), "ports", "1");
        for (String counter : List.of("hw_counters/sent_pkts", "counters/port_xmit_packets")) {
            Path file = port.resolve(counter);
            if (Files.exists(file)) {
                try {
                    return Long.parseLong(Files.readString(file).strip());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        throw new AssertionError("no counter of sent packets in " + port);
    }
}
