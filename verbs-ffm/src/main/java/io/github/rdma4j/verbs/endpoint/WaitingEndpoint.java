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

/** The methods of an {@link Endpoint} that wait, in the calling thread or through a future. */
abstract sealed class WaitingEndpoint permits Endpoint {
    final Engine engine;
    /** Used with the engine's lock held. */
    final Protocol protocol;
    // The operation for exceptions: built once, since most calls throw none.
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
     * Sends a message; waits if the peer has no free buffer. The message is copied; you may reuse the segment when this
     * method returns.
     *
     * @param message at most {@link Endpoint#maxMessageSize()} bytes, in native or heap memory
     * @param timeout how long to wait; zero or less does not wait
     * @return false on timeout; nothing is sent then
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; nothing is sent then
     * @throws IllegalStateException if this endpoint is closed, before or during the call
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
     * @param message at most {@link Endpoint#maxMessageSize()} bytes
     * @param timeout how long to wait; zero or less does not wait
     * @return false on timeout; nothing is sent then
     */
    public boolean send(byte[] message, Duration timeout) {
        return send(MemorySegment.ofArray(message), timeout);
    }

    /**
     * Sends the remaining bytes of a buffer; see {@link #send(MemorySegment, Duration)}. After a successful send the
     * buffer's position is its limit.
     *
     * @param message a buffer of any kind with at most {@link Endpoint#maxMessageSize()} bytes between position and
     *     limit
     * @param timeout how long to wait; zero or less does not wait
     * @return false on timeout; nothing is sent then
     */
    public boolean send(ByteBuffer message, Duration timeout) {
        boolean sent = send(MemorySegment.ofBuffer(message), timeout);
        if (sent) {
            message.position(message.limit());
        }
        return sent;
    }

    /**
     * Sends several messages, with one doorbell for as many as possible, and waits for the peer's buffers for the
     * others. The messages are copied; you may reuse the segments when this method returns.
     *
     * @param messages each at most {@link Endpoint#maxMessageSize()} bytes
     * @param timeout how long to wait; zero or less sends as many as possible without waiting
     * @return how many were sent; less than all only on timeout
     * @throws IllegalArgumentException if one of them is too long; nothing is sent then
     * @throws ClosedByPeerException if the peer has closed; some may have been sent
     * @throws ConnectionLostException if the connection is lost; some may have been sent
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; some may have been sent
     * @throws IllegalStateException if this endpoint is closed, before or during the call
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
     * Claims a send buffer, so that you can write a message without a copy; waits if the peer has no free buffer.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return the message: write and send it, or close it; empty on timeout
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or during the call
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
     * Sends a message as soon as the peer has a free buffer. Any number of messages may wait; they are sent in order.
     * Cancelling the future, or a timeout, withdraws a message that still waits; it does not affect a message that is
     * under way.
     *
     * @param message at most {@link Endpoint#maxMessageSize()} bytes, in memory that other threads may read; do not
     *     modify it until the future completes
     * @return completes when the message is in the peer's buffer; exceptionally with a {@link TransferException},
     *     {@link ConnectionLostException}, {@link ClosedByPeerException} or, after this side has closed, {@link
     *     IllegalStateException}
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
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
     * Sends an array as soon as the peer has a free buffer; see {@link #sendAsync(MemorySegment)}.
     *
     * @param message at most {@link Endpoint#maxMessageSize()} bytes; do not modify it until the future completes
     * @return as {@link #sendAsync(MemorySegment)}
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws IllegalStateException if this endpoint is closed
     */
    public CompletableFuture<Void> sendAsync(byte[] message) {
        return sendAsync(MemorySegment.ofArray(message));
    }

    /**
     * Waits for a message and passes it to a handler, in this thread.
     *
     * @param handler gets a view of the message, which is valid until the handler returns
     * @param timeout how long to wait; zero or less does not wait
     * @return false on timeout
     * @throws ClosedByPeerException if the peer has closed and all of its messages were received
     * @throws ConnectionLostException if the connection is lost and all messages that had arrived were received
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or during the call
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
     * @param timeout how long to wait; zero or less does not wait
     * @return a copy of the message; empty on timeout
     * @throws ClosedByPeerException if the peer has closed and all of its messages were received
     * @throws ConnectionLostException if the connection is lost and all messages that had arrived were received
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or during the call
     */
    public Optional<byte[]> receive(Duration timeout) {
        return Optional.ofNullable(engine.await(receiving, timeout, () -> protocol.copyNext(receiving)));
    }

    /**
     * Waits for a message and keeps it in the receive buffer, without a copy. The peer has one credit less until you
     * close the message.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return the message; close it after use; empty on timeout
     * @throws ClosedByPeerException if the peer has closed and all of its messages were received
     * @throws ConnectionLostException if the connection is lost and all messages that had arrived were received
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or during the call
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
     * Requests the next message. Requests are served in order, and before any other method that receives. If the future
     * is cancelled or times out before it completes, the next reader gets the message.
     *
     * @return completes with a copy of the message; exceptionally with a {@link ClosedByPeerException}, {@link
     *     ConnectionLostException} or, after this side has closed, {@link IllegalStateException}
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
     * Makes progress until this endpoint or its peer is closed or the connection is lost, and sleeps while there is
     * nothing to do. Run it on a thread of your own if your program uses only futures. It returns when nothing is under
     * way any more.
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
