// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.promise.Progress;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What an {@link Endpoint} does that waits: in the calling thread, or, where it gives a future, in whichever thread
 * makes progress.
 */
abstract sealed class WaitingEndpoint permits Endpoint {
    final Engine engine;
    /** Used with the engine's lock held. */
    final Protocol protocol;
    // What it is doing, for exceptions: made once, since most calls throw none.
    private final String sending;
    final String receiving;
    private final String claiming;

    WaitingEndpoint(Engine engine) {
        this.engine = engine;
        this.protocol = engine.protocol();
        this.sending = "sending over " + engine;
        this.receiving = "receiving from " + engine;
        this.claiming = "claiming a message of " + engine;
    }

    /**
     * Sends a message, and waits if need be until the peer has room. It is copied; the segment is free when this
     * returns.
     *
     * @param message of at most {@link Endpoint#maxMessageSize()} bytes, in any memory
     * @param timeout how long to wait; zero or less tries once
     * @return false if the peer had no room in time; nothing was sent then
     * @throws IllegalArgumentException if the message is too long; the message gives both numbers
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; nothing was sent then
     * @throws IllegalStateException if this endpoint is closed, before or meanwhile
     */
    public boolean send(MemorySegment message, Duration timeout) {
        return engine.await(sending, timeout, () -> switch (protocol.trySend(message)) {
                    case Endpoint.OK -> Boolean.TRUE;
                    case Endpoint.CLOSED_BY_PEER -> throw protocol.ended(sending);
                    default -> null;
                })
                != null;
    }

    /**
     * Sends an array; see {@link #send(MemorySegment, Duration)}.
     *
     * @param message of at most {@link Endpoint#maxMessageSize()} bytes
     * @param timeout how long to wait; zero or less tries once
     * @return false if the peer had no room in time; nothing was sent then
     */
    public boolean send(byte[] message, Duration timeout) {
        return send(MemorySegment.ofArray(message), timeout);
    }

    /**
     * Sends what remains in a buffer; see {@link #send(MemorySegment, Duration)}. If it was sent, the position is the
     * limit afterwards.
     *
     * @param message with at most {@link Endpoint#maxMessageSize()} bytes between position and limit, of any kind
     * @param timeout how long to wait; zero or less tries once
     * @return false if the peer had no room in time; nothing was sent then
     */
    public boolean send(ByteBuffer message, Duration timeout) {
        boolean sent = send(MemorySegment.ofBuffer(message), timeout);
        if (sent) {
            message.position(message.limit());
        }
        return sent;
    }

    /**
     * Sends several messages, with one doorbell for as many as there is room for, and waits until the peer has room for
     * the others. They are copied; the segments are free when this returns.
     *
     * @param messages each of at most {@link Endpoint#maxMessageSize()} bytes
     * @param timeout how long to wait; zero or less sends as many as are possible at once
     * @return how many were sent in time; all, unless the time was over
     * @throws IllegalArgumentException if one of them is too long; nothing was sent then
     * @throws ClosedByPeerException if the peer has closed; some may have been sent
     * @throws ConnectionLostException if the connection is lost; some may have been sent
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; some may have been sent
     * @throws IllegalStateException if this endpoint is closed, before or meanwhile
     */
    public int sendAll(List<? extends MemorySegment> messages, Duration timeout) {
        int[] sent = new int[1];
        engine.await(sending, timeout, () -> {
            int more = protocol.trySendAll(messages.subList(sent[0], messages.size()));
            if (more == Endpoint.CLOSED_BY_PEER) {
                throw protocol.ended(sending);
            }
            sent[0] += more;
            return sent[0] == messages.size() ? Boolean.TRUE : null;
        });
        return sent[0];
    }

    /**
     * Gives a place for a message that the program writes itself, so that it need not be copied; waits if need be until
     * the peer has room.
     *
     * @param timeout how long to wait; zero or less tries once
     * @return the message, to be written and sent, or closed; empty if there was no room in time
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or meanwhile
     */
    public Optional<OutgoingMessage> claim(Duration timeout) {
        OutgoingMessage message = tryClaim();
        if (message == null && timeout.isPositive()) {
            message = engine.await(claiming, timeout, engine::claim);
        }
        return Optional.ofNullable(message);
    }

