// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.placement.CpuFrequency;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how the one-sided tools post, beyond the interoperability matrix, and the effect on the figures. */
@Tag("device")
@Timeout(600)
class OneSidedOptionsDeviceTest {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    private static final AtomicInteger PORTS = new AtomicInteger(18700);

    private static final String OPTIONS = """
        ib_atomic_bw  | -n 96 -l 8 -o 2
        ib_read_bw    | -n 96 -s 64 -l 8 -Q 4 -b
        ib_write_bw   | -n 100 -s 64 --perform_warm_up -Q 1 --tclass=32
        """;

    private final int port = PORTS.incrementAndGet();

    private String command(String tool, String options) {
        return tool + " -F -u 18 " + options + " -p " + port;
    }

    private CompletableFuture<CommandRun> serve(String command) throws Exception {
        CompletableFuture<CommandRun> server = CompletableFuture.supplyAsync(() -> Program.run(command));
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!PeerProcess.listening(port)) {
            assertThat(server).as("%s", server.getNow(null)).isNotDone();
            assertThat(System.nanoTime()).as("our server listens").isLessThan(deadline);
            Thread.sleep(20);
        }
        return server;
    }

    private static List<String> rows(String output) {
        return output.lines()
                .filter(line -> line.matches(" \\d+ .*\\d\\.\\d.*"))
                .toList();
    }

    private static void assertComplete(CommandRun run, String other) {
        assertThat(run.status()).as("%s\nother side: %s", run, other).isZero();
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest(name = "{0} {1}: Java client, C server")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void ourClientWithTheirServer(String tool, String options) throws Exception {
        String command = command(tool, options);
        try (PeerProcess server = PeerProcess.ofC(command).awaitListening(port)) {
            CommandRun client = Program.run(command + " --no-warm-up localhost");
            assertComplete(client, server.output());
            assertThat(rows(client.out())).as(client.out()).hasSize(1);
            assertThat(server.await(LIMIT)).as(server.output()).isZero();
        }
    }

    @ParameterizedTest(name = "{0} {1}: C client, Java server")
    @CsvSource(delimiter = '|', textBlock = OPTIONS)
    void theirClientWithOurServer(String tool, String options) throws Exception {
        String command = command(tool, options);
        CompletableFuture<CommandRun> server = serve(command + " --no-warm-up");
        try (PeerProcess client = PeerProcess.ofC(command + " localhost")) {
            assertThat(client.await(LIMIT)).as(client.output()).isZero();
            assertComplete(server.get(), client.output());
            assertThat(rows(client.output())).as(client.output()).hasSize(1);
        }
    }

    @Test
    void withReversedTheServerSends() throws Exception {
        String command = command("ib_write_bw", "-n 100 -s 64 --reversed");
        try (PeerProcess client = startWhenListening(command)) {
            CommandRun server = Program.run(command + " --no-warm-up");
            assertComplete(server, client.output());
            assertThat(server.out()).contains(" TX depth        : 100");
            assertThat(client.await(LIMIT)).as(client.output()).isZero();
            assertThat(rows(client.output())).as(client.output()).hasSize(1);
            assertThat(client.output()).doesNotContain("TX depth");
        }
    }

    /** A C client that begins when somebody listens. */
    private PeerProcess startWhenListening(String command) throws Exception {
        return new PeerProcess(List.of(
                "bash",
                "-c",
                ("for i in $(seq 1 1200); do grep -qi ':%04X .*:0000 0A' /proc/net/tcp /proc/net/tcp6 && break;"
                                + " sleep 0.1; done; exec %s localhost")
                        .formatted(port, command)));
    }

    @ParameterizedTest
    @CsvSource({"-n 100 -s 64", "-n 96 -s 4096 -l 8 -b", "-a -n 5 -b"})
    void writesThatThePeerLearnsOf(String options) throws Exception {
        String command = command("ib_write_bw", "--write_with_imm " + options) + " --no-warm-up";
        CompletableFuture<CommandRun> server = serve(command);
        CommandRun client = Program.run(command + " localhost");
        assertComplete(client, server.get().toString());
        assertComplete(server.get(), client.toString());
        int sizes = options.contains("-a") ? 23 : 1;
        assertThat(rows(client.out())).as(client.out()).hasSize(sizes);
        assertThat(rows(server.get().out())).as(server.get().out()).hasSize(sizes);
    }

    @Test
    void timesAreInCyclesAndHoldThePause() throws Exception {
        double megahertz = CpuFrequency.megahertz().orElse(0);
        String command = command("ib_read_lat", "-n 20") + " --no-warm-up";
        CompletableFuture<CommandRun> server = serve(command);
        CommandRun client = Program.run(command + " --latency_gap=2000" + (megahertz > 0 ? " -C" : "") + " localhost");
        assertThat(client.status())
                .as("%s\nother side: %s", client, server.get())
                .isZero();
        assertComplete(server.get(), client.toString());
        // A frequency that varies may have been another one when the tool asked.
        assertThat(Double.parseDouble(rows(client.out()).getFirst().strip().split("\\s+")[2]))
                .as(client.out())
                .isGreaterThanOrEqualTo(megahertz > 0 ? 2000 * megahertz / 20 : 2000);
        assertThat(client.out()).contains(megahertz > 0 ? "t_min[cycles]" : "t_min[usec]");
        assertThat(client.err()).contains("the pause of 2000 usec is in them");
    }

    @Test
    void rateIsLimited() throws Exception {
        String command = command("ib_write_bw", "-n 200 -s 64");
        CompletableFuture<CommandRun> server = serve(command + " --no-warm-up");
        CommandRun client =
                Program.run(command + " --no-warm-up --rate_limit=100 --rate_units=p --burst_size=10 localhost");
        assertComplete(client, server.get().toString());
        // 20 bursts, 19 intervals of 0.1 s: 105 messages per second at most, however fast the machine is.
        String[] row = rows(client.out()).getFirst().strip().split(" +");
        assertThat(Double.parseDouble(row[row.length - 1])).as(client.out()).isBetween(0.000_001, 0.000_106);
    }
}
