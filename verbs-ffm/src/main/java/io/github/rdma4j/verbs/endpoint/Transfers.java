// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.internal.endpoint.protocol.Operation.COMPARE_AND_SWAP;
import static io.github.rdma4j.verbs.internal.endpoint.protocol.Operation.FETCH_AND_ADD;
import static io.github.rdma4j.verbs.internal.endpoint.protocol.Operation.GET;
import static io.github.rdma4j.verbs.internal.endpoint.protocol.Operation.PUT;
import static io.github.rdma4j.verbs.internal.endpoint.protocol.Operation.READ;
import static io.github.rdma4j.verbs.internal.endpoint.protocol.Operation.WRITE;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * One-sided transfers of an {@link Endpoint}, to and from memory that the peer has exposed. The peer's program does not
 * notice them. Over {@link Transport#TCP}, threads inside the peer's endpoint serve them.
 *
 * <p>Each operation has three forms. With a timeout, it waits. {@code …Async} returns a future; {@link Endpoint} says
 * which thread completes it. {@code try…} takes an id of your choice and allocates nothing; {@link #pollTransfers}
 * reports it complete. Transfers and messages are posted in the order of the calls. A transfer that does not fit into
 * the send queue, or follows one that waits, waits for its turn. Reads and atomic operations of one endpoint take
 * effect in order, but a write may overtake an earlier read. Over SRD of an EFA, only transfers of the same bytes take
 * effect in order, and there are no atomic operations. Cancelling a future, or a timeout, before its turn withdraws the
 * transfer.
 *
 * <p>A read that races a write may return a mix of old and new bytes; a {@link SealedBlock} detects this.
 *
 * <p>Do not use the local memory until the transfer completes. A transfer that fails ends the connection, as RDMA does.
 * Mistakes that the handle shows, a missing right or memory that is too short, throw {@link IllegalArgumentException}
 * before anything is posted. Atomic operations change eight bytes at an address that is a multiple of eight, in the
 * byte order of the peer's CPU. They are atomic with respect to each other; {@link
 * io.github.rdma4j.verbs.device.DeviceAttributes#atomicCapability()} says whether they are also atomic with respect to
 * the peer's CPU.
 *
 * <p>On iWARP a write completes when this host's TCP has it. A write that the peer's adapter refuses may therefore
 * succeed, and the connection is lost after it. A read that completes after the write proves that the data is in the
 * peer's memory.
 *
 * <p>Thread safety: any thread may call any method.
 *
 * @since 0.1.0
 */
public final class Transfers {
    private final Engine engine;

    Transfers(Engine engine) {
        this.engine = engine;
    }

    /**
     * Writes, and waits until the data is in the peer's memory; on iWARP until it has left this side.
     *
     * @param local the data, in the endpoint's protection domain
     * @param remote the target, at least as long; bytes after the data stay unchanged
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it does not complete in time
     * @throws WaitInterruptedException if the thread is interrupted; a transfer that has begun continues
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or during the call
     */
    public void write(MemorySlice local, MemoryHandle remote, Duration timeout) {
        await("a write over ", () -> startWrite(local, remote), timeout);
    }

    /**
     * Reads, and waits until the data has arrived.
     *
     * @param local the target; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote the source, exactly as long; {@link MemoryHandle#slice} names a part
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or the lengths
     *     differ
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it does not complete in time
     * @throws WaitInterruptedException if the thread is interrupted; a transfer that has begun continues
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or during the call
     */
    public void read(MemorySlice local, MemoryHandle remote, Duration timeout) {
        await("a read over ", () -> startRead(local, remote), timeout);
    }

    /**
     * Sets eight bytes of the peer to a new value if they hold the expected one, and waits for the answer.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected the value to compare with
     * @param newValue stored if the values are equal
     * @param timeout how long to wait
     * @return the value before; equal to the expected value if it was changed
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, names fewer than
     *     eight bytes, or is not aligned
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it does not complete in time; it may have taken effect
     * @throws WaitInterruptedException if the thread is interrupted; the operation may have taken effect, and its value
     *     is lost
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or during the call
     */
    public long compareAndSwap(MemoryHandle remote, long expected, long newValue, Duration timeout) {
        return await("a compare-and-swap over ", () -> startCompareAndSwap(remote, expected, newValue), timeout);
    }

    /**
     * Adds to eight bytes of the peer, and waits for the answer.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend the number to add, with wrap-around
     * @param timeout how long to wait
     * @return the value before
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, names fewer than
     *     eight bytes, or is not aligned
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it does not complete in time; it may have taken effect
     * @throws WaitInterruptedException if the thread is interrupted; the operation may have taken effect, and its value
     *     is lost
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or during the call
     */
    public long fetchAndAdd(MemoryHandle remote, long addend, Duration timeout) {
        return await("a fetch-and-add over ", () -> startFetchAndAdd(remote, addend), timeout);
    }

    /**
     * Reads eight bytes of the peer, and waits for them; see {@link #read}. Not atomic: a concurrent writer's bytes may
     * be seen in part.
     *
     * @param remote the memory that the offset counts from
     * @param offset in bytes, aligned or not
     * @param timeout how long to wait
     * @return the value, in the byte order of this side's CPU
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}
     * @throws IndexOutOfBoundsException if eight bytes from the offset exceed the memory
     */
    public long getLong(MemoryHandle remote, long offset, Duration timeout) {
        return await("a read over ", () -> startGet(remote.slice(offset, Long.BYTES)), timeout);
    }

    /**
     * Reads four bytes of the peer; see {@link #getLong}.
     *
     * @param remote the memory that the offset counts from
     * @param offset in bytes, aligned or not
     * @param timeout how long to wait
     * @return the value, in the byte order of this side's CPU
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}
     * @throws IndexOutOfBoundsException if four bytes from the offset exceed the memory
     */
    public int getInt(MemoryHandle remote, long offset, Duration timeout) {
        // The low half comes first: all supported architectures are little-endian.
        return (int) (long) await("a read over ", () -> startGet(remote.slice(offset, Integer.BYTES)), timeout);
    }

    /**
     * Writes eight bytes of the peer, and waits until they are there; see {@link #write}. Needs no local memory.
     *
     * @param remote the memory that the offset counts from
     * @param offset in bytes, aligned or not
     * @param value in the byte order of this side's CPU
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}
     * @throws IndexOutOfBoundsException if eight bytes from the offset exceed the memory
     */
    public void putLong(MemoryHandle remote, long offset, long value, Duration timeout) {
        await("a write over ", () -> startPut(remote.slice(offset, Long.BYTES), value), timeout);
    }

    /**
     * Writes four bytes of the peer; see {@link #putLong}.
     *
     * @param remote the memory that the offset counts from
     * @param offset in bytes, aligned or not
     * @param value in the byte order of this side's CPU
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}
     * @throws IndexOutOfBoundsException if four bytes from the offset exceed the memory
     */
    public void putInt(MemoryHandle remote, long offset, int value, Duration timeout) {
        await("a write over ", () -> startPut(remote.slice(offset, Integer.BYTES), value), timeout);
    }

    /**
     * Reads eight bytes; see {@link #getLong}.
     *
     * @param remote the memory that the offset counts from
     * @param offset in bytes, aligned or not
     * @return completes with the value, or exceptionally as {@link #read} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}
     * @throws IndexOutOfBoundsException if eight bytes from the offset exceed the memory
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> getLongAsync(MemoryHandle remote, long offset) {
        return startGet(remote.slice(offset, Long.BYTES));
    }

    /**
     * Writes eight bytes; see {@link #putLong}.
     *
     * @param remote the memory that the offset counts from
     * @param offset in bytes, aligned or not
     * @param value in the byte order of this side's CPU
     * @return completes when the bytes are there, or exceptionally as {@link #write} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}
     * @throws IndexOutOfBoundsException if eight bytes from the offset exceed the memory
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> putLongAsync(MemoryHandle remote, long offset, long value) {
        return startPut(remote.slice(offset, Long.BYTES), value);
    }

    private Promise<Long> startGet(MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_READ, "a read");
        return start(new Promise<>(engine), GET, null, remote, 0, remote.length());
    }

    private Promise<Void> startPut(MemoryHandle remote, long value) {
        remote.require(AccessFlag.REMOTE_WRITE, "a write");
        return start(new Promise<>(engine), PUT, null, remote, value, remote.length());
    }

    /**
     * Starts a transfer and waits until it completes. It starts here because an error before the wait would leave a
     * transfer under way that no one waits for.
     */
    <T> T await(String operation, Supplier<Promise<T>> start, Duration timeout) {
        Promise<T> promise = null;
        Throwable failure;
        T value;
        try {
            Promise<T> begun = start.get();
            promise = begun;
            Boolean done = engine.await(operation + engine, timeout, () -> begun.isDecided() ? Boolean.TRUE : null);
            // A transfer that has not been posted in time is withdrawn.
            failure = done == null && begun.cancel(false)
                    ? new TransferTimeoutException(operation + engine, timeout, engine.whyLate())
                    : begun.decidedFailure();
            value = failure == null ? begun.decidedValue() : null;
        } catch (IllegalStateException e) {
            throw promise != null && promise.isDecided() ? failureOf(promise, e) : e;
        } catch (WaitInterruptedException e) {
            if (promise != null) {
                promise.cancel(false);
            }
            throw e;
        } catch (Error e) {
            // The transfer may be under way, or its value is lost.
            engine.fatalError = e;
            throw e;
        }
        // Not a switch, which may allocate.
        if (failure == null) {
            return value;
        }
        throw failureOf(failure);
    }

    private static RuntimeException failureOf(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known ? known : new CompletionException(failure);
    }

    /** The failure of a transfer that ended before the endpoint was closed takes precedence. */
    private static RuntimeException failureOf(Promise<?> promise, IllegalStateException closed) {
        return promise.decidedFailure() instanceof RuntimeException failure ? failure : closed;
    }

    /**
     * Writes; see {@link #write}. If the send queue is full, the transfer waits for its turn.
     *
     * @param local the data; do not modify it until the future completes
     * @param remote the target, at least as long
     * @return completes when the data is in the peer's memory, on iWARP when it has left this side; exceptionally as
     *     {@link #write} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> writeAsync(MemorySlice local, MemoryHandle remote) {
        return startWrite(local, remote);
    }

    /**
     * Reads; see {@link #read}. If the send queue is full, the transfer waits for its turn.
     *
     * @param local the target; do not use it until the future completes
     * @param remote the source, exactly as long
     * @return completes when the data has arrived; exceptionally as {@link #read} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or the lengths
     *     differ
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> readAsync(MemorySlice local, MemoryHandle remote) {
        return startRead(local, remote);
    }

    /**
     * Compares and swaps; see {@link #compareAndSwap}.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected the value to compare with
     * @param newValue stored if the values are equal
     * @return completes with the value before; exceptionally as {@link #compareAndSwap} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, names fewer than
     *     eight bytes, or is not aligned
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> compareAndSwapAsync(MemoryHandle remote, long expected, long newValue) {
        return startCompareAndSwap(remote, expected, newValue);
    }

    /**
     * Adds; see {@link #fetchAndAdd}.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend the number to add, with wrap-around
     * @return completes with the value before; exceptionally as {@link #fetchAndAdd} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, names fewer than
     *     eight bytes, or is not aligned
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> fetchAndAddAsync(MemoryHandle remote, long addend) {
        return startFetchAndAdd(remote, addend);
    }

    private Promise<Void> startWrite(MemorySlice local, MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_WRITE, "a write");
        return start(new Promise<>(engine), WRITE, local, remote, 0, 0);
    }

    private Promise<Void> startRead(MemorySlice local, MemoryHandle remote) {
        requireReadable(local, remote);
        return start(new Promise<>(engine), READ, local, remote, 0, 0);
    }

    /** A read fetches everything that the handle names, so the local memory must be long enough. */
    private static void requireReadable(MemorySlice local, MemoryHandle remote) {
        remote.require(AccessFlag.REMOTE_READ, "a read");
        if (local.length() < remote.length()) {
            throw new IllegalArgumentException(
                    "a read of %d bytes into %d: give it longer local memory, or a part of the handle (MemoryHandle.slice)"
                            .formatted(remote.length(), local.length()));
        }
    }

    private Promise<Long> startCompareAndSwap(MemoryHandle remote, long expected, long newValue) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a compare-and-swap");
        return start(new Promise<>(engine), COMPARE_AND_SWAP, null, remote, expected, newValue);
    }

    private Promise<Long> startFetchAndAdd(MemoryHandle remote, long addend) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a fetch-and-add");
        return start(new Promise<>(engine), FETCH_AND_ADD, null, remote, addend, 0);
    }

    private <T> Promise<T> start(
            Promise<T> promise,
            Operation operation,
            MemorySlice local,
            MemoryHandle remote,
            long operand,
            long newValue) {
        engine.enter();
        try {
            engine.requireOpen();
            engine.progress();
            engine.protocol().transferAsync(promise, operation, local, remote.memory(), operand, newValue);
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit(promise);
        }
        return promise;
    }

    /**
     * Posts a write if the send queue is not full; {@link #pollTransfers} reports it complete.
     *
     * @param id passed to the {@link TransferHandler}
     * @param local the data; do not modify it until the transfer completes
     * @param remote the target, at least as long
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
     * Posts a read if the send queue is not full; {@link #pollTransfers} reports it complete.
     *
     * @param id passed to the {@link TransferHandler}
     * @param local the target; do not use it until the transfer completes
     * @param remote the source, exactly as long
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or the lengths
     *     differ
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryRead(long id, MemorySlice local, MemoryHandle remote) {
        requireReadable(local, remote);
        return tryStart(id, READ, local, remote, 0, 0);
    }

    /**
     * Posts a compare-and-swap if the send queue is not full; {@link #pollTransfers} reports it complete.
     *
     * @param id passed to the {@link TransferHandler}
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected the value to compare with
     * @param newValue stored if the values are equal
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, names fewer than
     *     eight bytes, or is not aligned
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryCompareAndSwap(long id, MemoryHandle remote, long expected, long newValue) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a compare-and-swap");
        return tryStart(id, COMPARE_AND_SWAP, null, remote, expected, newValue);
    }

    /**
     * Posts an addition if the send queue is not full; {@link #pollTransfers} reports it complete.
     *
     * @param id passed to the {@link TransferHandler}
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend the number to add, with wrap-around
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, names fewer than
     *     eight bytes, or is not aligned
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryFetchAndAdd(long id, MemoryHandle remote, long addend) {
        remote.require(AccessFlag.REMOTE_ATOMIC, "a fetch-and-add");
        return tryStart(id, FETCH_AND_ADD, null, remote, addend, 0);
    }

    private int tryStart(
            long id, Operation operation, MemorySlice local, MemoryHandle remote, long operand, long newValue) {
        engine.enter();
        try {
            engine.requireOpen();
            return engine.tryTransfer(id, operation, local, remote.memory(), operand, newValue);
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Makes progress and reports completed transfers with an id to a handler, in this thread. Never waits. A transfer
     * keeps its slot in the send queue until it has been reported.
     *
     * @param handler called for each transfer, in the order of completion
     * @return how many were reported
     * @throws IllegalStateException if the endpoint is closed
     */
    public int pollTransfers(TransferHandler handler) {
        return deliverAll(0, handler);
    }

    private int deliverAll(int before, TransferHandler handler) {
        int count = before;
        while (true) {
            long id;
            long previous;
            RuntimeException failure;
            engine.enter();
            try {
                if (count == 0) {
                    engine.requireOpen();
                } else if (engine.isClosing()) {
                    // The handler closed this endpoint.
                    return count;
                }
                Protocol protocol = engine.protocol();
                int slot = protocol.takeDone();
                if (slot < 0 && count == 0) {
                    engine.progress();
                    slot = protocol.takeDone();
                }
                if (slot < 0) {
                    return count;
                }
                id = protocol.slots().id(slot);
                previous = protocol.resultOf(slot);
                failure = protocol.slots().failure(slot);
                protocol.releaseDone(slot);
            } catch (Error e) {
                engine.fatalError = e;
                throw e;
            } finally {
                engine.exit();
            }
            handler.onTransfer(id, previous, failure);
            count++;
        }
    }

    private record Done(long id, long previous, RuntimeException failure) {}

    /**
     * Waits until a transfer with an id completes, and reports all completed ones to a handler; see {@link
     * #pollTransfers}.
     *
     * @param handler called for each transfer
     * @param timeout how long to wait; zero or less does not wait
     * @return how many were reported; 0 on timeout
     * @throws ClosedByPeerException if the peer has closed and no transfer with an id is under way
     * @throws ConnectionLostException if the connection is lost and no transfer with an id is under way
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the endpoint is closed, before or during the call
     */
    public int awaitTransfers(TransferHandler handler, Duration timeout) {
        String operation = "waiting for a transfer of " + engine;
        Protocol protocol = engine.protocol();
        Done first = engine.await(operation, timeout, () -> {
            int slot = protocol.takeDone();
            if (slot < 0) {
                if (protocol.hasEndedPolling()) {
                    throw protocol.ended(operation);
                }
                protocol.awaitEnds();
                return null;
            }
            Done done = new Done(
                    protocol.slots().id(slot),
                    protocol.resultOf(slot),
                    protocol.slots().failure(slot));
            protocol.releaseDone(slot);
            return done;
        });
        if (first == null) {
            return 0;
        }
        handler.onTransfer(first.id, first.previous, first.failure);
        return deliverAll(1, handler);
    }
}
