// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.watch.metrics.OpenMetrics;
import io.github.rdma4j.perftest.watch.resource.QueuePairs;
import io.github.rdma4j.perftest.watch.resource.Reading;
import io.github.rdma4j.perftest.watch.resource.Resources;
import io.github.rdma4j.perftest.watch.sample.Flow;
import io.github.rdma4j.perftest.watch.sample.Sampler;
import io.github.rdma4j.perftest.watch.sample.Watcher;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code watch} counts the messages of a C tool, and shows the ports of this machine. */
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
        Watcher.Seen seen = watcher.sample(start + Duration.ofSeconds(1).toNanos());
        double sent = seen.ports().stream()
                .mapToDouble(change -> change.perSecond(Flow.SENT_PACKETS).orElse(0))
                .sum();
        assertThat(sent).isGreaterThanOrEqualTo(WRITES);
        assertThat(seen.ports()).allMatch(change -> change.now().isActive());
        assertThat(OpenMetrics.of(sampler.sample(), Reading.NONE))
                .contains("rdma4j_port_transmit_packets_total{device=\"");
    }

    /** Their owners and states come from the kernel. */
    @Test
    void queuePairsOfThisProcessAreCounted() {
        try (DeviceContext device = DeviceContext.open(Device.list().getFirst());
                ProtectionDomain domain = device.allocateProtectionDomain();
                CompletionQueue queue = device.createCompletionQueue(16);
                QueuePair one = domain.createQueuePair(QueuePairType.RC, q -> q.completionQueue(queue));
                QueuePair other = domain.createQueuePair(QueuePairType.RC, q -> q.completionQueue(queue))) {
            assertThat(one.number()).isNotEqualTo(other.number());
            Reading before = Resources.read(Optional.of(device.device().name()));
            assertThat(before.failure()).isEmpty();
            QueuePairs mine = mine(before).orElseThrow();
            assertThat(mine.count()).isEqualTo(2);
            assertThat(OpenMetrics.of(List.of(), before))
                    .contains("rdma4j_queue_pairs{device=\"%s\",owner=\"%s\"} ".formatted(mine.device(), mine.owner()));
            assertThat(mine.inError()).isZero();
            assertThat(mine.owner()).isNotEmpty();
            // The kernel has one of its own for management datagrams on each port.
            assertThat(before.queuePairs())
                    .anyMatch(owner -> owner.pid() == 0 && owner.owner().equals("ib_core"));
            assertThat(Program.run("watch --count 1").out())
                    .contains("queue pairs")
                    .contains("(" + ProcessHandle.current().pid() + ")");

            one.modify(attributes -> attributes
                    .state(QueuePairState.INIT)
                    .partitionKeyIndex(0)
                    .port(1)
                    .remoteAccess());
            one.modify(attributes -> attributes.state(QueuePairState.ERR));
            assertThat(mine(Resources.read(Optional.empty())).orElseThrow().inError())
                    .isEqualTo(1);
            assertThat(Resources.read(Optional.of("no_such_device"))).isEqualTo(Reading.NONE);
        }
        assertThat(mine(Resources.read(Optional.empty()))).isEmpty();
    }

    private static Optional<QueuePairs> mine(Reading reading) {
        return reading.queuePairs().stream()
                .filter(owner -> owner.pid() == ProcessHandle.current().pid())
                .findFirst();
    }

    @Test
    void commandShowsTheDevices() {
        CommandRun page = Program.run("watch --count 1");
        assertThat(page.status()).as(page.toString()).isZero();
        assertThat(page.out().lines().skip(2).filter(line -> line.contains("ACTIVE")))
                .isNotEmpty();
    }
}
