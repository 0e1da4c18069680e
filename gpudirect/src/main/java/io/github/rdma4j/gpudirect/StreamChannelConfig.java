// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.QueuePairConfig;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The settings of {@link GpuDirect#prepareStreamChannel}. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class StreamChannelConfig {
    private static final int MOST_TRANSFERS = 4096;
    private static final Duration LONGEST = Duration.ofDays(1);

    private int transfers = 64;
    private Duration timeLimit = Duration.ofSeconds(30);
    private Consumer<QueuePairConfig> queuePair = config -> {};

    StreamChannelConfig() {}

    /**
     * Sets the highest number of transfers of the channel; default 64.
     *
     * @param most 1 to 4096
     * @return this
     */
    public StreamChannelConfig transfers(int most) {
        if (most < 1 || most > MOST_TRANSFERS) {
            throw new IllegalArgumentException("%d transfers; 1 to %d".formatted(most, MOST_TRANSFERS));
        }
        transfers = most;
        return this;
    }

    /**
     * Sets the timeout of a transfer after its stream starts it; default 30 s. A transfer that exceeds it fails the
     * channel, so that no stream waits forever. The timeout of an arrival includes the time until the peer writes.
     *
     * @param time 1 ms to a day
     * @return this
     */
    public StreamChannelConfig timeLimit(Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a time limit of " + TimeText.of(time) + "; 1 ms to a day");
        }
        timeLimit = time;
        return this;
    }

    /**
     * Configures the queue pair: port, GID, partition key. The channel itself sets its queues, depths, remote access
     * and scatter to completions.
     *
     * @param configuration changes the settings of the queue pair
     * @return this
     */
    public StreamChannelConfig queuePair(Consumer<QueuePairConfig> configuration) {
        queuePair = Objects.requireNonNull(configuration, "configuration");
        return this;
    }

    int transfers() {
        return transfers;
    }

    Duration timeLimit() {
        return timeLimit;
    }

    Consumer<QueuePairConfig> queuePair() {
        return queuePair;
    }
}
