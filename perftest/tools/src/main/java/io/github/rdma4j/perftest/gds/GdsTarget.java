// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import java.nio.ByteBuffer;

/** One thread's block of memory, with the transfers between the file and the block. */
interface GdsTarget extends AutoCloseable {
    /** Reads; {@return how many bytes} */
    long read(long offset, int length);

    /** Writes all. */
    void write(long offset, int length);

    /** Sets the bytes of the block. */
    void set(ByteBuffer bytes);

    /** Copies the block's bytes out. */
    void get(ByteBuffer bytes);

    @Override
    void close();
}
