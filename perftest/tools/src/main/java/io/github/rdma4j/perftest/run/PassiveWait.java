// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.wire.ControlChannel;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Waits, on a side whose adapter answers without its program, for the end of the peer's runs. Only the peer may know
 * their number and length ({@code --rounds}, {@code -D}, {@code --run_infinitely}), so this waits as long as packets
 * arrive. If the device counts packets, and they have begun to arrive and then stopped, the peer has fallen silent.
 */
final class PassiveWait {
    /** The interval of reading the packet count; reading it can take an adapter some time. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    private final ControlChannel channel;
    private final LongSupplier packets;
    private final String port;

    /**
     * @param channel on which the peer announces its end
     * @param packets counts the packets that the port receives
     * @param port its name, for messages
     */
    PassiveWait(ControlChannel channel, LongSupplier packets, String port) {
        this.channel = channel;
        this.packets = packets;
        this.port = port;
    }

    /**
     * Returns when the peer has sent a message or closed its connection.
     *
     * @param silence the longest time without a packet after the first one
     * @param limit the longest time in all; zero for none
     * @throws RunFailedException when one of these times has passed
     */
    void await(Duration silence, Duration limit) {
        long begin = System.nanoTime();
        long seen = packets.getAsLong();
        long movedAt = begin;
        boolean moved = false;
        while (!channel.awaitNews(CHECK_INTERVAL)) {
            long now = System.nanoTime();
            long count = packets.getAsLong();
            if (count != seen) {
                seen = count;
                movedAt = now;
                moved = true;
            }
            if (moved && now - movedAt > silence.toNanos()) {
                throw RunFailedException.ofLostPeer(
                        "the peer " + channel.peer() + " fell silent in the middle of the run: nothing has come to "
                                + port + " for " + silence.toSeconds() + " s (--timeout)",
                        "see whether it still runs (kill -CONT wakes one that was stopped), and whether the network"
                                + " between is up; if its --rate_limit pauses as long, give a longer --timeout");
            }
            if (!limit.isZero() && now - begin > limit.toNanos()) {
                throw RunFailedException.ofLostPeer(
                        "the peer " + channel.peer() + " has not ended its run within " + limit.toSeconds()
                                + " s (--run-timeout)",
                        "give --run-timeout more seconds, or 0 for no limit");
            }
        }
    }
}
