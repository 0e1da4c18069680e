// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import java.time.Duration;
import java.util.stream.LongStream;

/**
 * What one side of a test is asked to do, after all rules that need no device have been applied. Made by
 * {@link TestParametersBuilder}; the option of each value is named in brackets.
 *
 * @param tool what to measure
 * @param server name or address of the server; null to be the server
 * @param port TCP port [-p]
 * @param device name of the RDMA device; null for the first one [-d]
 * @param devicePort port of the device, from 1 [-i]
 * @param size message size in bytes; with all sizes, the largest [-s]
 * @param allSizes whether to run 2, 4, … 2^23 bytes [-a]
 * @param iterations messages per queue pair and size [-n]
 * @param durationSeconds run for so long instead of a number of messages; 0 when not [-D]
 * @param margin part at both ends of a timed run that is not measured [-f]
 * @param gidIndex index into the port's GID table; -1 to choose [-x]
 * @param mtu path MTU in bytes; 0 for the port's active one [-m]
 * @param queuePairs number of queue pairs [-q]
 * @param transmitDepth most messages under way per queue pair [-t]
 * @param inlineSize messages up to so many bytes are sent inline; -1 for the default [-I]
 * @param queuePairTimeout local ACK timeout, 4.096 µs × 2^n [-u]
 * @param serviceLevel 0 to 15 [-S]
 * @param bidirectional whether both sides write [-b]
 * @param completionModeration one completion for so many messages [-Q]
 * @param gigabits report Gb/s instead of MiB/s [--report_gbits]
 * @param timeout longest wait for the peer at each step
 * @param acceptTimeout longest wait of a server for its client; zero for none
 * @param runTimeout longest run of one size, as seen by a side that only waits for it; zero for none
 * @param warmUp whether the measured code is compiled by runs on a local pair first
 */
public record TestParameters(
        Tool tool,
        String server,
        int port,
        String device,
        int devicePort,
        long size,
        boolean allSizes,
        int iterations,
        int durationSeconds,
        Duration margin,
        int gidIndex,
        int mtu,
        int queuePairs,
        int transmitDepth,
        int inlineSize,
        int queuePairTimeout,
        int serviceLevel,
        boolean bidirectional,
        int completionModeration,
        boolean gigabits,
        Duration timeout,
        Duration acceptTimeout,
        Duration runTimeout,
        boolean warmUp) {
    /** The largest message of a run over all sizes. */
    public static final long LARGEST_OF_ALL = 1L << 23;

    /** Whether this side is the server, which listens. */
    public boolean isServer() {
        return server == null;
    }

    /** Whether the run is limited by time, not by a number of messages. */
    public boolean isTimed() {
        return durationSeconds > 0;
    }

    /** Whether this side sends data in the measured run: all but the server of a one-way bandwidth test do. */
    public boolean sends() {
        return tool.isLatency() || bidirectional || !isServer();
    }

    /** The sizes to run, in order. */
    public long[] sizes() {
        return allSizes
                ? LongStream.iterate(2, bytes -> bytes <= LARGEST_OF_ALL, bytes -> bytes * 2)
                        .toArray()
                : new long[] {size};
    }

    /** The same with other resources: for the local pair of the warm-up. */
    TestParameters withShape(int otherQueuePairs, long otherSize, int otherDepth) {
        return new TestParameters(
                tool,
                server,
                port,
                device,
                devicePort,
                otherSize,
                false,
                iterations,
                durationSeconds,
                margin,
                gidIndex,
                mtu,
                otherQueuePairs,
                otherDepth,
                inlineSize,
                queuePairTimeout,
                serviceLevel,
                bidirectional,
                completionModeration,
                gigabits,
                timeout,
                acceptTimeout,
                runTimeout,
                warmUp);
    }
}
