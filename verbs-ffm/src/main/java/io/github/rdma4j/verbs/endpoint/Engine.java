// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.WorkCompletions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What makes an endpoint go: it polls the completion queue for whoever calls, hands each completion to its owner, and puts callers
 * to sleep who have nothing to do. There is one lock, and the program's code never runs under it.
 *
 * <p>Of several threads that wait, one sleeps on the completion channel, and the others until that one has made progress.
 */
final class Engine {
    /** In the id of a work request: it is a receive, and the rest is its buffer. Of others, the id is the slot. */
    static final long RECEIVE = 1L << 33;
    /** The id of credit updates and of the close. */
    private static final long CONTROL = 1L << 32;
    /** One of the {@link Credits#RESERVE} places in the send queue is for the close. */
    private static final int MAX_UPDATES = Credits.RESERVE - 1;

    private static final int BATCH = 32;
    /** Asking the connection manager is a system call. */
    private static final int IDLE_POLLS_PER_LOOK_AT_THE_LINK = 256;

    /** What can still be done with the peer. */
    enum State {
        OPEN,
        PEER_CLOSED,
        LOST
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Finished finished = new Finished();
    private final Link link;
    private final String name;
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    private final MemorySlice nothing;
    final Credits credits;
    final SendSlots slots;
    final Sender sender;
    final Receiver receiver;
    private State state = State.OPEN;
    private ConnectionLostException lost;
    private boolean closing;
    private boolean destroyed;
    private int updatesUnderWay;
    private int idlePolls;
    private int followers;
    private boolean led;
    private boolean armed;
    private EventPoller poller;

    Engine(Link link, ReceiveBuffers buffers, SendSlots slots, int inlineSize, Hello peer, int maxMessage) {
        this.link = link;
        this.name = "endpoint " + link;
        this.queuePair = link.queuePair();
        this.queue = link.queue();
        this.slots = slots;
        this.nothing = slots.nothing();
        this.credits = new Credits(buffers.credited(), peer.receiveBuffers());
        this.sender = new Sender(this, Math.min(maxMessage, peer.bufferSize()), inlineSize);
        this.receiver = new Receiver(this, buffers);
    }

    Link link() {
        return link;
    }

    /** Asks the link, while it is there. */
    <T> Optional<T> withLink(Function<Link, Optional<T>> question) {
        enter();
        try {
            return destroyed ? Optional.empty() : question.apply(link);
        } finally {
            exit();
        }
    }

    void enter() {
        lock.lock();
    }

    /** Gives the lock back, and completes the futures whose time has come. */
    void exit() {
        Runnable complete = finished.take();
        lock.unlock();
        if (complete != null) {
            complete.run();
        }
    }

    Finished finished() {
        return finished;
    }

    State state() {
        return state;
    }

    /** Whether the connection is over and everything that was under way has completed. */
    boolean hasEnded() {
        return state != State.OPEN && slots.isIdle();
    }

    /** Whether there is a peer that hears. */
    boolean canPost() {
        return state == State.OPEN && !destroyed;
    }

