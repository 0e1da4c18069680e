// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatcherTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    private Path root;

    private Ports ports;

    @BeforeEach
    void aPort() {
        ports = new Ports(root).up("mlx5_0").traffic("mlx5_0", 1000, 10);
    }

    private Watcher watcher() {
        return new Watcher(new Sampler(root, Optional.empty()), 0);
    }

    private static Change only(Watcher.Seen seen) {
        assertThat(seen.ports()).hasSize(1);
        return seen.ports().getFirst();
    }

    @Test
    void bytesAreCountedInWordsOfFourAndByTheSecond() {
        Watcher watcher = watcher();
        ports.traffic("mlx5_0", 1500, 20);
        Change change = only(watcher.sample(2 * SECOND));
        assertThat(change.perSecond(Flow.RECEIVED_BYTES)).hasValue(1000);
        assertThat(change.perSecond(Flow.SENT_BYTES)).hasValue(2000);
        assertThat(change.perSecond(Flow.RECEIVED_PACKETS)).hasValue(5);
        assertThat(change.perSecond(Flow.SENT_PACKETS)).hasValue(10);
        assertThat(only(watcher.sample(3 * SECOND)).perSecond(Flow.SENT_BYTES)).hasValue(0);
    }

    @Test
    void packetsOfSoftRoceAreFoundWhereItHasThemAndItsBytesAreNot() {
        ports.remove("mlx5_0");
        ports.up("rxe0").with("rxe0", "hw_counters/sent_pkts", "5").with("rxe0", "hw_counters/rcvd_pkts", "7");
        Watcher watcher = watcher();
        ports.with("rxe0", "hw_counters/sent_pkts", "6");
        Change change = only(watcher.sample(SECOND));
        assertThat(change.perSecond(Flow.SENT_PACKETS)).hasValue(1);
        assertThat(change.perSecond(Flow.RECEIVED_PACKETS)).hasValue(0);
        assertThat(change.perSecond(Flow.SENT_BYTES)).isEmpty();
    }

    /** The specification of InfiniBand gives them 32 bits; wider ones are optional. */
    @Test
    void countersThatHaveReachedTheirMaximumGiveNoRate() {
        ports.with("mlx5_0", "counters/port_rcv_data", "4294967290");
        Watcher watcher = watcher();
        ports.with("mlx5_0", "counters/port_rcv_data", "4294967295");
        assertThat(only(watcher.sample(SECOND)).perSecond(Flow.RECEIVED_BYTES)).isEmpty();
        assertThat(only(watcher.sample(2 * SECOND)).perSecond(Flow.RECEIVED_BYTES))
                .isEmpty();
        ports.with("mlx5_0", "counters/port_rcv_data", "4294967296");
        assertThat(only(watcher.sample(3 * SECOND)).perSecond(Flow.RECEIVED_BYTES))
                .isEmpty();
        ports.with("mlx5_0", "counters/port_rcv_data", "4294967299");
        assertThat(only(watcher.sample(4 * SECOND)).perSecond(Flow.RECEIVED_BYTES))
                .hasValue(12);
    }

    @Test
    void restartedCountersGiveNoRate() {
        Watcher watcher = watcher();
        ports.traffic("mlx5_0", 10, 20);
        Change change = only(watcher.sample(SECOND));
        assertThat(change.perSecond(Flow.RECEIVED_BYTES)).isEmpty();
        assertThat(change.perSecond(Flow.RECEIVED_PACKETS)).hasValue(10);
    }

    @Test
    void risingCounterIsReportedOnceWithItsMeaning() {
        ports.with("mlx5_0", "hw_counters/packet_seq_err", "3");
        Watcher watcher = watcher();
        assertThat(watcher.sample(SECOND).worse()).isEmpty();
        ports.with("mlx5_0", "hw_counters/packet_seq_err", "5");
        Watcher.Seen seen = watcher.sample(2 * SECOND);
        assertThat(only(seen).troubles()).isEqualTo(2);
        assertThat(seen.worse())
                .singleElement()
                .asString()
                .startsWith("mlx5_0/1: packet_seq_err +2: packets arrived out of order");
        assertThat(watcher.sample(3 * SECOND).worse()).isEmpty();
        ports.with("mlx5_0", "hw_counters/packet_seq_err", "0");
        assertThat(watcher.sample(4 * SECOND).worse()).isEmpty();
    }

    @Test
    void unreadableOrMeaninglessCounterIsLeftOut() {
        ports.with("mlx5_0", "hw_counters/packet_seq_err", "N/A (no PMA)").with("mlx5_0", "hw_counters/lifespan", "10");
        PortSample sample = new Sampler(root, Optional.empty()).sample().getFirst();
        assertThat(sample.troubles()).isEmpty();
        assertThat(sample.flows()).hasSize(4);
    }

    @Test
    void lostLinkAndLostDeviceAreReported() {
        Watcher watcher = watcher();
        ports.with("mlx5_0", "state", "1: DOWN\n");
        assertThat(watcher.sample(SECOND).worse()).containsExactly("mlx5_0/1: the link went from ACTIVE to DOWN");
        ports.remove("mlx5_0");
        Watcher.Seen seen = watcher.sample(2 * SECOND);
        assertThat(seen.ports()).isEmpty();
        assertThat(seen.worse()).containsExactly("mlx5_0/1: the device has gone");
        ports.up("mlx5_0").traffic("mlx5_0", 1, 1);
        assertThat(only(watcher.sample(3 * SECOND)).perSecond(Flow.SENT_BYTES)).isEmpty();
    }

    @Test
    void eachPortIsComparedWithItselfSinceTheLastLook() {
        ports.up("mlx5_1").traffic("mlx5_1", 500, 5);
        Watcher watcher = watcher();
        ports.traffic("mlx5_0", 2000, 20).traffic("mlx5_1", 1000, 10);
        watcher.sample(SECOND);
        ports.traffic("mlx5_0", 2500, 25).traffic("mlx5_1", 4000, 40);
        Watcher.Seen seen = watcher.sample(3 * SECOND);
        assertThat(seen.ports()).extracting(change -> change.now().name()).containsExactly("mlx5_0/1", "mlx5_1/1");
        assertThat(seen.ports().get(0).perSecond(Flow.RECEIVED_BYTES)).hasValue(1000);
        assertThat(seen.ports().get(1).perSecond(Flow.RECEIVED_BYTES)).hasValue(6000);
        ports.remove("mlx5_1");
        assertThat(watcher.sample(4 * SECOND).worse()).containsExactly("mlx5_1/1: the device has gone");
    }

    @Test
    void oneDeviceAlone() {
        ports.up("mlx5_1");
        assertThat(new Sampler(root, Optional.of("mlx5_1")).sample())
                .extracting(PortSample::name)
                .containsExactly("mlx5_1/1");
        assertThat(new Sampler(root, Optional.of("mlx5_2")).sample()).isEmpty();
    }
}
