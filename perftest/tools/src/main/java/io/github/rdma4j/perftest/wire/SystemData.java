// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The sizes that determine how a bandwidth test spreads small messages over its buffer: the page, through which it
 * cycles, and the cache line, which is the least distance between two messages. Each side uses the larger of both
 * values.
 *
 * @param cycleBytes page size in bytes
 * @param cacheLineBytes cache line size in bytes
 */
public record SystemData(int cycleBytes, int cacheLineBytes) {
    /** Linux has no larger pages where RDMA runs; the buffer is made of as many as there are queue pairs, and more. */
    private static final int LARGEST_PAGE = 1 << 16;

    /** Small against a page, so that at least two messages fit into one. */
    private static final int LARGEST_CACHE_LINE = 1 << 10;

    /** This machine's values. */
    public static SystemData ofThisMachine() {
        return new SystemData(pageSize(), cacheLineSize());
    }

    /** Exchanges them and returns the larger ones. */
    public SystemData agree(ControlChannel channel) {
        return agree(channel, channel.timeout());
    }

    /**
     * Exchanges them and returns the larger ones, with a peer that may have something to do first.
     *
     * @param limit the longest wait for its first message
     */
    public SystemData agree(ControlChannel channel, Duration limit) {
        return new SystemData(
                larger(channel, cycleBytes, LARGEST_PAGE, "page size", limit),
                larger(channel, cacheLineBytes, LARGEST_CACHE_LINE, "cache line size", channel.timeout()));
    }

    private static int larger(ControlChannel channel, int mine, int largest, String step, Duration limit) {
        byte[] theirs = channel.exchange(ByteBuffer.allocate(4).putInt(mine).array(), step, limit);
        int value = ByteBuffer.wrap(theirs).getInt();
        if (value <= 0 || value > largest || Integer.bitCount(value) != 1) {
            throw new HandshakeException(
                    "the peer " + channel.peer() + " says that its " + step + " is " + value + " bytes",
                    ControlChannel.SAME_TOOL);
        }
        return Math.max(mine, value);
    }

    private static int pageSize() {
        // The kernel hands the page size to every process as entry 6 (AT_PAGESZ) of its auxiliary vector.
        try {
            ByteBuffer vector = ByteBuffer.wrap(Files.readAllBytes(Path.of("/proc/self/auxv")))
                    .order(ByteOrder.nativeOrder());
            while (vector.remaining() >= 16) {
                long key = vector.getLong();
                long value = vector.getLong();
                if (key == 6) {
                    return (int) value;
                }
            }
        } catch (IOException _) {
            // Not Linux, or no /proc: the usual size will do, as it only spreads messages.
        }
        return 4096;
    }

    private static int cacheLineSize() {
        Path file = Path.of("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size");
        try {
            int value = Integer.parseInt(Files.readString(file).strip());
            return value > 0 ? value : 64;
        } catch (IOException | NumberFormatException _) {
            return 64;
        }
    }
}