    void requireOpen() {
        if (closing) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    boolean isOpen() {
        enter();
        try {
            return !closing;
        } finally {
            exit();
        }
    }

    /** Why nothing goes any more; a new exception each time, so that its stack trace is the caller's. */
    EndpointException ended(String operation) {
        return state == State.PEER_CLOSED
                ? new ClosedByPeerException(operation)
                : new ConnectionLostException(operation, lost.reason(), lost.getCause());
    }

    /** Does what there is to do, without waiting. With the lock held. */
    int progress() {
        if (destroyed) {
            return 0;
        }
        int total = pollQueue();
        if (total > 0) {
            idlePolls = 0;
        } else if (++idlePolls >= IDLE_POLLS_PER_LOOK_AT_THE_LINK) {
            idlePolls = 0;
            lookAtLink();
        }
        if (state == State.OPEN) {
            sender.flush();
        }
        updateCredits();
        if (total > 0 && followers > 0) {
            changed.signalAll();
        }
        return total;
    }

    private int pollQueue() {
        int total = 0;
        int count;
        do {
            count = queue.poll(completions);
            for (int i = 0; i < count; i++) {
                complete(completions.get(i));
            }
            total += count;
        } while (count == BATCH);
        return total;
    }

    private void complete(WorkCompletion completion) {
        long id = completion.workRequestId();
        if (!completion.isSuccess()) {
            failed(id, completion);
        } else if ((id & RECEIVE) != 0) {
            received((int) id, completion);
        } else if (id == CONTROL) {
            updatesUnderWay--;
        } else {
            slots.complete((int) id, null, finished);
        }
    }

    private void received(int buffer, WorkCompletion completion) {
        int frame = completion.immediateData();
        if (!completion.hasImmediateData() || !credits.receive(Frame.credits(frame))) {
            lose("the peer does not keep to the endpoint protocol", null);
            return;
        }
        switch (Frame.kind(frame)) {
            case Frame.MESSAGE -> receiver.arrived(buffer, completion.byteLength());
            case Frame.CREDIT -> receiver.repost(buffer);
            case Frame.CLOSE -> peerClosed();
            default -> lose("the peer does not keep to the endpoint protocol", null);
        }
    }

    private void failed(long id, WorkCompletion completion) {
        boolean flushed = completion.status() == WorkCompletionStatus.WR_FLUSH_ERR;
        TransferException failure = flushed || state == State.PEER_CLOSED
                ? null
                : new TransferException("a transfer of " + this, completion);
        lose(completion.describe(), failure);
        if (id == CONTROL) {
            updatesUnderWay--;
        } else if ((id & RECEIVE) == 0) {
            slots.complete((int) id, failure != null ? failure : ended("a transfer of " + this), finished);
        }
    }

    private void peerClosed() {
        if (state == State.OPEN) {
            state = State.PEER_CLOSED;
            ended();
        }
    }

    /** The connection has ended without a close, unless that came first. */
    void lose(String reason, TransferException cause) {
        if (state == State.OPEN) {
            state = State.LOST;
            lost = new ConnectionLostException(toString(), reason, cause);
            ended();
            // So that whatever is under way completes.
            queuePair.toError();
        }
    }

    private void ended() {
        sender.ended();
        receiver.ended();
        changed.signalAll();
    }

    private void lookAtLink() {
        link.lost().ifPresent(reason -> {
            // What arrived before the connection ended counts, above all the peer's close.
            pollQueue();
            lose(reason, null);
            queuePair.toError();
        });
    }

    /** Sends the credits that are owed, if they are many and there is room; if there is none, progress will try again. */
    void updateCredits() {
        if (canPost() && credits.updateDue() && updatesUnderWay < MAX_UPDATES) {
            postControl(Frame.CREDIT);
        }
    }

    private void postControl(int kind) {
        int frame = Frame.of(kind, credits.grant());
        int errno = queuePair.postSendWithImmediate(CONTROL, nothing, frame, SendFlags.SIGNALED);
        if (errno == 0) {
            updatesUnderWay++;
        } else {
            postingFailed(errno);
        }
    }

    /** The send queue is as long as need be, so a refusal is not for want of room. */
    void postingFailed(int errno) {
        lose("posting to %s failed: %s".formatted(queuePair, VerbsException.describe(errno)), null);
    }

    /**
     * Makes progress until an attempt succeeds, sleeping in between. Called without the lock; the attempts are made with it.
     *
     * @param operation for the message if the thread is interrupted
     * @param timeout how long; zero or less tries once
     * @param attempt gives null to go on
     * @return what the attempt gave; null after the time
     */
    <T> T await(String operation, Duration timeout, Supplier<T> attempt) {
        return await(operation, timeout, false, attempt);
    }

    private <T> T await(String operation, Duration timeout, boolean whileClosing, Supplier<T> attempt) {
        long limit = nanos(timeout);
        long start = System.nanoTime();
        enter();
        try {
            while (true) {
                if (!whileClosing) {
                    requireOpen();
                }
                progress();
                T result = attempt.get();
                long remaining = limit - (System.nanoTime() - start);
                if (result != null) {
                    return result;
                }
                if (!finished.isEmpty()) {
                    exit();
                    enter();
                } else if (remaining <= 0) {
                    return null;
                } else if (led) {
                    follow(operation, remaining);
                } else {
                    lead(operation, remaining);
                }
            }
        } finally {
            exit();
        }
    }

    private static long nanos(Duration timeout) {
        try {
            return Math.max(0, timeout.toNanos());
        } catch (ArithmeticException e) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    private void follow(String operation, long nanos) {
        followers++;
        try {
            changed.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(operation);
        } finally {
            followers--;
        }
    }

    private void lead(String operation, long nanos) {
        if (poller == null) {
            poller = EventPoller.open();
            poller.add(link.channel());
            if (link.events() != null) {
                poller.add(link.events());
            }
        }
        if (!armed) {
            queue.requestNotification(false);
            armed = true;
        }
        // What came before the arming makes no event.
        State before = state;
        if (progress() > 0 || state != before || !finished.isEmpty()) {
            return;
        }
        led = true;
        EventPoller waiting = poller;
        exit();
        try {
            waiting.select(Duration.ofNanos(nanos), source -> {});
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException(operation);
        } catch (IllegalStateException e) {
            // The poller was closed with the endpoint; the caller sees that next.
        } finally {
            enter();
            led = false;
            changed.signalAll();
        }
        if (!destroyed) {
            if (link.channel().nextEvent(Duration.ZERO).isPresent()) {
                armed = false;
            }
            lookAtLink();
        }
    }

    /** Sends what was accepted for sending, says good-bye, and closes; see {@link Endpoint#close(Duration)}. */
    void close(Duration timeout) {
        if (!beginClosing()) {
            return;
        }
        long start = System.nanoTime();
        try {
            await(
                    "closing " + this,
                    timeout,
                    true,
                    () -> state != State.OPEN || sender.isIdle() && slots.isIdle() ? this : null);
            enter();
            try {
                if (state == State.OPEN) {
                    postControl(Frame.CLOSE);
                }
            } finally {
                exit();
            }
            Duration rest = timeout.minusNanos(System.nanoTime() - start);
            await("closing " + this, rest, true, () -> state != State.OPEN || updatesUnderWay == 0 ? this : null);
        } finally {
            destroy();
        }
    }

    /** Closes without a word; see {@link Endpoint#abort()}. */
    void abort() {
        if (beginClosing()) {
            destroy();
        }
    }

    /** From now on other threads see a closed endpoint; false if it was closed already. */
    private boolean beginClosing() {
        enter();
        try {
            if (closing) {
                return false;
            }
            closing = true;
            changed.signalAll();
            if (poller != null) {
                poller.wakeUp();
            }
            return true;
        } finally {
            exit();
        }
    }

    private void destroy() {
        enter();
        try {
            destroyed = true;
            IllegalStateException closed = new IllegalStateException(this + " was closed");
            sender.abandon(closed);
            receiver.abandon(closed);
            slots.abandon(closed, finished);
            if (poller != null) {
                poller.close();
            }
            changed.signalAll();
            try {
                link.close();
            } finally {
                receiver.close();
                slots.close();
            }
        } finally {
            exit();
        }
    }

    /** {@return the addresses} */
    @Override
    public String toString() {
        return name;
    }
}
