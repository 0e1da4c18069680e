// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.watch.metrics.OpenMetrics;
import io.github.rdma4j.perftest.watch.sample.Flow;
import io.github.rdma4j.perftest.watch.sample.Sampler;
import io.github.rdma4j.perftest.watch.sample.Watcher;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That {@code watch} sees what a C tool sends, and shows the ports of this machine. */
@Tag("device")
class WatchDeviceTest {
    private static final int WRITES = 500;

    @Test
    void packetsOfATestAreCounted() throws Exception {
        Sampler sampler = new Sampler(Path.of("/"), Optional.empty());
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        String command = "ib_write_bw -F -u 18 -s 4096 -n " + WRITES + " -p " + port;
        long start = System.nanoTime();
        Watcher watcher = new Watcher(sampler, start);
        try (PeerProcess server = PeerProcess.ofC(command).awaitListening(port);
                PeerProcess client = PeerProcess.ofC(command + " localhost")) {
            assertThat(client.await(Duration.ofSeconds(60))).as(client.output()).isZero();
            assertThat(server.await(Duration.ofSeconds(60))).as(server.output()).isZero();
        }
        // A second for the counting, so that a rate is a number.
        Watcher.Seen seen = watcher.look(start + Duration.ofSeconds(1).toNanos());
        double sent = seen.ports().stream()
                .mapToDouble(change -> change.perSecond(Flow.SENT_PACKETS).orElse(0))
                .sum();
        assertThat(sent).isGreaterThanOrEqualTo(WRITES);
        assertThat(seen.ports()).allMatch(change -> change.now().isActive());
        assertThat(OpenMetrics.of(sampler.sample())).contains("rdma4j_port_transmit_packets_total{device=\"");
    }

    @Test
    void theCommandShowsTheDevices() {
        CommandRun page = CommandRun.of("watch --count 1");
        assertThat(page.status()).as(page.toString()).isZero();
        assertThat(page.out().lines().skip(2).filter(line -> line.contains("ACTIVE")))
                .isNotEmpty();
    }
}
