// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;

/**
 * The two messages of ib_write_lat: the one that this side writes, and the one that the peer writes here. Both have the
 * same size, and their last byte is the counter.
 *
 * @param sendOffset the offset of the message to send in the memory of both
 * @param receiveOffset the offset of the peer's message in the memory of both
 * @param local the message to send
 * @param remote the address to write to
 */
public record WrittenMessages(long sendOffset, long receiveOffset, MemorySlice local, RemoteMemory remote) {
    /** The bytes of a message. */
    public long size() {
        return local.length();
    }

    /** The offset of the counter in the message that is sent. */
    public long sendCounter() {
        return sendOffset + size() - 1;
    }

    /** The offset of the counter in the message that is received. */
    public long receiveCounter() {
        return receiveOffset + size() - 1;
    }
}
