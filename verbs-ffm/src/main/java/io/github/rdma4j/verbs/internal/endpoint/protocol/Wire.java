// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The output of {@link Protocol}: posts, and access to the buffers. No method waits. In a program a wire is a queue
 * pair or a socket, in a simulation two queues.
 *
 * <p>A method that posts returns 0, or the errno of a refusal. Each accepted post leads to one call of {@link
 * Protocol#sent}, {@link Protocol#received} or {@link Protocol#failed}, in the order of the posts of each direction.
 */
public interface Wire {
    /** Copies a message into the buffer of a slot. If this throws, nothing has changed. */
    void fill(int slot, MemorySegment message);

    /** Copies the remaining bytes of a buffer, whose position stays, into the buffer of a slot. */
    default void fill(int slot, ByteBuffer message) {
        fill(slot, MemorySegment.ofBuffer(message));
    }

    /**
     * Copies a message as {@link #fill(int, MemorySegment)} does. The message is posted next, and only its sum
     * is read before, so it need not be copied into the buffer first.
     */
    default void fillNext(int slot, MemorySegment message) {
        fill(slot, message);
    }

    /** Copies the remaining bytes of a buffer, whose position stays, for a message that is posted next. */
    default void fillNext(int slot, ByteBuffer message) {
        fill(slot, message);
    }

    /**
     * Sends a message from its own memory instead of the buffer of a slot, if that is possible; otherwise copies it. If
     * this throws, nothing has changed.
     */
    default void lend(int slot, MemorySlice message) {
        fill(slot, message.segment());
    }

    /** Gathers messages from now on; their posts return 0. */
    void beginBatch();

    /** Posts the gathered messages in order, with one doorbell. Returns how many were posted. */
    int endBatch();

    /** {@return the errno of the first message that the last batch has not posted; 0 if all were posted} */
    int batchError();

    /** {@return the buffer of a slot, for a program that writes a message itself} */
    MemorySegment buffer(int slot);

    /** Sets the length in bytes of a message that the program has written itself. */
    void cut(int slot, long length);

    /** {@return the buffer of a slot, for a sum, with any position and limit; the same object each time} */
    ByteBuffer view(int slot);

    /** {@return a receive buffer with a message, for a sum, with any position and limit} */
    ByteBuffer arrived(int buffer);

    /** Whether a message may be posted without a completion of its own; see {@link #postMessage}. */
    default boolean canPostUnsignaled() {
        return false;
    }

    /**
     * Posts the message in the buffer of a slot. If it throws, the connection is lost.
     *
     * @param signaled whether to call {@link Protocol#sent} for it. If not, the end of the next signaled post implies
     *     its end. A failure is reported in any case
     */
    int postMessage(int slot, int frame, boolean signaled);

    /**
     * Posts a transfer. If it throws, nothing was posted.
     *
     * @param local null for an atomic operation, whose result goes to the buffer of the slot
     */
    int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue);

    /** Posts an empty message. */
    int postControl(long id, int frame);

    /** Posts a request that changes nothing, and that the peer's adapter acknowledges without the peer's program. */
    int postProbe(long id);

    /** Posts a receive buffer. */
    int postReceive(int buffer);

    /**
     * Takes back a buffer for which the peer has no credit yet. It may wait until {@link #postReturned} posts it with
     * others.
     */
    default int returnReceive(int buffer) {
        return postReceive(buffer);
    }

    /** Posts the buffers that wait. */
    default int postReturned() {
        return 0;
    }

    /** {@return the result of the atomic operation in a slot} */
    long word(int slot);

    /** {@return a copy of a message that has arrived} */
    byte[] copy(int buffer, long length);

    /**
     * Whether the peer's machine has given a sign of life recently, although it has acknowledged no request. If the
     * peer's program acknowledges instead of an adapter, its silence proves nothing.
     */
    default boolean isPeerThere() {
        return false;
    }

    /** {@return the part of the peer that acknowledges, for messages: its adapter, or its machine} */
    default String peerName() {
        return "adapter";
    }

    /** Makes every request complete, also without success. */
    void toError();

    /** Called once, when the connection has ended for this side. */
    void ended(String reason);
}
