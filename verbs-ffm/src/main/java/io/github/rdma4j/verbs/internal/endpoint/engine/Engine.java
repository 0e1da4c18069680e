// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.HeldMessage;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.github.rdma4j.verbs.endpoint.OutgoingMessage;
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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The thin layer between {@link Protocol} and threads. It has the lock, lets threads sleep that have nothing to do, and
 * completes promises. The program's code never runs under the lock.
 *
 * <p>Of several waiting threads, one sleeps on the {@link Carrier} and the others until something changes. A thread
 * that changes something wakes them all when it releases the lock; {@link Protocol#changes} says whether there was a
 * change.
 */
public final class Engine implements Progress {
    /** Instead of the index of a buffer: there is no message. */
    public static final int NO_MESSAGE = -1;

    public static final String DEAF = "nothing is to be heard of its adapter: ";

    /** Asking the connection manager is a system call, and so, on some machines, is asking the clock. */
    private static final int IDLE_POLLS_PER_LOOK = 256;

    private static final int MOST_READINGS_PER_LOOK = 8;

    private static final long GOOD_BYE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Carrier carrier;
    private final Protocol protocol;
    private final Waiters waiters;
    private final Completer completer;
    private final EngineWaits waits;
    private final EngineVisits visits;
    private boolean closing;
    /** Null before the close, and where places are not kept. */
    private volatile ClosePlace closePlace;

    private boolean destroyed;
    /** Nothing is taken in any more: it was closed, or an error has left it in an unknown state. */
    private boolean deaf;
    /**
     * An error that has ended a method of the endpoint before its end: what had been changed by then nobody knows, so
     * the connection is lost by it as soon as possible. A field, so that a catch clause need not call anything: after a
     * {@link StackOverflowError} there may be no room for a call. The first one counts. Mostly with the lock held.
     */
    public Error interrupted;
    /** The buffers that are in the hands of the program: of messages received, and of messages to be sent. */
    private int buffersOut;

    private int idlePolls;

    private final CarrierTurn turn = new CarrierTurn();

    public Engine(Carrier carrier, Protocol protocol, SpinTime spinTime) {
        this.carrier = carrier;
        this.protocol = protocol;
        this.waiters = new Waiters(lock, carrier, protocol);
        this.completer = new Completer(lock, protocol, waiters::announce);
        this.waits = new EngineWaits(this, lock, carrier, spinTime, waiters, completer);
        this.visits = new EngineVisits(this, carrier, waiters);
        carrier.gather(this::flush);
    }

    /** Called without the lock, by a thread of the carrier, which runs nothing of the program. */
    private boolean flush() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            if (!destroyed) {
                carrier.flush();
            }
            return true;
        } catch (Error e) {
            interrupted = e;
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
    public Carrier carrier() {
        return carrier;
    }

    /** For a selector; called without the lock. */
    public EngineVisits visits() {
        return visits;
    }

    public void enter() {
        StackReserve.require(carrier);
        lock.lock();
        if (interrupted != null) {
            try {
                loseInterrupted();
            } catch (Throwable e) {
                lock.unlock();
                throw e;
            }
        }
    }

    /** Loses the connection if an error has interrupted a change of its state. With the lock held. */
    void loseInterrupted() {
        Error error = interrupted;
        if (error != null) {
            waiters.stopLeadingIfLeft();
            deaf |= !destroyed && protocol.interrupted(error);
            if (interrupted == error) {
                interrupted = null;
            }
        }
    }

    /** Releases the lock, wakes threads that wait for a change, and completes the promises that are due. */
    public void exit() {
        exit(null, false);
    }

    /**
     * Gives the lock back, and leaves the promise that this call returns to the next one: a program that chains calls
     * of this kind would run deeper and deeper into its own callbacks.
     */
    public void exit(Promise<?> own) {
        exit(own, false);
    }

    /** Releases the lock during a selector's visit, without notifying the selector. */
    void exitVisit() {
        exit(null, true);
    }

    private void exit(Promise<?> own, boolean byWatcher) {
        try {
            boolean complete;
            boolean turnIsOver;
            try {
                loseInterrupted();
                if (byWatcher) {
                    waiters.announceByWatcher();
                } else {
                    waiters.announce();
                }
                complete = !protocol.decisions().isEmpty();
                turnIsOver = turn.isOver();
            } finally {
                lock.unlock();
            }
            if (complete) {
                completer.complete(own, 0);
            }
            if (turnIsOver) {
                CarrierTurn.pass();
            }
        } catch (Error e) {
            interrupted = e;
            throw e;
        }
    }

    /** Whether the calling thread should {@linkplain CarrierTurn#pass release its carrier}. With the lock held. */
    boolean isTurnOver() {
        return turn.isOver() && Thread.currentThread().isVirtual();
    }

    /** Makes progress if something could not be sent; whether it may be possible now. With the lock held. */
    public boolean makesRoom(int code) {
        boolean noRoom = code == Protocol.NO_CREDIT || code == Protocol.QUEUE_FULL;
        if (noRoom) {
            progress();
        }
        return noRoom;
    }

    /** Posts a transfer whose end is polled for, or says why not now. With the lock held. */
    public int tryTransfer(
            long id, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        int code = protocol.tryTransfer(id, operation, local, remote, operand, newValue);
        return makesRoom(code) ? protocol.tryTransfer(id, operation, local, remote, operand, newValue) : code;
    }

    /** Asks the link, while it is there. */
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        enter();
        try {
            return destroyed ? Optional.empty() : carrier.ask(question);
        } finally {
            exit();
        }
    }

    /** Why what was posted is not done yet, as far as the wire knows; null if it does not. */
    public String whyLate() {
        enter();
        try {
            return destroyed ? null : carrier.whyLate();
        } finally {
            exit();
        }
    }

    /** With the lock held. */
    public boolean isClosing() {
        return closing;
    }

    /** What a handler sees of a message that it has taken. If it throws, the message is there for the next one. */
    public Message message(int buffer) {
        try {
            return ACCESS.of(carrier.message(buffer, protocol.length(buffer)), this, buffer);
        } catch (Throwable e) {
            // Out of memory.
            putBack(buffer);
            protocol.undone(e);
            throw e;
        }
    }

    private void putBack(int buffer) {
        enter();
        try {
            putBackNow(buffer);
        } catch (Error e) {
            interrupted = e;
            throw e;
        } finally {
            exit();
        }
    }

    private void putBackNow(int buffer) {
        if (isBackInTime()) {
            protocol.putBack(buffer);
        }
    }

    public void requireOpen() {
        if (closing) {
            throw new IllegalStateException(this + " is closed", closePlace);
        }
    }

    /** Whether there is nothing left to wait for. With the lock held. */
    boolean isGone() {
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
        if (carrier.isPollDue(System.nanoTime())) {
            progress();
        }
    }

    /** Does what there is to do, without waiting; {@linkplain #lose loses} what does not answer. With the lock held. */
    public int progress() {
        try {
            return takeIn();
        } catch (VerbsException e) {
            lose(e);
            return 0;
        }
    }

    /** Makes progress for a selector, which has its own answer to an adapter that gives none. */
    int takeIn() {
        if (deaf) {
            return awaitGrace();
        }
        int total;
        try {
            total = carrier.poll(protocol);
        } catch (VerbsException e) {
            // Of a lost endpoint the program must see the loss, not this failure, and so can close it.
            if (protocol.isOpen()) {
                throw e;
            }
            total = 0;
        } finally {
            protocol.settle();
        }
        if (total > 0) {
            idlePolls = 0;
        } else if (++idlePolls >= IDLE_POLLS_PER_LOOK) {
            idlePolls = 0;
            look();
        }
        return total;
    }

    /** Whether nothing is taken in any more. With the lock held. */
    boolean isDeaf() {
        return deaf;
    }

    /** What was under way fails after a while: the adapter may still use its memory. */
    private int awaitGrace() {
        if (!destroyed) {
            protocol.look(System.nanoTime());
            protocol.settle();
        }
        return 0;
    }

    /**
     * Makes progress, and asks the connection manager. Over TCP an end stands behind the last bytes, and is found by
     * the next reading; a peer that sends all the time is read a few times. With the lock held.
     */
    public void progressAndLook() {
        int readings = 0;
        while (progress() > 0 && readings < MOST_READINGS_PER_LOOK) {
            readings++;
        }
        lookOrLose();
    }

    /** Looks at the connection manager and at the clock; {@linkplain #lose loses} what does not answer. */
    void lookOrLose() {
        try {
            look();
        } catch (VerbsException e) {
            lose(e);
        }
    }

    /** Looks at the connection manager and at the clock. */
    void look() {
        String reason = carrier.lost();
        if (reason != null) {
            takeTheRest();
            protocol.linkLost(reason);
        }
        protocol.look(System.nanoTime());
        protocol.settle();
    }

    /** What came before the end. */
    private void takeTheRest() {
        if (deaf) {
            return;
        }
        try {
            carrier.poll(protocol);
        } catch (VerbsException _) {
            // The connection has ended, and why is known: of a device that is gone there is nothing to be had.
        }
    }

    /**
     * Loses an endpoint whose adapter does not answer any more, for example because its device is gone: otherwise
     * waiting threads would get this failure for ever, and never see that the connection has ended. With the lock held.
     *
     * @param failure thrown on, once, unless the connection manager knows why the connection has ended
     */
    void lose(VerbsException failure) {
        boolean told = closing || !protocol.isOpen() || failure instanceof WaitInterruptedException;
        String reason = told ? null : reasonOfManager(failure);
        if (!told) {
            protocol.linkLost(reason != null ? reason : DEAF + failure.getMessage());
            protocol.settle();
        }
        if (reason == null) {
            throw failure;
        }
    }

    private String reasonOfManager(VerbsException failure) {
        try {
            return carrier.lost();
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
            interrupted = e;
            throw e;
        } finally {
            exit();
        }
    }

    /** Takes a message for a handler; the buffer, or -1. {@link #release} gives it back. With the lock held. */
    public int take() {
        int buffer = protocol.take();
        if (buffer >= 0) {
            buffersOut++;
        }
        return buffer;
    }

    /**
     * Takes a message that the program keeps; null if there is none. If it throws, the message is there for the next
     * one. With the lock held.
     */
    public Optional<HeldMessage> takeHeld() {
        int buffer = take();
        if (buffer < 0) {
            return null;
        }
        try {
            Message message = ACCESS.of(carrier.message(buffer, protocol.length(buffer)), this, buffer);
            Optional<HeldMessage> held = Optional.of(message.hold());
            ACCESS.close(message);
            return held;
        } catch (Throwable e) {
            // Out of memory.
            putBackNow(buffer);
            protocol.undone(e);
            throw e;
        }
    }

    /** Passes a message that was taken, and those that follow it, to a handler. Returns their number. */
    public int give(int first, MessageHandler handler) {
        int buffer = first;
        int count = 0;
        boolean inHandler = false;
        try {
            // After the first message, take only what has already arrived: another poll costs as much as a message.
            int most = protocol.credits().buffers();
            while (buffer >= 0) {
                Message message = message(buffer);
                inHandler = true;
                try {
                    handler.onMessage(message);
                } catch (Throwable e) {
                    inHandler = false;
                    release(message, buffer);
                    inHandler = true;
                    throw e;
                }
                inHandler = false;
                count++;
                boolean held = !ACCESS.close(message);
                // Read without the lock: a message that another thread receives now waits for the next poll.
                buffer = held && !protocol.hasMessage()
                        ? NO_MESSAGE
                        : releaseAndTake(held ? NO_MESSAGE : buffer, count < most);
            }
            return count;
        } catch (Error e) {
            if (!inHandler) {
                interrupted = e;
            }
            throw e;
        }
    }

    /** A handler has returned from a message; the program may hold it. */
    public void release(Message message, int buffer) {
        if (ACCESS.close(message)) {
            release(buffer);
        }
    }

    /** The program has done with a message. */
    public void release(int buffer) {
        enter();
        try {
            if (isBackInTime()) {
                protocol.release(buffer);
            }
        } catch (Error e) {
            interrupted = e;
            throw e;
        } finally {
            exit();
        }
    }

    /**
     * The program has done with a message, and takes another one.
     *
     * @param buffer {@link #NO_MESSAGE} if the program holds the message
     * @param another whether another one is wanted
     * @return its buffer; {@link #NO_MESSAGE} if there is none, or the endpoint was closed
     */
    int releaseAndTake(int buffer, boolean another) {
        enter();
        try {
            if (buffer >= 0 && isBackInTime()) {
                protocol.release(buffer);
            }
            return closing || !another ? NO_MESSAGE : take();
        } catch (Error e) {
            interrupted = e;
            throw e;
        } finally {
            exit();
        }
    }

    /** A buffer has come back from the program; false if the endpoint is gone. With the lock held. */
    private boolean isBackInTime() {
        buffersOut--;
        if (destroyed && buffersOut == 0) {
            carrier.free();
        }
        return !destroyed;
    }

    /** A place for a message that the program writes itself; null if there is none now. With the lock held. */
    public OutgoingMessage claim() {
        int slot = protocol.claim();
        if (slot < 0) {
            return null;
        }
        OutgoingMessage message;
        try {
            message = ACCESS.outgoingMessage(this, slot, carrier.buffer(slot).asSlice(0, protocol.maxMessage()));
        } catch (Throwable e) {
            // Out of memory.
            protocol.giveBack(slot);
            protocol.undone(e);
            throw e;
        }
        buffersOut++;
        return message;
    }

    public void sendClaimed(int slot, long length) {
        enter();
        try {
            if (isBackInTime()) {
                if (closing) {
                    protocol.giveBack(slot);
                } else {
                    protocol.sendClaimed(slot, length);
                    return;
                }
            }
            requireOpen();
        } catch (Error e) {
            interrupted = e;
            throw e;
        } finally {
            exit();
        }
    }

    public void giveBack(int slot) {
        enter();
        try {
            if (isBackInTime()) {
                protocol.giveBack(slot);
            }
        } catch (Error e) {
            interrupted = e;
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
     * @param timeout how long; zero or less tries once
     * @param attempt gives null to go on
     * @return what the attempt gave; null after the time
     */
    public <T> T await(String operation, Duration timeout, Supplier<T> attempt) {
        return waits.await(operation, nanos(timeout), false, attempt);
    }

    @Override
    public void awaitDecided(ProgressFuture<?> future, Duration timeout) {
        waits.await(
                "waiting for a future of " + this,
                nanos(timeout),
                true,
                () -> future.isDecided() || destroyed ? Boolean.TRUE : null);
    }

    public static long nanos(Duration timeout) {
        try {
            return Math.max(0, timeout.toNanos());
        } catch (ArithmeticException e) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    /**
     * Sends what was accepted for sending, sends the close message, and closes; see {@link Endpoint#close(Duration)}.
     */
    public void close(Duration timeout) {
        if (!beginClosing()) {
            return;
        }
        long limit = nanos(timeout);
        long start = System.nanoTime();
        String operation = "closing " + this;
        try {
            waits.await(
                    operation, limit, true, () -> destroyed || !protocol.isOpen() || protocol.isIdle() ? this : null);
            enter();
            try {
                if (!destroyed) {
                    protocol.sayGoodBye();
                }
            } catch (Error e) {
                interrupted = e;
                throw e;
            } finally {
                exit();
            }
            // An adapter may not have sent it yet, and what comes next destroys its queue.
            long rest = Math.max(GOOD_BYE_NANOS, limit - (System.nanoTime() - start));
            waits.await(
                    operation,
                    rest,
                    true,
                    () -> destroyed || !protocol.isOpen() || !protocol.hasControlsUnderWay() ? this : null);
        } finally {
            destroy();
        }
    }

    /** Closes without a word, even while another thread is closing; see {@link Endpoint#abort()}. */
    public void abort() {
        if (beginClosing() || !isDestroyed()) {
            destroy();
        }
    }

    private boolean isDestroyed() {
        enter();
        try {
            return destroyed;
        } finally {
            exit();
        }
    }

    /**
     * From now on other threads see a closed endpoint; false if it was closed already, and then what was left open is
     * closed.
     */
    private boolean beginClosing() {
        enter();
        try {
            if (closing) {
                if (destroyed) {
                    closeCarrier();
                }
                return false;
            }
            closePlace = ClosePlace.of(this);
            closing = true;
            protocol.beginClosing(new IllegalStateException(this + " was closed", closePlace));
            return true;
        } catch (Error e) {
            interrupted = e;
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
                deaf = true;
                protocol.abandon(new IllegalStateException(this + " was closed", closePlace));
                waiters.announce();
                closeCarrier();
            }
        } catch (Error e) {
            interrupted = e;
            throw e;
        } finally {
            exit();
        }
    }

    /** What is in the hands of the program keeps the memory until it comes back. */
    private void closeCarrier() {
        CloseAll.of(carrier::close, () -> {
            if (buffersOut == 0) {
                carrier.free();
            }
        });
    }

    /** {@return the addresses} */
    @Override
    public String toString() {
        return protocol.toString();
    }
}
