// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.verbs.MemorySlice;
import java.lang.foreign.MemorySegment;

/** The buffer of one side, registered: of the host or of a GPU. Offsets are those of its parts, in bytes. */
interface MessageMemory extends AutoCloseable {
    /** What the adapter reaches at an offset. */
    MemorySlice slice(long offset, long length);

    /** The address by which the peer reaches an offset. */
    long remoteAddress(long offset);

    /** The key for it. */
    int remoteKey(long offset);

    /**
     * What this program reads and writes in its place: the buffer itself if the processor reaches it. Else a copy,
     * which {@link #publish()} and {@link #absorb} carry over.
     */
    MemorySegment contents();

    /**
     * Fills it.
     *
     * @param content again and again; null for noise, which no memory controller and no compressing link treats better
     *     than data, as zeros could be
     */
    void fill(byte[] content);

    /** What was written to {@link #contents()} is in the buffer, and where the adapter reads, when this returns. */
    void publish();

    /**
     * What is in the buffer is in {@link #contents()} when this returns.
     *
     * @param written the offsets that the peer itself has written to, in pairs of first and length
     */
    void absorb(long[] written);

    @Override
    void close();
}
