// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The effects of {@link Protocol}: it posts, and reads memory. No method waits. In a program a wire is a queue pair or
 * a socket, in a simulation two queues.
 *
 * <p>What posts gives 0, or the errno of a refusal. Each post that was not refused leads to one call of {@link
 * Protocol#sent}, {@link Protocol#received} or {@link Protocol#failed}, in the order of the posts of each direction.
 */
public interface Wire {
    /** Copies a message into the buffer of a slot. If it throws, nothing has happened. */
    void fill(int slot, MemorySegment message);

    /** Copies what remains in a buffer, whose position stays, into the buffer of a slot. */
    default void fill(int slot, ByteBuffer message) {
        fill(slot, MemorySegment.ofBuffer(message));
    }

    /**
     * Copies as {@link #fill(int, MemorySegment)} does a message that is posted next, before this wire is asked for
     * anything else but its sum: it need not go by way of the buffer.
     */
    default void fillNext(int slot, MemorySegment message) {
        fill(slot, message);
    }

    /** Copies what remains in a buffer, whose position stays, for a message that is posted next. */
    default void fillNext(int slot, ByteBuffer message) {
        fill(slot, message);
    }

    /**
     * Takes a message from where it lies, instead of from the buffer of a slot, where that is possible; else it is
     * copied. If it throws, nothing has happened.
     */
    default void lend(int slot, MemorySlice message) {
        fill(slot, message.segment());
    }

    /** Messages are gathered from now on, and their posts give 0. */
    void beginBatch();

    /** Posts what was gathered, with one doorbell; how many were posted, in their order. */
    int endBatch();

    /** The errno of the first that was not posted by the last batch; 0 if all were. */
    int batchError();

    /** The buffer of a slot, for a program that writes a message itself. */
    MemorySegment buffer(int slot);

    /** The message in the buffer of a slot, which the program has written itself, has this length, in bytes. */
    void cut(int slot, long length);

    /** The buffer of a slot, for a sum; nobody relies on position and limit. The same object each time. */
    ByteBuffer view(int slot);

    /** A receive buffer in which a message has come, for a sum; nobody relies on position and limit. */
    ByteBuffer arrived(int buffer);

    /** Whether a message may be posted without a completion of its own; see {@link #postMessage}. */
    default boolean canPostUnsignaled() {
        return false;
    }

    /**
     * Posts what is in the buffer of a slot.
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

    /** Posts a message without bytes. */
    int postControl(long id, int frame);

    /** Posts something that changes nothing, and that the peer's adapter acknowledges without its program. */
    int postProbe(long id);

    /** Gives a receive buffer to the adapter. */
    int postReceive(int buffer);

    /**
     * Takes back a buffer that the peer does not know to be free: it may wait for others, so that one call gives the
     * adapter all of them, until {@link #postReturned}.
     */
    default int returnReceive(int buffer) {
        return postReceive(buffer);
    }

    /** Gives the adapter the buffers that wait. */
    default int postReturned() {
        return 0;
    }

    /** The result of the atomic operation that was posted in a slot. */
    long word(int slot);

    /** The bytes of a message that has arrived. */
    byte[] copy(int buffer, long length);

    /**
     * Whether the peer's machine has given a sign of life recently, though it has acknowledged nothing of what is under
     * way. If the peer's program acknowledges, and no adapter, its silence proves nothing.
     */
    default boolean isPeerThere() {
        return false;
    }

    /** What acknowledges at the peer, for messages: its adapter, or its machine. */
    default String peerName() {
        return "adapter";
    }

    /** Makes everything that is under way complete, if need be without success. */
    void toError();

    /** The connection is over for this side. Called once. */
    void ended(String reason);
}
