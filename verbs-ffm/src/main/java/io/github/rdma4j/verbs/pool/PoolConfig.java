// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.internal.PageMapping;
import io.github.rdma4j.verbs.internal.PageSize;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Settings of a {@link RegisteredMemoryPool}. Each setter returns this object, and each setting has a default. Thread
 * safety: for one thread.
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
     * Sets the size of a registration, the chunk; default 4 MiB. A larger allocation gets its own chunk.
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
     * Sets the smallest block, to which all sizes and alignments are rounded up; default 256 bytes.
     *
     * @param bytes a power of two, at least 8, at most the chunk size
     * @return this
     */
    public PoolConfig minBlockSize(long bytes) {
        minBlockSize = bytes;
        return this;
    }

    /**
     * Sets the maximum number of bytes to register; default no limit except the kernel's.
     *
     * @param bytes at least the chunk size
     * @return this
     */
    public PoolConfig maxBytes(long bytes) {
        maxBytes = bytes;
        return this;
    }

    /**
     * Sets the rights on the memory; default {@link AccessFlag#LOCAL_WRITE}, {@link AccessFlag#REMOTE_WRITE} and
     * {@link AccessFlag#REMOTE_READ}. A chunk has one remote key, so a peer that has it can access the whole chunk. For
     * peers that are not trusted, use {@linkplain io.github.rdma4j.verbs.MemoryWindow windows}
     * ({@link AccessFlag#MW_BIND}), or a separate pool for each.
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
     * Sets the pages to use; default {@link HugePages#NONE}. {@link PoolStatistics#pages()} has the actual pages.
     *
     * @param wish the preferred pages
     * @return this
     */
    public PoolConfig hugePages(HugePages wish) {
        hugePages = Objects.requireNonNull(wish, "wish");
        return this;
    }

    /**
     * Sets how long an allocation waits for returned memory if there is none and no more may be registered; default
     * zero, which does not wait.
     *
     * @param timeout the maximum wait; zero throws a {@link PoolExhaustedException} at once
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
     * Sets whether returned memory is filled with a pattern that is checked when the memory is allocated again. If this
     * process or a peer has written to it meanwhile, the allocation throws an exception. The default is false, because
     * it costs the time to write and read the memory.
     *
     * @param detect true to check
     * @return this
     */
    public PoolConfig detectUseAfterReturn(boolean detect) {
        detectUseAfterReturn = detect;
        return this;
    }

    /**
     * Sets a reporter that receives a text about memory that was not returned when the pool is closed; the default logs
     * a warning with the logger of the pool's class name.
     *
     * @param reporter called in {@link RegisteredMemoryPool#close()}
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