    private OutgoingMessage tryClaim() {
        engine.enter();
        try {
            engine.requireOpen();
            OutgoingMessage message = engine.claim();
            if (message == null) {
                engine.progress();
                message = engine.claim();
            }
            return message;
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends a message as soon as the peer has room. Messages wait in order, as many as the program cares to have wait.
     * A future that is cancelled, or times out, before the message had its turn takes it back; afterwards the message
     * is on its way all the same.
     *
     * @param message of at most {@link Endpoint#maxMessageSize()} bytes; not to be changed before the future is
     *     complete, and of memory that other threads may read, too
     * @return complete when the message lies in the peer's buffer; exceptionally with a {@link TransferException},
     *     {@link ConnectionLostException}, {@link ClosedByPeerException} or, after a close of this side,
     *     {@link IllegalStateException}
     * @throws IllegalArgumentException if the message is too long; the message gives both numbers
     * @throws IllegalStateException if this endpoint is closed
     */
    public CompletableFuture<Void> sendAsync(MemorySegment message) {
        Promise<Void> promise = new Promise<>(engine);
        engine.enter();
        try {
            engine.requireOpen();
            engine.progress();
            protocol.sendAsync(message, promise);
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit(promise);
        }
        return promise;
    }

    /**
     * Sends an array as soon as the peer has room; see {@link #sendAsync(MemorySegment)}.
     *
     * @param message of at most {@link Endpoint#maxMessageSize()} bytes; not to be changed before the future is
     *     complete
     * @return as {@link #sendAsync(MemorySegment)}
     * @throws IllegalArgumentException if the message is too long; the message gives both numbers
     * @throws IllegalStateException if this endpoint is closed
     */
    public CompletableFuture<Void> sendAsync(byte[] message) {
        return sendAsync(MemorySegment.ofArray(message));
    }

    /**
     * Waits for a message and gives it to a handler, in this thread.
     *
     * @param handler gets a view of the message, valid until it returns
     * @param timeout how long to wait; zero or less only looks
     * @return false if none came in time
     * @throws ClosedByPeerException if the peer has closed and all of its messages were received
     * @throws ConnectionLostException if the connection is lost and all messages that had arrived were received
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or meanwhile
     */
    public boolean receive(MessageHandler handler, Duration timeout) {
        Integer buffer = engine.await(receiving, timeout, () -> {
            int next = engine.take();
            if (next < 0 && !protocol.isOpen()) {
                throw protocol.ended(receiving);
            }
            return next < 0 ? null : next;
        });
        if (buffer == null) {
            return false;
        }
        boolean inHandler = false;
        try {
            Message message = engine.message(buffer);
            inHandler = true;
            try {
                handler.onMessage(message);
            } finally {
                inHandler = false;
                giveBack(message, buffer);
                inHandler = true;
            }
            return true;
        } catch (Error e) {
            if (!inHandler) {
                engine.interrupted = e;
            }
            throw e;
        }
    }

    /**
     * Waits for a message.
     *
     * @param timeout how long to wait; zero or less only looks
     * @return a copy of the message; empty if none came in time
     * @throws ClosedByPeerException if the peer has closed and all of its messages were received
     * @throws ConnectionLostException if the connection is lost and all messages that had arrived were received
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or meanwhile
     */
    public Optional<byte[]> receive(Duration timeout) {
        return Optional.ofNullable(engine.await(receiving, timeout, () -> protocol.copyNext(receiving)));
    }

    /**
     * Waits for a message, and leaves it where it is: nothing is copied, and the peer has one credit less until it is
     * closed.
     *
     * @param timeout how long to wait; zero or less only looks
     * @return the message, to be closed; empty if none came in time
     * @throws ClosedByPeerException if the peer has closed and all of its messages were received
     * @throws ConnectionLostException if the connection is lost and all messages that had arrived were received
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or meanwhile
     */
    public Optional<HeldMessage> receiveHeld(Duration timeout) {
        Optional<HeldMessage> held = engine.await(receiving, timeout, () -> {
            Optional<HeldMessage> next = engine.takeHeld();
            if (next == null && !protocol.isOpen()) {
                throw protocol.ended(receiving);
            }
            return next;
        });
        return held != null ? held : Optional.empty();
    }

    /**
     * Asks for the next message. Requests are served in order, and before any other way of receiving. A future that is
     * cancelled, or times out, before it is complete leaves its message to the next reader.
     *
     * @return complete with a copy of the message; exceptionally with a {@link ClosedByPeerException},
     *     {@link ConnectionLostException} or, after a close of this side, {@link IllegalStateException}
     * @throws IllegalStateException if this endpoint is closed
     */
    public CompletableFuture<byte[]> receiveAsync() {
        Promise<byte[]> promise = new Promise<>(engine);
        engine.enter();
        try {
            engine.requireOpen();
            engine.progress();
            protocol.request(promise);
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit(promise);
        }
        return promise;
    }

    /**
     * Makes progress until this endpoint or its peer is closed or the connection is lost, sleeping while there is
     * nothing to do: what a program gives a thread for that uses futures only. Then it returns, when nothing is under
     * way any more; the futures tell the rest.
     */
    public void progressLoop() {
        try {
            engine.await(
                    "the progress loop of " + engine,
                    Progress.FOR_EVER,
                    () -> protocol.hasEnded() ? Boolean.TRUE : null);
        } catch (IllegalStateException e) {
            if (engine.isOpen()) {
                throw e;
            }
        }
    }

    final void giveBack(Message message, int buffer) {
        if (message.close()) {
            engine.release(buffer);
        }
    }
}
