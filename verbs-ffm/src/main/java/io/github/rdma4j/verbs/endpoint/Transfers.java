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
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * One-sided transfers of an {@link Endpoint}: to and from memory that the peer has exposed. The peer's program does not
 * notice them; over {@link Transport#TCP} its threads serve them whenever they are inside its endpoint.
 *
 * <p>Each comes in three forms. With a timeout: it waits. {@code …Async}: a future, see {@link Endpoint} for which
 * thread completes it. {@code try…} with an id of the program's choice: nothing is allocated, and {@link
 * #pollTransfers} tells when it is done. All are posted in the order of the calls, together with messages; one that has
 * no room, or comes after one that waits, waits, and takes its turn. Reads and atomics of one endpoint take effect in
 * that order, but a write may overtake an earlier read. A future that is cancelled, or times out, before its turn takes
 * the transfer back.
 *
 * <p>A read of memory that is written meanwhile may bring a part of the old and a part of the new, which a {@link
 * SealedBlock} tells.
 *
 * <p>Until a transfer is done, the local memory belongs to the adapter. A transfer that fails takes the connection with
 * it: that is how RDMA works. What the handle itself shows to be wrong, a missing right or too short a memory, is an
 * {@link IllegalArgumentException} before anything happens. Atomic operations work on eight bytes at a multiple of
 * eight, in the byte order of the peer's processor, and are atomic among each other; whether also with the peer's
 * processor, tells {@link io.github.rdma4j.verbs.device.DeviceAttributes#atomicCapability()}.
 *
 * <p>On iWARP a write is done when this host's TCP has it. So one that the peer's adapter refuses may end well, and the
 * connection is lost behind it. A read behind the write, when it is done, shows that the data is in the peer's memory.
 *
 * <p>Thread safety: as of the endpoint.
 *
 * @since 0.1.0
 */
public final class Transfers {
    private final Engine engine;

    Transfers(Engine engine) {
        this.engine = engine;
    }

    /**
     * Writes, and waits until the data is in the peer's memory; on iWARP until it is on its way there.
     *
     * @param local what to write, of the endpoint's protection domain
     * @param remote where to; at least as long. What lies behind the length of the local memory stays as it is
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time
     * @throws WaitInterruptedException if the thread is interrupted; if it had begun, it goes on
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public void write(MemorySlice local, MemoryHandle remote, Duration timeout) {
        await("a write over ", () -> startWrite(local, remote), timeout);
    }

    /**
     * Reads, and waits until the data is here.
     *
     * @param local where to; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote what to read; exactly as long: {@link MemoryHandle#slice} names a part
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or the lengths
     * differ
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time
     * @throws WaitInterruptedException if the thread is interrupted; if it had begun, it goes on
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public void read(MemorySlice local, MemoryHandle remote, Duration timeout) {
        await("a read over ", () -> startRead(local, remote), timeout);
    }

    /**
     * If eight bytes of the peer hold the expected value, sets them to the new one; waits for the answer.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @param timeout how long to wait
     * @return the value before; the expected one if it was changed
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a
     *     place
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time; it may have taken effect
     * @throws WaitInterruptedException if the thread is interrupted; it may have taken effect, and its value is lost
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public long compareAndSwap(MemoryHandle remote, long expected, long newValue, Duration timeout) {
        return await("a compare-and-swap over ", () -> startCompareAndSwap(remote, expected, newValue), timeout);
    }

    /**
     * Adds to eight bytes of the peer, and waits for the answer.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend is added, wrapping around
     * @param timeout how long to wait
     * @return the value before
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a
     *     place
     * @throws TransferException if the transfer fails
     * @throws TransferTimeoutException if it is not done in time; it may have taken effect
     * @throws WaitInterruptedException if the thread is interrupted; it may have taken effect, and its value is lost
     * @throws ConnectionLostException if the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
     */
    public long fetchAndAdd(MemoryHandle remote, long addend, Duration timeout) {
        return await("a fetch-and-add over ", () -> startFetchAndAdd(remote, addend), timeout);
    }

    /**
     * Reads eight bytes of the peer, and waits for them; see {@link #read}. Not atomic beside other writers, whose
     * bytes may be seen in part.
     *
     * @param remote what the offset counts from
     * @param offset in bytes; any
     * @param timeout how long to wait
     * @return the value, in the byte order of this side's processor
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}
     * @throws IndexOutOfBoundsException if eight bytes from the offset on do not lie within the memory
     */
    public long getLong(MemoryHandle remote, long offset, Duration timeout) {
        return await("a read over ", () -> startGet(remote.slice(offset, Long.BYTES)), timeout);
    }

    /**
     * Reads four bytes of the peer; see {@link #getLong}.
     *
     * @param remote what the offset counts from
     * @param offset in bytes; any
     * @param timeout how long to wait
     * @return the value, in the byte order of this side's processor
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}
     * @throws IndexOutOfBoundsException if four bytes from the offset on do not lie within the memory
     */
    public int getInt(MemoryHandle remote, long offset, Duration timeout) {
        // The low half comes first: all architectures that this library runs on are little-endian.
        return (int) (long) await("a read over ", () -> startGet(remote.slice(offset, Integer.BYTES)), timeout);
    }

    /**
     * Writes eight bytes of the peer, and waits until they are there; see {@link #write}. Needs no memory of the
     * program.
     *
     * @param remote what the offset counts from
     * @param offset in bytes; any
     * @param value in the byte order of this side's processor
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}
     * @throws IndexOutOfBoundsException if eight bytes from the offset on do not lie within the memory
     */
    public void putLong(MemoryHandle remote, long offset, long value, Duration timeout) {
        await("a write over ", () -> startPut(remote.slice(offset, Long.BYTES), value), timeout);
    }

    /**
     * Writes four bytes of the peer; see {@link #putLong}.
     *
     * @param remote what the offset counts from
     * @param offset in bytes; any
     * @param value in the byte order of this side's processor
     * @param timeout how long to wait
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}
     * @throws IndexOutOfBoundsException if four bytes from the offset on do not lie within the memory
     */
    public void putInt(MemoryHandle remote, long offset, int value, Duration timeout) {
        await("a write over ", () -> startPut(remote.slice(offset, Integer.BYTES), value), timeout);
    }

    /**
     * Reads eight bytes; see {@link #getLong}.
     *
     * @param remote what the offset counts from
     * @param offset in bytes; any
     * @return complete with the value; exceptionally with what {@link #read} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}
     * @throws IndexOutOfBoundsException if eight bytes from the offset on do not lie within the memory
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> getLongAsync(MemoryHandle remote, long offset) {
        return startGet(remote.slice(offset, Long.BYTES));
    }

    /**
     * Writes eight bytes; see {@link #putLong}.
     *
     * @param remote what the offset counts from
     * @param offset in bytes; any
     * @param value in the byte order of this side's processor
     * @return complete when they are there; exceptionally with what {@link #write} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}
     * @throws IndexOutOfBoundsException if eight bytes from the offset on do not lie within the memory
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
     * Begins a transfer and waits for its end. It begins in here: an error behind that would otherwise leave a transfer
     * under way whose end nobody takes.
     */
    <T> T await(String operation, Supplier<Promise<T>> start, Duration timeout) {
        Promise<T> promise = null;
        Throwable failure;
        T value;
        try {
            Promise<T> begun = start.get();
            promise = begun;
            Boolean done = engine.await(operation + engine, timeout, () -> begun.isDecided() ? Boolean.TRUE : null);
            // What has not been posted in time never is.
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
            engine.interrupted = e;
            throw e;
        }
        // Not by a switch, which may allocate.
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

    /** What a transfer that ended before the endpoint was closed has to say comes first. */
    private static RuntimeException failureOf(Promise<?> promise, IllegalStateException closed) {
        return promise.decidedFailure() instanceof RuntimeException failure ? failure : closed;
    }

    /**
     * Writes; see {@link #write}. A transfer for which the send queue has no room waits its turn.
     *
     * @param local what to write; it belongs to the adapter until the future is complete
     * @param remote where to; at least as long
     * @return complete when the data is in the peer's memory, on iWARP on its way there; exceptionally with what {@link
     *     #write} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_WRITE}, or is too short
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> writeAsync(MemorySlice local, MemoryHandle remote) {
        return startWrite(local, remote);
    }

    /**
     * Reads; see {@link #read}. A transfer for which the send queue has no room waits its turn.
     *
     * @param local where to; it belongs to the adapter until the future is complete
     * @param remote what to read; exactly as long
     * @return complete when the data is here; exceptionally with what {@link #read} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or the lengths
     * differ
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Void> readAsync(MemorySlice local, MemoryHandle remote) {
        return startRead(local, remote);
    }

    /**
     * Compares and swaps; see {@link #compareAndSwap}.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @return complete with the value before; exceptionally with what {@link #compareAndSwap} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a
     *     place
     * @throws IllegalStateException if the endpoint is closed
     */
    public CompletableFuture<Long> compareAndSwapAsync(MemoryHandle remote, long expected, long newValue) {
        return startCompareAndSwap(remote, expected, newValue);
    }

    /**
     * Adds; see {@link #fetchAndAdd}.
     *
     * @param remote at least eight bytes, at a multiple of eight
     * @param addend is added, wrapping around
     * @return complete with the value before; exceptionally with what {@link #fetchAndAdd} throws
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a
     *     place
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

    /** A read fetches all that the handle names, and so needs memory for it. */
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
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit(promise);
        }
        return promise;
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
     * @param remote what to read; exactly as long
     * @return {@link Endpoint#OK}, {@link Endpoint#QUEUE_FULL} or {@link Endpoint#CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_READ}, or the lengths
     * differ
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if the endpoint is closed
     */
    public int tryRead(long id, MemorySlice local, MemoryHandle remote) {
        requireReadable(local, remote);
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
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a
     *     place
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
     * @throws IllegalArgumentException if the handle does not grant {@link AccessFlag#REMOTE_ATOMIC}, or is not such a
     *     place
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
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Makes progress, and tells a handler of the transfers with an id that are done, in this thread. Never waits. A
     * transfer keeps its place in the send queue until the handler has been told.
     *
     * @param handler is told of each, in the order in which they were done
     * @return how many there were
     * @throws IllegalStateException if the endpoint is closed
     */
    public int pollTransfers(TransferHandler handler) {
        return tellAll(0, handler);
    }

    private int tellAll(int before, TransferHandler handler) {
        int count = before;
        while (true) {
            long id;
            long original;
            RuntimeException failure;
            engine.enter();
            try {
                if (count == 0) {
                    engine.requireOpen();
                } else if (engine.isClosing()) {
                    // The handler has closed this endpoint.
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
                original = protocol.resultOf(slot);
                failure = protocol.slots().failure(slot);
                protocol.releaseDone(slot);
            } catch (Error e) {
                engine.interrupted = e;
                throw e;
            } finally {
                engine.exit();
            }
            handler.onTransfer(id, original, failure);
            count++;
        }
    }

    private record Done(long id, long original, RuntimeException failure) {}

    /**
     * Waits until a transfer with an id is done, and tells a handler of all that are; see {@link #pollTransfers}.
     *
     * @param handler is told of each
     * @param timeout how long to wait; zero or less only looks
     * @return how many there were; 0 after the time
     * @throws ClosedByPeerException if the peer has closed and nothing with an id is under way
     * @throws ConnectionLostException if the connection is lost and nothing with an id is under way
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if the endpoint is closed, before or meanwhile
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
        handler.onTransfer(first.id, first.original, first.failure);
        return tellAll(1, handler);
    }
}
