// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.github.rdma4j.verbs.endpoint.OutgoingMessage;
import io.github.rdma4j.verbs.internal.BiasedLock;
import io.github.rdma4j.verbs.internal.CarrierTurn;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.StackReserve;
import io.github.rdma4j.verbs.internal.endpoint.promise.Progress;
import io.github.rdma4j.verbs.internal.endpoint.promise.ProgressFuture;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The threads' side of an endpoint: it lets the program's threads drive {@link Protocol}, a state machine without
 * threads. It holds the lock, lets threads without work sleep, and completes promises. No handler and no callback runs
 * with the lock held. A method whose comment says "with the lock held" is called between {@link #enter} and {@link
 * #exit}, all others outside.
 *
 * <p>With the lock held, the protocol <em>decides</em> a promise, which fixes its result. After the lock is released,
 * the engine <em>completes</em> it, which runs what the program has chained to it.
 *
 * <p>Of several waiting threads, one sleeps on the {@link EndpointTransport}, and the others on a
 * condition until something changes. A thread that changes something wakes them all when it releases the lock; {@link
 * Protocol#changes} counts the changes.
 */
public final class Engine implements Progress {
    /** Instead of the index of a buffer: there is no message. */
    public static final int NO_MESSAGE = -1;

    /** The reason for a lost connection if polling this side's adapter fails; the failure follows. */
    public static final String ADAPTER_FAILED = "this side's adapter no longer answers: ";

    /** Empty polls between two checks of the connection. A check costs system calls. */
    private static final int IDLE_POLLS_PER_CHECK = 256;

    /** The most polls before a check, so that a peer that sends all the time cannot delay it. */
    private static final int MAX_POLLS_BEFORE_CHECK = 8;

    /** The least time for the close message, even if the program's timeout has passed. */
    private static final long CLOSE_MESSAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final BiasedLock lock = new BiasedLock();
    private final EndpointTransport transport;
    private final Protocol protocol;
    private final Waiters waiters;
    private final Completer completer;
    private final EngineWaits waits;
    private final EngineVisits visits;
    private boolean closing;
    /** Where the endpoint was closed; null before the close, and if locations are not recorded. */
    private volatile ClosePlace closePlace;

    /** The connection has ended by {@link #close} or {@link #abort}: nothing completes any more. */
    private boolean destroyed;
    /** Events are no longer processed: the endpoint was closed, or an error left it in an unknown state. */
    private boolean eventsStopped;
    /**
     * The first error that interrupted a method of the endpoint. The state is unknown after it, so the connection is
     * lost as soon as possible. This is a field because a catch clause can set it without a call: after a {@link
     * StackOverflowError} the stack may have no space for a call. Some clauses set it without the lock; another thread
     * may then see it late, and loses the connection in a later call.
     */
    public Error fatalError;
    /** How many buffers of received and of claimed messages the program holds. */
    private int buffersOut;

    private int idlePolls;

    private final CarrierTurn turn = new CarrierTurn();

    public Engine(EndpointTransport transport, Protocol protocol, SpinTime spinTime) {
        this.transport = transport;
        this.protocol = protocol;
        this.waiters = new Waiters(lock, transport, protocol);
        this.completer = new Completer(lock, protocol, waiters::announce);
        this.waits = new EngineWaits(this, lock, transport, spinTime, waiters, completer);
        this.visits = new EngineVisits(this, transport, waiters);
        transport.gather(this::flush);
    }

    /**
     * Sends what the transport has gathered or held back. Called by the thread of {@link MessageFlusher}, which all
     * endpoints share, so it does not wait for the lock, and only records an error: the next {@link #enter()} loses
     * this connection, and the thread continues with the others. Returns false if another thread has the lock.
     */
    private boolean flush() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            if (!destroyed) {
                transport.flush();
            }
            return true;
        } catch (RuntimeException e) {
            // The next poll fails in the same way, in a thread of the program.
            return true;
        } catch (Error e) {
            fatalError = e;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Used with the lock held. */
    public Protocol protocol() {
        return protocol;
    }

    /** Used with the lock held. */
    public EndpointTransport transport() {
        return transport;
    }

    /** For a selector; called without the lock. */
    public EngineVisits visits() {
        return visits;
    }

    /**
     * Takes the lock; {@link #exit()} must follow in a finally clause. If an error interrupted an earlier call, loses
     * the connection first.
     *
     * @throws StackOverflowError without the lock, if little of the stack is left
     */
    public void enter() {
        StackReserve.require(transport);
        lock.lock();
        if (fatalError != null) {
            try {
                loseAfterError();
            } catch (Throwable e) {
                lock.unlock();
                throw e;
            }
        }
    }

    /**
     * Loses the connection if {@link #fatalError} is set, unless the protocol knows that the error changed nothing.
     * With the lock held.
     */
    void loseAfterError() {
        Error error = fatalError;
        if (error != null) {
            waiters.stopLeadingIfLeft();
            // False if the error changed nothing: events then continue.
            eventsStopped |= !destroyed && protocol.interrupted(error);
            // Another thread may have set a later error without the lock: keep that for the next call.
            if (fatalError == error) {
                fatalError = null;
            }
        }
    }

    /** Releases the lock, wakes threads that wait for a change, and completes the promises that are decided. */
    public void exit() {
        exit(null, false);
    }

    /**
     * Releases the lock, and completes the promises that are decided, except the one that the caller is about to
     * return: a later call completes it. Otherwise a program that chains such calls would nest its callbacks ever
     * deeper.
     */
    public void exit(Promise<?> own) {
        exit(own, false);
    }

    /** Releases the lock at the end of {@link EngineVisits#visit}, without waking the selector that calls it. */
    void exitVisit() {
        exit(null, true);
    }

    private void exit(Promise<?> own, boolean bySelector) {
        try {
            boolean turnIsOver;
            boolean more;
            try {
                loseAfterError();
                if (bySelector) {
                    waiters.announceBySelector();
                } else {
                    waiters.announce();
                }
                turnIsOver = turn.isOver();
                more = turnIsOver || !protocol.decisions().isEmpty();
            } finally {
                lock.unlock();
            }
            // Most calls have nothing to complete, and pay for this one check.
            if (more) {
                completer.complete(own, 0);
                if (turnIsOver) {
                    CarrierTurn.pass();
                }
            }
        } catch (Error e) {
            fatalError = e;
            throw e;
        }
    }

    /**
     * Counts a call. Returns whether the calling virtual thread should now let others {@linkplain CarrierTurn#pass
     * run}. With the lock held.
     */
    boolean isTurnOver() {
        return turn.isOver() && Thread.currentThread().isVirtual();
    }

    /**
     * Makes progress if a send was refused with this code, because a credit or a free slot is missing. Returns true if
     * it was: the caller then sends once more. With the lock held.
     */
    public boolean progressIfRefused(int code) {
        boolean refused = code == Protocol.NO_CREDIT || code == Protocol.QUEUE_FULL;
        if (refused) {
            progress();
        }
        return refused;
    }

    /** Posts a transfer whose completion is polled, or returns the reason why not. With the lock held. */
    public int tryTransfer(
            long id, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        int code = protocol.tryTransfer(id, operation, local, remote, operand, newValue);
        return progressIfRefused(code) ? protocol.tryTransfer(id, operation, local, remote, operand, newValue) : code;
    }

    /** Queries the link, unless it is closed. */
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        enter();
        try {
            return destroyed ? Optional.empty() : transport.ask(question);
        } finally {
            exit();
        }
    }

    /** Returns why posted requests are late, or null if the transport has no reason. */
    public String whyLate() {
        enter();
        try {
            return destroyed ? null : transport.whyLate();
        } finally {
            exit();
        }
    }

    /** With the lock held. */
    public boolean isClosing() {
        return closing;
    }

    /** Returns the view of a taken message for a handler. If this fails, the message stays for the next call. */
    public Message message(int buffer) {
        try {
            return ACCESS.of(transport.message(buffer, protocol.length(buffer)), this, buffer);
        } catch (Throwable e) {
            // For example OutOfMemoryError: without this the message would be lost.
            enter();
            try {
                putBack(buffer, e);
            } catch (Error inPutBack) {
                fatalError = inPutBack;
                throw inPutBack;
            } finally {
                exit();
            }
            throw e;
        }
    }

    /** Puts a taken message back; the failure then does not cost the connection. With the lock held. */
    private void putBack(int buffer, Throwable failure) {
        if (countRelease()) {
            protocol.putBack(buffer);
        }
        protocol.markHarmless(failure);
    }

    /** Throws if the program has closed the endpoint. With the lock held. */
    public void requireOpen() {
        if (closing) {
            throw new IllegalStateException(this + " is closed", closePlace);
        }
    }

    /** Whether the connection has ended by a close or an abort; a wait then returns null. With the lock held. */
    boolean isDestroyed() {
        return destroyed;
    }

    public boolean isOpen() {
        enter();
        try {
            return !closing;
        } finally {
            exit();
        }
    }

    /** Makes progress unless that is most likely a system call for nothing. With the lock held. */
    public void progressIfDue() {
        if (transport.isPollDue(System.nanoTime(), false)) {
            progress();
        }
    }

    /**
     * Makes progress without waiting. If polling fails, {@linkplain #lose loses} the connection. With the lock held.
     *
     * @return how many events were taken in; 0 if polling failed and the connection manager has the reason
     * @throws VerbsException if polling failed and the connection manager has no reason
     */
    public int progress() {
        try {
            return takeIn();
        } catch (VerbsException e) {
            lose(e);
            return 0;
        }
    }

    /** Polls the transport and passes the events to the protocol. With the lock held. */
    int takeIn() {
        if (eventsStopped) {
            failAfterGrace();
            return 0;
        }
        int total;
        try {
            total = transport.poll(protocol);
        } catch (VerbsException e) {
            // A program must see that the connection is lost, not this failure, so that it can close the endpoint.
            if (protocol.isOpen()) {
                throw e;
            }
            total = 0;
        } finally {
            protocol.settle();
        }
        if (total > 0) {
            idlePolls = 0;
        } else if (++idlePolls >= IDLE_POLLS_PER_CHECK) {
            idlePolls = 0;
            checkConnection();
        }
        return total;
    }

    /** Whether events are no longer processed. With the lock held. */
    boolean areEventsStopped() {
        return eventsStopped;
    }

    /** Fails pending requests when their grace period is over: until then the adapter may still use their memory. */
    private void failAfterGrace() {
        if (!destroyed) {
            protocol.checkTimeouts(System.nanoTime());
            protocol.settle();
        }
    }

    /**
     * Makes progress, and queries the connection manager. Over TCP the end of the connection follows the last bytes, so
     * this method reads until it finds the end, but only a few times if the peer sends all the time. With the lock
     * held.
     */
    public void progressAndCheckConnection() {
        int readings = 0;
        while (progress() > 0 && readings < MAX_POLLS_BEFORE_CHECK) {
            readings++;
        }
        checkConnectionOrLose();
    }

    /** Checks the connection. {@linkplain #lose Loses} it if the adapter does not answer. With the lock held. */
    void checkConnectionOrLose() {
        try {
            checkConnection();
        } catch (VerbsException e) {
            lose(e);
        }
    }

    /**
     * Checks whether the connection manager has reported the end, and whether a timeout has passed. With the lock held.
     *
     * @throws VerbsException if the connection manager cannot be queried
     */
    void checkConnection() {
        String reason = transport.lost();
        if (reason != null) {
            takeRemainingEvents();
            protocol.linkLost(reason);
        }
        protocol.checkTimeouts(System.nanoTime());
        protocol.settle();
    }

    /** Takes in everything that arrived before the end. */
    private void takeRemainingEvents() {
        if (eventsStopped) {
            return;
        }
        try {
            transport.poll(protocol);
        } catch (VerbsException _) {
            // The connection has ended for a known reason, and a lost device has nothing more to deliver.
        }
    }

    /**
     * Handles a failure of the adapter, for example its removal: loses the connection, so that waits report the end and
     * not this failure. A closing endpoint, one that has already ended, and an interrupt lose nothing. With the lock
     * held.
     *
     * @param failure rethrown, unless the connection manager has a reason for the end
     */
    void lose(VerbsException failure) {
        boolean unaffected = closing || !protocol.isOpen() || failure instanceof WaitInterruptedException;
        String reason = unaffected ? null : reasonOfManager(failure);
        if (!unaffected) {
            protocol.linkLost(reason != null ? reason : ADAPTER_FAILED + failure.getMessage());
            protocol.settle();
        }
        if (reason == null) {
            throw failure;
        }
    }

    private String reasonOfManager(VerbsException failure) {
        try {
            return transport.lost();
        } catch (VerbsException e) {
            failure.addSuppressed(e);
            return null;
        }
    }

    @Override
    public void nudge() {
        enter();
        try {
            if (!destroyed) {
                protocol.nudge();
            }
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    /**
     * Takes a message for a handler. Returns its buffer, which {@link #release} gives back, or {@link #NO_MESSAGE}.
     * With the lock held.
     */
    public int take() {
        int buffer = protocol.take();
        if (buffer >= 0) {
            buffersOut++;
        }
        return buffer;
    }

    /**
     * Takes a message that the program keeps. Returns null, not an empty Optional, if there is none, because
     * {@link #await} repeats an attempt that returns null. If this method throws, the message stays for the next call.
     * With the lock held.
     */
    public Optional<HeldMessage> takeHeld() {
        int buffer = take();
        if (buffer < 0) {
            return null;
        }
        try {
            Message message = ACCESS.of(transport.message(buffer, protocol.length(buffer)), this, buffer);
            Optional<HeldMessage> held = Optional.of(message.hold());
            ACCESS.close(message);
            return held;
        } catch (Throwable e) {
            // For example OutOfMemoryError: without this the message would be lost.
            putBack(buffer, e);
            throw e;
        }
    }

    /** Passes a message that was taken, and those that follow it, to a handler. Returns their number. */
    public int deliver(int first, MessageHandler handler) {
        int buffer = first;
        int count = 0;
        // Whether an error below is the handler's own. Such an error leaves the state intact, so it is not fatal.
        boolean errorFromHandler = false;
        try {
            // Messages that polls of other threads receive meanwhile cannot keep this call going.
            int most = protocol.credits().buffers();
            while (buffer >= 0) {
                Message message = message(buffer);
                errorFromHandler = true;
                try {
                    handler.onMessage(message);
                } catch (Throwable e) {
                    errorFromHandler = false;
                    release(message, buffer);
                    errorFromHandler = true;
                    throw e;
                }
                errorFromHandler = false;
                count++;
                boolean held = !ACCESS.close(message);
                // Read without the lock: a message that another thread receives now waits for the next poll.
                buffer = held && !protocol.hasMessage()
                        ? NO_MESSAGE
                        : releaseAndTake(held ? NO_MESSAGE : buffer, count < most);
            }
            return count;
        } catch (Error e) {
            if (!errorFromHandler) {
                fatalError = e;
            }
            throw e;
        }
    }

    /** Ends a handler's view of a message, and releases its buffer unless the program holds the message. */
    public void release(Message message, int buffer) {
        if (ACCESS.close(message)) {
            release(buffer);
        }
    }

    /** Releases the buffer of a message that the program has read; this gives the peer a credit back. */
    public void release(int buffer) {
        enter();
        try {
            if (countRelease()) {
                protocol.release(buffer);
            }
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    /**
     * Releases the buffer of a message, and takes the next message.
     *
     * @param buffer {@link #NO_MESSAGE} if the program holds the message
     * @param another whether to take the next message
     * @return the next message's buffer; {@link #NO_MESSAGE} if there is none, or the endpoint was closed
     */
    int releaseAndTake(int buffer, boolean another) {
        enter();
        try {
            if (buffer >= 0 && countRelease()) {
                protocol.release(buffer);
            }
            return closing || !another ? NO_MESSAGE : take();
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    /**
     * Records that the program has released a buffer. The last one of a destroyed endpoint frees its memory. Returns
     * whether the endpoint still exists. With the lock held.
     */
    private boolean countRelease() {
        buffersOut--;
        if (destroyed && buffersOut == 0) {
            transport.free();
        }
        return !destroyed;
    }

    /** Claims a send buffer for the program to write; null if none is free. With the lock held. */
    public OutgoingMessage claim() {
        int slot = protocol.claim();
        if (slot < 0) {
            return null;
        }
        OutgoingMessage message;
        try {
            message = ACCESS.outgoingMessage(this, slot, transport.buffer(slot).asSlice(0, protocol.maxMessage()));
        } catch (Throwable e) {
            // For example OutOfMemoryError: without this the buffer would be lost.
            protocol.giveBack(slot);
            protocol.markHarmless(e);
            throw e;
        }
        buffersOut++;
        return message;
    }

    /**
     * Sends a claimed buffer.
     *
     * @throws IllegalStateException if the endpoint was closed; the buffer is returned nevertheless
     */
    public void sendClaimed(int slot, long length) {
        enter();
        try {
            if (countRelease() && closing) {
                protocol.giveBack(slot);
            }
            requireOpen();
            protocol.sendClaimed(slot, length);
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    public void giveBack(int slot) {
        enter();
        try {
            if (countRelease()) {
                protocol.giveBack(slot);
            }
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    /**
     * Makes progress until an attempt succeeds, sleeping in between. Called without the lock; the attempts are made
     * with it.
     *
     * @param operation for the message if the thread is interrupted
     * @param timeout how long to try; zero or less tries once
     * @param attempt returns null to try again
     * @return the result of the attempt; null on timeout
     */
    public <T> T await(String operation, Duration timeout, Supplier<T> attempt) {
        return waits.await(operation, Timeouts.nanos(timeout), false, attempt);
    }

    @Override
    public void awaitDecided(ProgressFuture<?> future, Duration timeout) {
        waits.await(
                "waiting for a future of " + this,
                Timeouts.nanos(timeout),
                true,
                () -> future.isDecided() || destroyed ? Boolean.TRUE : null);
    }

    /**
     * Sends what was accepted for sending, sends the close message, and closes; see {@link Endpoint#close(Duration)}.
     */
    public void close(Duration timeout) {
        if (!beginClosing()) {
            return;
        }
        long limit = Timeouts.nanos(timeout);
        long start = System.nanoTime();
        String operation = "closing " + this;
        try {
            waits.await(
                    operation,
                    limit,
                    true,
                    () -> destroyed || !protocol.isOpen() || protocol.isIdle() ? Boolean.TRUE : null);
            enter();
            try {
                if (!destroyed) {
                    protocol.postClose();
                }
            } catch (Error e) {
                fatalError = e;
                throw e;
            } finally {
                exit();
            }
            // The adapter may not have sent the close message yet, and the next step destroys its queue.
            long rest = Math.max(CLOSE_MESSAGE_NANOS, limit - (System.nanoTime() - start));
            waits.await(
                    operation,
                    rest,
                    true,
                    () -> destroyed || !protocol.isOpen() || !protocol.hasControlsUnderWay() ? Boolean.TRUE : null);
        } finally {
            destroy();
        }
    }

    /** Closes without a close message, even while another thread closes; see {@link Endpoint#abort()}. */
    public void abort() {
        beginClosing();
        destroy();
    }

    /**
     * Makes the endpoint closed for other threads. Returns false if it was closed before; then closes what an earlier
     * close left open.
     */
    private boolean beginClosing() {
        enter();
        try {
            if (closing) {
                if (destroyed) {
                    closeTransport();
                }
                return false;
            }
            closePlace = ClosePlace.of(this);
            closing = true;
            protocol.beginClosing(new IllegalStateException(this + " was closed", closePlace));
            return true;
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    private void destroy() {
        enter();
        try {
            if (!destroyed) {
                destroyed = true;
                eventsStopped = true;
                protocol.abandon(new IllegalStateException(this + " was closed", closePlace));
                waiters.announce();
                closeTransport();
            }
        } catch (Error e) {
            fatalError = e;
            throw e;
        } finally {
            exit();
        }
    }

    /** Ends the connection. Buffers that the program holds keep the memory until the last one is returned. */
    private void closeTransport() {
        CloseAll.of(transport::close, () -> {
            if (buffersOut == 0) {
                transport.free();
            }
        });
    }

    /** {@return the addresses} */
    @Override
    public String toString() {
        return protocol.toString();
    }
}
