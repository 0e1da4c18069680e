// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.verbs.MemorySlice;
import java.lang.foreign.MemorySegment;

/** The registered buffer of one side, in host or GPU memory. Offsets are in bytes. */
interface MessageMemory extends AutoCloseable {
    /** Returns the memory that the adapter accesses at an offset. */
    MemorySlice slice(long offset, long length);

    /** The address by which the peer reaches an offset. */
    long remoteAddress(long offset);

    /** The key for it. */
    int remoteKey(long offset);

    /**
     * Returns the memory that this program accesses: the buffer itself if the CPU can access it, or else a copy, which
     * {@link #publish()} and {@link #absorb} synchronize.
     */
    MemorySegment contents();

    /**
     * Fills it.
     *
     * @param content again and again; null for noise, which no memory controller and no compressing link treats better
     *     than data, as zeros could be
     */
    void fill(byte[] content);

    /** Makes everything written to {@link #contents()} visible in the buffer and to the adapter before it returns. */
    void publish();

    /**
     * Makes the content of the buffer visible in {@link #contents()} before it returns.
     *
     * @param written the ranges that the peer has written, in pairs of offset and length
     */
    void absorb(long[] written);

    @Override
    void close();
}
