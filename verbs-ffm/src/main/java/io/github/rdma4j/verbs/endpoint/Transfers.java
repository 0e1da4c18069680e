// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.endpoint.Sender.Operation.COMPARE_AND_SWAP;
import static io.github.rdma4j.verbs.endpoint.Sender.Operation.FETCH_AND_ADD;
import static io.github.rdma4j.verbs.endpoint.Sender.Operation.READ;
import static io.github.rdma4j.verbs.endpoint.Sender.Operation.WRITE;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemorySlice;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One-sided transfers of an {@link Endpoint}: to and from memory that the peer has exposed. The peer's program does not notice them.
 *
 * <p>Each comes in three forms. With a timeout: it waits. {@code …Async}: a future, see {@link Endpoint} for which thread completes
 * it. {@code try…} with an id of the program's choice: nothing is allocated, and {@link #pollTransfers} tells when it is done.
 * All are posted in the order of the calls; reads and atomics of one endpoint take effect in that order, but a write may
 * overtake an earlier read.
 *
 * <p>Until a transfer is done, the local memory belongs to the adapter. A transfer that fails takes the connection with it: that is how
 * RDMA works. What the handle itself shows to be wrong, a missing right or too short a memory, is an
 * {@link IllegalArgumentException} before anything happens. Atomic operations work on eight bytes at a multiple of eight, in the byte
 * order of the peer's processor, and are atomic among each other; whether also with the peer's processor, tells
 * {@link io.github.rdma4j.verbs.DeviceAttributes#atomicCapability()}.
 *
 * <p>Thread safety: as of the endpoint.
 */
public final class Transfers {
    private final Engine engine;

    Transfers(Engine engine) {
        this.engine = engine;
    }

    /**
     * Writes, and waits until the data is in the peer's memory.
     *
     * @param local what to write, of the endpoint's protection domain
     * @param remote where to; at least as long
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public void write(MemorySlice local, MemoryHandle remote, Duration timeout) {
        await("a write over ", writeAsync(local, remote), timeout);
    }

    /**
     * Reads, and waits until the data is here.
     *
     * @param local where to; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote what to read; at least as long
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or is too short
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public void read(MemorySlice local, MemoryHandle remote, Duration timeout) {
        await("a read over ", readAsync(local, remote), timeout);
    }

    /**
     * If eight bytes of the peer hold the expected value, sets them to the new one; waits for the answer.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @param timeout how long to wait
     * @return the value before; the expected one if it was changed
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a place
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time; it may have taken effect
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public long compareAndSwap(MemoryHandle remote, long expected, long newValue, Duration timeout) {
        return await("a compare-and-swap over ", compareAndSwapAsync(remote, expected, newValue), timeout);
    }

    /**
     * Adds to eight bytes of the peer, and waits for the answer.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend is added, wrapping around
     * @param timeout how long to wait
     * @return the value before
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a place
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time; it may have taken effect
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public long fetchAndAdd(MemoryHandle remote, long addend, Duration timeout) {
        return await("a fetch-and-add over ", fetchAndAddAsync(remote, addend), timeout);
    }

    private <T> T await(String operation, CompletableFuture<T> future, Duration timeout) {
        Boolean done;
        try {
            done = engine.await(operation + engine, timeout, () -> future.isDone() ? Boolean.TRUE : null);
        } catch (IllegalStateException e) {
            throw future.isDone() ? failureOf(future, e) : e;
        }
        if (done == null) {
            throw new TransferTimeoutException(operation + engine, timeout);
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** What a transfer that ended before the endpoint was closed has to say comes first. */
    private static RuntimeException failureOf(CompletableFuture<?> future, IllegalStateException closed) {
        return future.isCompletedExceptionally() && future.exceptionNow() instanceof RuntimeException failure
                ? failure
                : closed;
    }

    /**
     * Writes; see {@link #write}. A transfer for which the send queue has no room waits its turn.
     *
     * @param local what to write; it belongs to the adapter until the future is complete
     * @param remote where to; at least as long
     * @return complete when the data is in the peer's memory; exceptionally with what {@link #write} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> writeAsync(MemorySlice local, MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_WRITE, "a write");
        return start(new CompletableFuture<>(), WRITE, local, remote, 0, 0);
    }

    /**
     * Reads; see {@link #read}. A transfer for which the send queue has no room waits its turn.
     *
     * @param local where to; it belongs to the adapter until the future is complete
     * @param remote what to read; at least as long
     * @return complete when the data is here; exceptionally with what {@link #read} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or is too short
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> readAsync(MemorySlice local, MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_READ, "a read");
        return start(new CompletableFuture<>(), READ, local, remote, 0, 0);
    }

    /**
     * Compares and swaps; see {@link #compareAndSwap}.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @return complete with the value before; exceptionally with what {@link #compareAndSwap} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a place
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> compareAndSwapAsync(MemoryHandle remote, long expected, long newValue) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a compare-and-swap");
        return start(new CompletableFuture<>(), COMPARE_AND_SWAP, null, remote, expected, newValue);
    }

    /**
     * Adds; see {@link #fetchAndAdd}.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend is added, wrapping around
     * @return complete with the value before; exceptionally with what {@link #fetchAndAdd} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a place
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> fetchAndAddAsync(MemoryHandle remote, long addend) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a fetch-and-add");
        return start(new CompletableFuture<>(), FETCH_AND_ADD, null, remote, addend, 0);
    }

    private <T> CompletableFuture<T> start(
            CompletableFuture<T> future,
            Sender.Operation operation,
            MemorySlice local,
            MemoryHandle remote,
            long operand,
            long newValue) {
        engine.enter();
        try {
            engine.requireOpen();
            engine.sender.transferAsync(future, operation, local, remote.memory(), operand, newValue);
        } finally {
            engine.exit();
        }
        return future;
    }

    /**
     * Writes, if there is room in the send queue; {@link #pollTransfers} tells when it is done.
     *
     * @param id any number
     * @param local what to write; it belongs to the adapter until the transfer is done
     * @param remote where to; at least as long
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryWrite(long id, MemorySlice local, MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_WRITE, "a write");
        return tryStart(id, WRITE, local, remote, 0, 0);
    }

    /**
     * Reads, if there is room in the send queue; {@link #pollTransfers} tells when it is done.
     *
     * @param id any number
     * @param local where to; it belongs to the adapter until the transfer is done
     * @param remote what to read; at least as long
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or is too short
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryRead(long id, MemorySlice local, MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_READ, "a read");
        return tryStart(id, READ, local, remote, 0, 0);
    }

    /**
     * Compares and swaps, if there is room in the send queue; {@link #pollTransfers} tells when it is done.
     *
     * @param id any number
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a place
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryCompareAndSwap(long id, MemoryHandle remote, long expected, long newValue) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a compare-and-swap");
        return tryStart(id, COMPARE_AND_SWAP, null, remote, expected, newValue);
    }

    /**
     * Adds, if there is room in the send queue; {@link #pollTransfers} tells when it is done.
     *
     * @param id any number
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend is added, wrapping around
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a place
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryFetchAndAdd(long id, MemoryHandle remote, long addend) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a fetch-and-add");
        return tryStart(id, FETCH_AND_ADD, null, remote, addend, 0);
    }

    private int tryStart(
            long id, Sender.Operation operation, MemorySlice local, MemoryHandle remote, long operand, long newValue) {
        engine.enter();
        try {
            engine.requireOpen();
            return engine.sender.tryTransfer(id, operation, local, remote.memory(), operand, newValue);
        } finally {
            engine.exit();
        }
    }

    /**
     * Makes progress, and tells a handler of the transfers with an id that are done, in this thread. Never waits. A transfer keeps its
     * place in the send queue until the handler has been told.
     *
     * @param handler is told of each, in the order in which they were done
     * @return how many there were
     * @throws IllegalStateException if the endpoint is closed
     */
    public int pollTransfers(TransferHandler handler) {
        int count = 0;
        while (true) {
            long id;
            long original;
            RuntimeException failure;
            engine.enter();
            try {
                if (count == 0) {
                    engine.requireOpen();
                    engine.progress();
                }
                int slot = engine.slots.takeDone();
                if (slot < 0) {
                    return count;
                }
                id = engine.slots.id(slot);
                original = engine.slots.result(slot);
                failure = engine.slots.failure(slot);
                engine.slots.release(slot);
            } finally {
                engine.exit();
            }
            handler.onTransfer(id, original, failure);
            count++;
        }
    }

    /**
     * Waits until a transfer with an id is done, and tells a handler of all that are; see {@link #pollTransfers}.
     *
     * @param handler is told of each
     * @param timeout how long to wait; zero or less only looks
     * @return how many there were; 0 after the time
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public int awaitTransfers(TransferHandler handler, Duration timeout) {
        Boolean some = engine.await(
                "waiting for a transfer of " + engine, timeout, () -> engine.slots.hasDone() ? Boolean.TRUE : null);
        return some == null ? 0 : pollTransfers(handler);
    }
}
