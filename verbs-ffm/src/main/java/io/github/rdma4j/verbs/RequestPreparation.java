// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.SendOpcode;
import java.lang.foreign.Arena;
import java.util.Objects;

/**
 * Creates prepared requests: {@code queuePair.prepare().write(local, remote, flags)}. Each method that is named after
 * an operation creates a {@link PreparedRequest}, with the checks of the posting methods. Call {@link #length},
 * {@link #to} and {@link #toSharedReceiveQueue} first; they apply to all requests that are prepared afterwards.
 *
 * <p>The garbage collector frees the memory of all requests of one preparation together, when none of them is
 * reachable.
 *
 * <p>The methods throw the same exceptions as the posting methods: an {@link IllegalArgumentException} if an argument
 * is invalid, an {@link IllegalStateException} if the region is closed, an {@link UnsupportedVerbException} if the
 * queue pair was not created for the operation.
 *
 * <p>Thread safety: for one thread at a time.
 *
 * @since 0.1.0
 */
public final class RequestPreparation {
    private static final long WHOLE_SLICE = -1;

    private final QueuePair queue;
    /**
     * The memory of all requests that are prepared here, so that the collector frees one object instead of thousands.
     */
    private final Arena arena = Arena.ofAuto();

    private Destination destination;
    private int sharedReceiveQueue = PostingChecks.NO_NUMBER;
    private long length = WHOLE_SLICE;

    RequestPreparation(QueuePair queue) {
        this.queue = queue;
    }

    /**
     * Sets the initial number of bytes of a post, from the start of the slice; the default is the whole slice. Use it
     * for slices within which the request will move: they may be longer than a message, the inline limit, or the peer's
     * memory.
     *
     * @param length in bytes, not negative
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public RequestPreparation length(long length) {
        if (length < 0) {
            throw new IllegalArgumentException("a length of " + length + " bytes");
        }
        this.length = length;
        return this;
    }

    /**
     * Sets the destination. Required for datagrams (UD) and for {@linkplain SrdQueuePair SRD}, and only for them.
     *
     * @param destination the peer, with an address handle of the queue pair's protection domain, which must be open at
     *     each post
     * @return this
     * @throws IllegalArgumentException if the queue pair has another type, or the address handle another domain
     */
    public RequestPreparation to(Destination destination) {
        queue.checks().destination(queue, destination);
        this.destination = destination;
        return this;
    }

    /**
     * Sets the peer's shared receive queue. Required for queue pairs of type XRC_SEND, and only for them.
     *
     * @param number the number of the peer's shared receive queue ({@code srqn}), 24 bits
     * @return this
     * @throws IllegalArgumentException if the queue pair has another type, or the number is too large
     */
    public RequestPreparation toSharedReceiveQueue(int number) {
        queue.checks().sharedReceiveQueue(number);
        this.sharedReceiveQueue = number;
        return this;
    }

    /**
     * Prepares an RDMA write; see {@link QueuePair#tryPostWrite}.
     *
     * @param local the data to write
     * @param remote the destination, at least as long as {@code local}
     * @param flags a combination of {@link SendFlags}
     * @return the request, not posted yet
     */
    public PreparedRequest write(MemorySlice local, RemoteMemory remote, int flags) {
        return oneSided(SendOpcode.RDMA_WRITE, local, remote, flags);
    }

    /**
     * Prepares an RDMA write that notifies the peer; see {@link QueuePair#tryPostWriteWithImmediate}.
     *
     * @param local the data to write
     * @param remote the destination, at least as long as {@code local}
     * @param immediate any number; {@link PreparedRequest#immediate} changes it
     * @param flags a combination of {@link SendFlags}
     * @return the request, not posted yet
     */
    public PreparedRequest writeWithImmediate(MemorySlice local, RemoteMemory remote, int immediate, int flags) {
        return oneSided(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, local, remote, flags)
                .immediate(immediate);
    }

    private PreparedRequest oneSided(int opcode, MemorySlice local, RemoteMemory remote, int flags) {
        queue.checks().oneSided(opcode, first(local), remote, flags);
        return request(opcode, local, Objects.requireNonNull(remote, "remote memory"), flags);
    }

