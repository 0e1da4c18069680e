// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.internal.PageMapping;
import io.github.rdma4j.verbs.internal.PageSize;
import io.github.rdma4j.verbs.internal.TimeText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What differs from the defaults of a {@link RegisteredMemoryPool}. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class PoolConfig {
    private static final int DEFAULT_CHUNK = 4 << 20;
    private static final int DEFAULT_BLOCK = 256;

    private long chunkSize = DEFAULT_CHUNK;
    private long minBlockSize = DEFAULT_BLOCK;
    private long maxBytes = Long.MAX_VALUE;
    private AccessFlag[] access = {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ};
    private HugePages hugePages = HugePages.NONE;
    private Duration waitWhenExhausted = Duration.ZERO;
    private boolean detectUseAfterReturn;
    private Consumer<String> leakReporter =
            text -> System.getLogger(RegisteredMemoryPool.class.getName()).log(Level.WARNING, text);

    PoolConfig() {}

    /**
     * How much is registered at a time; default 4 MiB. A larger allocation gets a chunk of its own.
     *
     * @param bytes a power of two, at least a page (4096 bytes on x86-64), with {@link HugePages#EXPLICIT} at least a
     *     huge page
     * @return this
     */
    public PoolConfig chunkSize(long bytes) {
        chunkSize = bytes;
        return this;
    }

    /**
     * The smallest block, which all sizes and alignments are rounded up to; default 256 bytes.
     *
     * @param bytes a power of two, at least 8, at most the chunk size
     * @return this
     */
    public PoolConfig minBlockSize(long bytes) {
        minBlockSize = bytes;
        return this;
    }

    /**
     * The most bytes to register; default no limit but the kernel's.
     *
     * @param bytes at least the chunk size
     * @return this
     */
    public PoolConfig maxBytes(long bytes) {
        maxBytes = bytes;
        return this;
    }

    /**
     * What may be done with the memory; default {@link AccessFlag#LOCAL_WRITE}, {@link AccessFlag#REMOTE_WRITE} and
     * {@link AccessFlag#REMOTE_READ}. A chunk has one remote key: a peer that knows it can reach the whole chunk. Where
     * peers are not trusted, give them {@linkplain io.github.rdma4j.verbs.MemoryWindow windows}
     * ({@link AccessFlag#MW_BIND}), or a pool each.
     *
     * @param flags as for registering memory
     * @return this
     */
    public PoolConfig access(AccessFlag... flags) {
        for (AccessFlag flag : flags) {
            Objects.requireNonNull(flag, "access flag");
        }
        access = flags.clone();
        return this;
    }

    /**
     * The pages to use; default {@link HugePages#NONE}. {@link PoolStatistics#pages()} says what was got.
     *
     * @param wish for pages
     * @return this
     */
    public PoolConfig hugePages(HugePages wish) {
        hugePages = Objects.requireNonNull(wish, "wish");
        return this;
    }

    /**
     * How long an allocation waits for memory to be returned when there is none and no more may be registered; default
     * not at all.
     *
     * @param timeout zero: a {@link PoolExhaustedException} at once
     * @return this
     */
    public PoolConfig waitWhenExhausted(Duration timeout) {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("waitWhenExhausted %s: zero or more".formatted(TimeText.of(timeout)));
        }
        waitWhenExhausted = timeout;
        return this;
    }

    /**
     * Whether returned memory is filled with a pattern that is looked for when it is given out again, so that a write
     * into it in between, by this process or by an adapter for a peer, is an exception there. Default false: it costs
     * the time of writing and reading the memory.
     *
     * @param detect true to look
     * @return this
     */
    public PoolConfig detectUseAfterReturn(boolean detect) {
        detectUseAfterReturn = detect;
        return this;
    }

    /**
     * Who is told, in one text, of memory that was not returned when the pool is closed; default a warning of the
     * logger of the pool's name.
     *
     * @param reporter is called in {@link RegisteredMemoryPool#close()}
     * @return this
     */
    public PoolConfig leakReporter(Consumer<String> reporter) {
        leakReporter = Objects.requireNonNull(reporter, "reporter");
        return this;
    }

    void check() {
        requirePowerOfTwo("chunkSize", chunkSize, PageSize.BYTES, 1L << 40);
        requirePowerOfTwo("minBlockSize", minBlockSize, 8, chunkSize);
        if (chunkSize / minBlockSize > 1 << 28) {
            throw new IllegalArgumentException(
                    "chunkSize %d in blocks of %d: at most %d".formatted(chunkSize, minBlockSize, 1 << 28));
        }
        if (maxBytes < chunkSize) {
            throw new IllegalArgumentException("maxBytes %d is less than chunkSize %d".formatted(maxBytes, chunkSize));
        }
        if (hugePages == HugePages.EXPLICIT && chunkSize < PageMapping.HUGE_PAGE) {
            throw new IllegalArgumentException(
                    "chunkSize %d: a huge page has %d bytes".formatted(chunkSize, PageMapping.HUGE_PAGE));
        }
    }

    private static void requirePowerOfTwo(String name, long value, long low, long high) {
        if (value < low || value > high || Long.bitCount(value) != 1) {
            throw new IllegalArgumentException(
                    "%s %d: must be a power of two from %d to %d".formatted(name, value, low, high));
        }
    }

    long chunkSize() {
        return chunkSize;
    }

    long minBlockSize() {
        return minBlockSize;
    }

    long maxBytes() {
        return maxBytes;
    }

    AccessFlag[] access() {
        return access;
    }

    HugePages hugePages() {
        return hugePages;
    }

    Duration waitWhenExhausted() {
        return waitWhenExhausted;
    }

    boolean detectUseAfterReturn() {
        return detectUseAfterReturn;
    }

    Consumer<String> leakReporter() {
        return leakReporter;
    }
}