    /**
     * Prepares an RDMA read; see {@link QueuePair#tryPostRead}.
     *
     * @param local the destination; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote the memory to read, at least as long as {@code local}
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return the request, not posted yet
     */
    public PreparedRequest read(MemorySlice local, RemoteMemory remote, int flags) {
        queue.checks().read(first(local), remote, flags);
        return request(SendOpcode.RDMA_READ, local, Objects.requireNonNull(remote, "remote memory"), flags);
    }

    /**
     * Prepares a send; see {@link QueuePair#tryPostSend(long, MemorySlice, int)}.
     *
     * @param local the message
     * @param flags a combination of {@link SendFlags}
     * @return the request, not posted yet
     */
    public PreparedRequest send(MemorySlice local, int flags) {
        queue.checks().send(SendOpcode.SEND, first(local), flags);
        return request(SendOpcode.SEND, local, null, flags);
    }

    /**
     * Prepares a send with a number that accompanies the message; see
     * {@link QueuePair#tryPostSendWithImmediate(long, MemorySlice, int, int)}.
     *
     * @param local the message
     * @param immediate any number; {@link PreparedRequest#immediate} changes it
     * @param flags a combination of {@link SendFlags}
     * @return the request, not posted yet
     */
    public PreparedRequest sendWithImmediate(MemorySlice local, int immediate, int flags) {
        queue.checks().send(SendOpcode.SEND_WITH_IMMEDIATE, first(local), flags);
        return request(SendOpcode.SEND_WITH_IMMEDIATE, local, null, flags).immediate(immediate);
    }

    /**
     * Prepares a compare-and-swap on eight bytes of the peer; see {@link QueuePair#tryPostCompareAndSwap}.
     *
     * @param previous the destination of the previous value, eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param expected the value to compare with; {@link PreparedRequest#expected} changes it
     * @param newValue the value to store if the comparison holds; {@link PreparedRequest#newValue} changes it
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return the request, not posted yet
     */
    public PreparedRequest compareAndSwap(
            MemorySlice previous, RemoteMemory remote, long expected, long newValue, int flags) {
        return atomic(SendOpcode.COMPARE_AND_SWAP, previous, remote, flags)
                .expected(expected)
                .newValue(newValue);
    }

    /**
     * Prepares a fetch-and-add on eight bytes of the peer; see {@link QueuePair#tryPostFetchAndAdd}.
     *
     * @param previous the destination of the previous value, eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param addend the number to add, wrapping around; {@link PreparedRequest#addend} changes it
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return the request, not posted yet
     */
    public PreparedRequest fetchAndAdd(MemorySlice previous, RemoteMemory remote, long addend, int flags) {
        return atomic(SendOpcode.FETCH_AND_ADD, previous, remote, flags).addend(addend);
    }

    private PreparedRequest atomic(int opcode, MemorySlice previous, RemoteMemory remote, int flags) {
        queue.checks().atomic(opcode, first(previous), remote, flags);
        return request(opcode, previous, Objects.requireNonNull(remote, "remote memory"), flags);
    }

    /** Returns the slice of the first post. */
    private MemorySlice first(MemorySlice local) {
        return length == WHOLE_SLICE ? local : local.slice(0, length);
    }

    /** Creates the request; the arguments were checked. The checks here cannot be turned off. */
    private PreparedRequest request(int opcode, MemorySlice local, RemoteMemory remote, int flags) {
        Checks.operation(queue.checks().type(), opcode);
        queue.requireOperation(opcode, flags);
        queue.checks().requireAddress(destination, sharedReceiveQueue);
        PreparedRequest request =
                new PreparedRequest(queue, arena, opcode, local, first(local).length(), remote, destination, flags);
        return sharedReceiveQueue == PostingChecks.NO_NUMBER
                ? request
                : request.toSharedReceiveQueue(sharedReceiveQueue);
    }

    /** {@return the queue pair of the request} */
    @Override
    public String toString() {
        return "the preparation of a request of " + queue;
    }
}
