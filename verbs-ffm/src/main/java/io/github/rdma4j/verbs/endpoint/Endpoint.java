// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.endpoint.connect.Connector;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointChannel;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.promise.Progress;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.rdma.Grants;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One end of a connection: exchanges messages with the peer, and reads and writes memory that the peer has exposed.
 *
 * <p><b>Messages</b> arrive whole, once, and in order. Each side has one <em>credit</em> for each free receive buffer
 * of the other side. A message takes a credit. A program that reads slowly therefore slows its peer down, and no
 * message is dropped. Send data longer than {@link #maxMessageSize()} through exposed memory.
 *
 * <p><b>Exposed memory</b>: {@link #expose(long, AccessFlag...)} returns memory with a {@link MemoryHandle}, which
 * travels as bytes. Over RDMA, a peer reads and writes the memory, and changes eight-byte values atomically, without
 * involving this side's CPU.
 *
 * <p><b>Progress.</b> An endpoint has no thread of its own. A thread takes in messages, returns credits and completes
 * futures while it waits in a method or for a future ({@code get}, {@code join}), when it polls and nothing has arrived
 * yet, when it starts an asynchronous operation or a transfer that waits, and when a {@code try} method finds no credit
 * or a full queue. The thread that makes progress completes a future after it has released the endpoint's lock, and
 * runs what is chained to the future, unless the program names an executor ({@link CompletableFuture#thenApplyAsync}).
 * Waiting for {@link CompletableFuture#allOf} makes no progress. If your program only chains futures, run {@code
 * endpoint::progressLoop} on a thread of your own or add the endpoint to an {@link EndpointSelector}. A waiting thread
 * spins for a while before it sleeps ({@link EndpointConfig#spinLimit}); a sleeping virtual thread releases its
 * carrier.
 *
 * <p><b>The end.</b> If the peer closes its endpoint, receiving continues until its last message and then returns
 * {@link #CLOSED_BY_PEER} or throws {@link ClosedByPeerException}; sending and transfers do so immediately. A lost
 * connection behaves the same way, with {@link ConnectionLostException}. After this side's own {@link #close()}, which
 * also ends the waits of other threads, sending, receiving and transfers throw {@link IllegalStateException}; methods
 * that only report, such as {@link #counters()} and {@link #isConnected()}, still work.
 *
 * <p><b>Errors.</b> A {@link StackOverflowError} or {@link OutOfMemoryError} in a method of an endpoint either leaves
 * everything unchanged, or loses the connection: the next call throws a {@link ConnectionLostException} with the error
 * as its cause. An error that interrupts the bookkeeping of an {@link EndpointGroup} loses all endpoints that share the
 * queue. Before a method takes the endpoint's lock, it throws a {@link StackOverflowError} unless about 8 KiB of the
 * stack are left: the JDK's locks may stay locked if the stack overflows inside them.
 *
 * <p><b>Transport.</b> RDMA by default ({@link EndpointConfig#transport}). Over TCP the same calls work, but a
 * transfer completes only while a thread of the peer waits or polls in its endpoint, messages are always copied, and
 * there is no {@link #protectionDomain()} unless the configuration gives one.
 *
 * <p>Thread safety: any thread may call any method. A lock orders the calls; no thread holds it while it waits or runs
 * a handler or a callback. Messages are sent in the order of the calls. If several threads receive, each message goes
 * to one of them. Over RDMA, sending ({@link #trySend}), transfers with an id and polling allocate nothing as long as
 * messages keep their length.
 *
 * @since 0.1.0
 */
public final class Endpoint implements AutoCloseable {
    /** The message or transfer is under way; zero. */
    public static final int OK = Protocol.OK;
    /** Nothing was sent: the peer has no free buffer. Poll, so that credits can arrive, and try again. */
    public static final int NO_CREDIT = Protocol.NO_CREDIT;
    /**
     * Nothing was posted: {@link EndpointConfig#sendDepth} messages and transfers are under way, or earlier ones are
     * still queued. Poll, and try again.
     */
    public static final int QUEUE_FULL = Protocol.QUEUE_FULL;
    /** The peer has closed its endpoint; negative, so it differs from every count. */
    public static final int CLOSED_BY_PEER = Protocol.CLOSED_BY_PEER;

    /** Instead of the index of a buffer: there is no message, and the peer has closed. */
    private static final int PEER_HAS_CLOSED = -2;

    /** Hands {@link Access} to the internal packages before they create an endpoint. */
    static {
        Access.install();
    }

    final Engine engine;
    /** Used with the engine's lock held. */
    final Protocol protocol;
    // Names of operations in exceptions, built once: calls that do not throw build no text.
    private final String sending;
    final String receiving;
    private final String claiming;
    private final Memories memories;
    private final Duration closeTimeout;
    private final Hello peer;
    private final Transfers transfers;
    private final Grants grants;
    /** Why the endpoint uses TCP although RDMA was tried. Set before the program gets the endpoint. */
    private volatile RuntimeException rdmaFailure;

    Endpoint(Engine engine, Memories memories, Duration closeTimeout, Hello peer) {
        this.engine = engine;
        this.protocol = engine.protocol();
        this.sending = "sending over " + engine;
        this.receiving = "receiving from " + engine;
        this.claiming = "claiming a message of " + engine;
        this.memories = memories;
        this.closeTimeout = closeTimeout;
        this.peer = peer;
        this.transfers = new Transfers(engine);
        this.grants = new Grants(engine, memories, transfers);
    }

    /**
     * Connects to an {@link EndpointServer}, with the defaults of {@link EndpointConfig}.
     *
     * @param server its address
     * @param timeout how long to try
     * @return the endpoint; close it after use
     * @throws EndpointException if the server speaks another protocol, or another version of this protocol
     * @throws io.github.rdma4j.verbs.cm.ConnectionException if the server cannot be reached, refuses, or does not
     *     answer in time
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws io.github.rdma4j.verbs.VerbsException if no RDMA device can reach it
     */
    public static Endpoint connect(InetSocketAddress server, Duration timeout) {
        return connect(server, settings -> {}, timeout);
    }

    /**
     * Connects to an {@link EndpointServer} (rdma_connect(3); over TCP connect(2)). Returns when the server's program
     * has called {@link EndpointServer#accept}, so the two need different threads or processes.
     *
     * <p>Each failure to connect is a {@link io.github.rdma4j.verbs.VerbsException}; the types below distinguish them.
     *
     * <p>Each call resolves an unresolved name ({@link InetSocketAddress#createUnresolved}) as {@link
     * java.net.InetAddress#getAllByName} does; Java caches the result for 30 s ({@code networkaddress.cache.ttl}). It
     * tries the IPv4 and IPv6 addresses in turn, each for an equal part of the remaining time. The lookup counts
     * towards the timeout, but neither the timeout nor an interrupt ends it.
     *
     * @param server the port, and the address of a network interface that has an RDMA device; over TCP any address
     * @param configuration sets what differs from the defaults
     * @param timeout how long to try
     * @return the endpoint; close it after use
     * @throws EndpointException if the name cannot be resolved (the cause is the {@link
     *     java.net.UnknownHostException}), if the server speaks another protocol or version, if none of several
     *     addresses can be reached (the cause is the first failure; the others are suppressed), if over TCP the server
     *     does not answer in time, or if with {@link Transport#RDMA_OR_TCP} neither transport connects (the cause is
     *     the failure of RDMA; the failure of TCP is suppressed)
     * @throws io.github.rdma4j.verbs.cm.ConnectionException if the server cannot be reached, refuses, or does not
     *     answer in time
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws io.github.rdma4j.verbs.VerbsException if no RDMA device can reach the server or provide what the
     *     configuration asks for; over TCP, if the server cannot be reached
     * @throws IllegalArgumentException if settings contradict each other
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted
     * @throws IllegalStateException if the configured group or protection domain is closed; over TCP this is not
     *     checked
     */
    public static Endpoint connect(InetSocketAddress server, Consumer<EndpointConfig> configuration, Duration timeout) {
        Objects.requireNonNull(server, "address of the server");
        return connect(server, Connector.unresolvedName(server), configuration, timeout);
    }

    /** Resolves a name first, if there is one. */
    static Endpoint connect(
            InetSocketAddress server, String name, Consumer<EndpointConfig> configuration, Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        EndpointConfig config = new EndpointConfig();
        configuration.accept(config);
        return Connector.connect(server, name, config.settings(), timeout);
    }

    /**
     * Sends a message; waits while the peer has no free buffer or the send queue is full. The message is copied; you
     * may reuse the segment when this method returns.
     *
     * @param message at most {@link #maxMessageSize()} bytes, in native or heap memory
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
                    case OK -> Boolean.TRUE;
                    case CLOSED_BY_PEER -> throw protocol.ended(sending);
                    default -> null;
                })
                != null;
    }

    /**
     * Sends an array; see {@link #send(MemorySegment, Duration)}.
     *
     * @param message at most {@link #maxMessageSize()} bytes
     * @param timeout how long to wait; zero or less does not wait
     * @return false on timeout; nothing is sent then
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; nothing is sent then
     * @throws IllegalStateException if this endpoint is closed, before or during the call
     */
    public boolean send(byte[] message, Duration timeout) {
        return send(MemorySegment.ofArray(message), timeout);
    }

    /**
     * Sends the remaining bytes of a buffer; see {@link #send(MemorySegment, Duration)}. After a successful send the
     * buffer's position is its limit.
     *
     * @param message a buffer of any kind with at most {@link #maxMessageSize()} bytes between position and
     *     limit
     * @param timeout how long to wait; zero or less does not wait
     * @return false on timeout; nothing is sent then
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; nothing is sent then
     * @throws IllegalStateException if this endpoint is closed, before or during the call
     */
    public boolean send(ByteBuffer message, Duration timeout) {
        boolean sent = send(MemorySegment.ofBuffer(message), timeout);
        if (sent) {
            message.position(message.limit());
        }
        return sent;
    }

    /**
     * Sends several messages, with one doorbell for as many as possible, and waits while the peer has no free buffer or
     * the send queue is full. The messages are copied; you may reuse the segments when this method returns.
     *
     * @param messages each at most {@link #maxMessageSize()} bytes; the methods of the list are called with the lock
     *     held
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
            if (more == CLOSED_BY_PEER) {
                throw protocol.ended(sending);
            }
            sent[0] += more;
            return sent[0] == messages.size() ? Boolean.TRUE : null;
        });
        return sent[0];
    }

    /**
     * Claims a send buffer, so that you can write a message without a copy; waits while the peer has no free buffer or
     * the send queue is full.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return the message: write and send it, or close it; empty on timeout
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint is closed, before or during the call
     */
    public Optional<OutgoingMessage> claim(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
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
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends a message as soon as the peer has a free buffer. Any number of messages may wait, in order. The endpoint
     * keeps each until it is sent, and nothing limits them: limit the number of pending futures in your program.
     * Cancelling the future, or a timeout, withdraws a message that still waits; it does not affect a message that is
     * under way.
     *
     * @param message at most {@link #maxMessageSize()} bytes, in memory that other threads may read; do not
     *     modify it until the future completes
     * @return completes when the peer's adapter, or over TCP its kernel, has the message, which the peer's program may
     *     not have read yet; exceptionally with a {@link TransferException},
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
            engine.progressIfDue();
            protocol.sendAsync(message, promise);
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit(promise);
        }
        return promise;
    }

    /**
     * Sends an array as soon as the peer has a free buffer; see {@link #sendAsync(MemorySegment)}.
     *
     * @param message at most {@link #maxMessageSize()} bytes; do not modify it until the future completes
     * @return as {@link #sendAsync(MemorySegment)}
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws IllegalStateException if this endpoint is closed
     */
    public CompletableFuture<Void> sendAsync(byte[] message) {
        return sendAsync(MemorySegment.ofArray(message));
    }

    /**
     * Waits for a message and passes it to a handler, in this thread. An exception of the handler propagates; its
     * message counts as read.
     *
     * @param handler gets a view of the message, which is valid until the handler returns
     * @param timeout how long to wait; zero or less does not wait
     * @return true if there was a message, false on timeout
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
        boolean errorFromHandler = false;
        try {
            Message message = engine.message(buffer);
            errorFromHandler = true;
            try {
                handler.onMessage(message);
            } finally {
                errorFromHandler = false;
                engine.release(message, buffer);
                errorFromHandler = true;
            }
            return true;
        } catch (Error e) {
            if (!errorFromHandler) {
                engine.fatalError = e;
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
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit(promise);
        }
        return promise;
    }

    /**
     * Makes progress until this endpoint is closed, or the connection has ended and nothing is under way any more. It
     * sleeps while there is nothing to do. Run it on a thread of your own if your program uses only futures.
     *
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted
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

    Engine engine() {
        return engine;
    }

    Endpoint withRdmaFailure(RuntimeException failure) {
        rdmaFailure = failure;
        return this;
    }

    /**
     * {@return the current transport: {@link Transport#RDMA} or {@link Transport#TCP}; it changes only with {@link
     * Transport#RDMA_WITH_FAILOVER}}
     */
    public Transport transport() {
        return memories.transport();
    }

    /**
     * Returns why a client with {@link Transport#RDMA_OR_TCP} uses TCP, or why either side with {@link
     * Transport#RDMA_WITH_FAILOVER} uses TCP at the moment.
     *
     * @return the failure of RDMA, with its cause and what to do; empty if the endpoint uses RDMA, if RDMA was not
     *     tried, and with {@link Transport#RDMA_OR_TCP} at the server
     */
    public Optional<RuntimeException> rdmaFailure() {
        return Optional.ofNullable(rdmaFailure).or(memories::rdmaFailure);
    }

    /**
     * {@return the longest message that can be sent, in bytes: the smaller {@link EndpointConfig#maxMessageSize} of the
     * two sides}
     */
    public int maxMessageSize() {
        return protocol.maxMessage();
    }

    /**
     * Returns how many messages the checksums have confirmed and refused; see {@link EndpointConfig#integrity}.
     *
     * @return the counts; empty if messages have no checksums
     */
    public Optional<IntegrityCounters> integrity() {
        engine.enter();
        try {
            return Optional.ofNullable(protocol.sums())
                    .map(sums -> new IntegrityCounters(sums.sent(), sums.intact(), sums.corrupt()));
        } finally {
            engine.exit();
        }
    }

    /**
     * Returns how many messages were sent, read by the peer, and received, also after the connection was lost or this
     * endpoint was closed.
     *
     * @return the counts
     */
    public EndpointCounters counters() {
        engine.enter();
        try {
            Credits credits = protocol.credits();
            return new EndpointCounters(credits.sent(protocol.slots().claimed()), credits.taken(), credits.received());
        } finally {
            engine.exit();
        }
    }

    /** Whether neither side has closed and the connection is not known to be lost. Does not check for new events. */
    boolean isUp() {
        engine.enter();
        try {
            return !engine.isClosing() && protocol.isOpen();
        } finally {
            engine.exit();
        }
    }

    /** Why the endpoint is not up. */
    String endReason() {
        engine.enter();
        try {
            return protocol.endReason();
        } finally {
            engine.exit();
        }
    }

    /** The identity of the server that this side is connected to; 0 if this side is the server. */
    long serverIdentity() {
        return peer.serverIdentity();
    }

    /** {@return this side's address and port; empty after the close} */
    public Optional<InetSocketAddress> localAddress() {
        return engine.ask(Link::localAddress);
    }

    /** {@return the peer's address and port; empty after the close} */
    public Optional<InetSocketAddress> peerAddress() {
        return engine.ask(Link::peerAddress);
    }

    /** {@return the private data that the peer sent with the connection; empty if there is none} */
    public byte[] peerPrivateData() {
        return peer.userData().clone();
    }

    /**
     * Returns the protection domain that memory for transfers must be registered in. {@link #allocateMemory} and {@link
     * #expose(long, AccessFlag...)} need none.
     *
     * @return the protection domain
     * @throws UnsupportedOperationException over TCP, unless the configuration gave a protection domain
     */
    public ProtectionDomain protectionDomain() {
        return memories.domain();
    }

    /**
     * Returns how many messages the peer has buffers for now.
     *
     * @return the number; 0 if the peer has closed or the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int credits() {
        engine.enter();
        try {
            engine.requireOpen();
            return protocol.isOpen() ? protocol.credits().available() : 0;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends a message without waiting. The message is copied; you may reuse the segment when this method returns.
     *
     * @param message at most {@link #maxMessageSize()} bytes, in native or heap memory
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySend(MemorySegment message) {
        engine.enter();
        try {
            engine.requireOpen();
            int code = protocol.trySend(message);
            return engine.progressIfRefused(code) ? protocol.trySend(message) : code;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends an array without waiting; see {@link #trySend(MemorySegment)}.
     *
     * @param message at most {@link #maxMessageSize()} bytes; you may reuse it when this method returns
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySend(byte[] message) {
        return trySend(MemorySegment.ofArray(message));
    }

    /**
     * Sends the remaining bytes of a buffer without waiting; see {@link #trySend(MemorySegment)}. After a successful
     * send the buffer's position is its limit.
     *
     * @param message a buffer of any kind with at most {@link #maxMessageSize()} bytes between position and limit
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long; the text contains both lengths
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySend(ByteBuffer message) {
        engine.enter();
        try {
            engine.requireOpen();
            int code = protocol.trySend(message);
            return engine.progressIfRefused(code) ? protocol.trySend(message) : code;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends a message from registered memory without waiting and without a copy: the adapter reads the memory, so do
     * not modify it until the message completes. The message is copied over TCP, on iWARP, with {@link
     * Transport#RDMA_WITH_FAILOVER} and with {@link EndpointConfig#integrity}; the calling thread must then have access
     * to the memory.
     *
     * <p>{@link Transfers#pollTransfers} and {@link Transfers#awaitTransfers} report the completion, as they do for a
     * transfer, with the meaning that {@link #sendAsync(MemorySegment)} gives. The completion alone does not wake a
     * thread or selector that sleeps for something else; it is reported with the next event, or after a tenth of {@link
     * EndpointConfig#silenceTimeout}; with a timeout of zero, only with the next event. The message keeps its slot in
     * the send queue until its completion has been polled.
     *
     * @param id passed to the {@link TransferHandler}
     * @param message at most {@link #maxMessageSize()} bytes, in a region of {@link #protectionDomain()}; over TCP in
     *     any region
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long or belongs to another protection domain
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint or the region is closed
     * @throws UnsupportedOperationException if the message must be copied and its region {@linkplain
     *     io.github.rdma4j.verbs.MemoryRegion#hasSegment() has no segment}
     * @throws WrongThreadException if the message must be copied and its arena is confined to another thread
     */
    public int trySend(long id, MemorySlice message) {
        engine.enter();
        try {
            engine.requireOpen();
            int code = protocol.trySend(id, message);
            return engine.progressIfRefused(code) ? protocol.trySend(id, message) : code;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends as many of several messages as possible without waiting, in order, with one doorbell. The messages are
     * copied; you may reuse the segments when this method returns.
     *
     * @param messages each at most {@link #maxMessageSize()} bytes; the methods of the list are called with the lock
     *     held
     * @return how many were sent, from 0 to their number; or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if one of them is too long; nothing is sent then
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySendAll(List<? extends MemorySegment> messages) {
        engine.enter();
        try {
            engine.requireOpen();
            int sent = protocol.trySendAll(messages);
            if (sent == 0) {
                engine.progress();
                sent = protocol.trySendAll(messages);
            }
            return sent;
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Passes the messages that have arrived to a handler, in this thread; makes progress first if there are none. Never
     * waits. An exception of the handler propagates; its message counts as read.
     *
     * @param handler gets a view of each message, which is valid until the handler returns
     * @return the number of messages, at most the number of receive buffers; {@link #CLOSED_BY_PEER} if there are none
     *     and the peer has closed
     * @throws ConnectionLostException if there are no messages and the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int poll(MessageHandler handler) {
        int buffer = firstMessage();
        if (buffer < 0) {
            return buffer == Engine.NO_MESSAGE ? 0 : CLOSED_BY_PEER;
        }
        return engine.deliver(buffer, handler);
    }

    /**
     * {@link Engine#NO_MESSAGE} if there is none now, {@link #PEER_HAS_CLOSED} if there is none and the peer has
     * closed.
     */
    private int firstMessage() {
        engine.enter();
        try {
            engine.requireOpen();
            if (!protocol.hasMessage()) {
                engine.progress();
            }
            int buffer = engine.take();
            if (buffer >= 0) {
                return buffer;
            }
            return switch (protocol.state()) {
                case OPEN -> Engine.NO_MESSAGE;
                case PEER_CLOSED -> PEER_HAS_CLOSED;
                case LOST -> throw protocol.ended(receiving);
            };
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Returns a byte stream over this endpoint's messages, for code that uses channels: {@link
     * java.nio.channels.Channels#newInputStream}, {@link java.nio.channels.FileChannel#transferTo}. The channel cuts
     * written bytes into messages and hides message boundaries from the reader. Each byte is copied once on each side.
     * The peer may use messages instead of a channel.
     *
     * @param timeout how long a read may wait for a byte, and a write for the peer to take the next message, before it
     *     throws a {@link java.net.SocketTimeoutException}
     * @return the channel; closing it closes this endpoint. Reads return -1 when the peer has closed. Any thread may
     *     read or write: readers take turns, writers take turns, and neither blocks the other. A failure of the
     *     endpoint is an {@link java.io.IOException} with the {@link EndpointException} as its cause
     */
    public ByteChannel asByteChannel(Duration timeout) {
        return new EndpointChannel(this, Objects.requireNonNull(timeout, "timeout"));
    }

    /** {@return transfers to and from memory that the peer has exposed; always the same object} */
    public Transfers transfers() {
        return transfers;
    }

    /**
     * Allocates registered memory for the local side of transfers.
     *
     * @param size in bytes, above 0
     * @return the memory, zeroed. Close it after use. Over RDMA, closing {@link #protectionDomain()} also closes the
     *     memory. This endpoint closes the domain when it is closed, unless the configuration or a server provided the
     *     domain
     * @throws IllegalStateException if this endpoint is closed
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel refuses; if locked memory is exhausted, the message
     *     contains the limit and what to do
     */
    public MemoryRegion allocateMemory(long size) {
        return openMemories().allocate(size, AccessFlag.LOCAL_WRITE);
    }

    /**
     * Allocates memory that this peer, and every other peer of the protection domain, can use with its handle. To give
     * memory to this peer only, use {@link #grant(long, Duration, AccessFlag...)}.
     *
     * @param size in bytes, above 0
     * @param rights what peers may do: {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and {@link
     *     AccessFlag#REMOTE_ATOMIC}
     * @return the memory, zeroed. Close it after use. Closing {@link #protectionDomain()} closes it as well, but not
     *     over TCP
     * @throws IllegalArgumentException if there are no rights, or others than the three
     * @throws IllegalStateException if this endpoint is closed
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel refuses; if locked memory is exhausted, the message
     *     contains the limit and what to do
     */
    public ExposedMemory expose(long size, AccessFlag... rights) {
        return openMemories().expose(size, rights);
    }

    /**
     * Exposes memory that is already registered, for example device memory.
     *
     * @param region registered in {@link #protectionDomain()} with at least these rights
     * @param rights what peers may do
     * @return the memory; closing it closes the region
     * @throws IllegalArgumentException if the region belongs to another protection domain or to a memory pool, was
     *     registered without these rights, or has the same key as a region that the server has exposed from another
     *     adapter: register it again to get another key
     * @throws IllegalStateException if this endpoint is closed
     */
    public ExposedMemory expose(MemoryRegion region, AccessFlag... rights) {
        return openMemories().expose(region.slice(), true, rights);
    }

    /**
     * Exposes a part of memory that is already registered, for example memory of a pool ({@link
     * io.github.rdma4j.verbs.pool.PooledMemory#slice()}). The handle names only this part, but the adapter checks only
     * the bounds of the region. A peer that forges a handle can reach the whole region.
     *
     * @param slice of a region that was registered in {@link #protectionDomain()} with at least these rights
     * @param rights what peers may do
     * @return the memory. Closing it does not close the region: peers can use the memory until the region is closed, or
     *     for memory of a pool, until the pool is closed
     * @throws IllegalArgumentException if the region belongs to another protection domain, was registered without these
     *     rights, or has the same key as a region that the server has exposed from another adapter: register it again
     *     to get another key
     * @throws IllegalStateException if this endpoint is closed
     */
    public ExposedMemory expose(MemorySlice slice, AccessFlag... rights) {
        return openMemories().expose(slice, false, rights);
    }

    private Memories openMemories() {
        engine.enter();
        try {
            engine.requireOpen();
            return memories;
        } finally {
            engine.exit();
        }
    }

    /**
     * Gives memory to this peer only, until the grant is closed: binds a memory window of type 2 to this connection
     * (ibv_alloc_mw(3), ibv_wr_bind_mw(3)). Over TCP a table of this connection has the same effect. If the device has
     * no such windows, or with {@link Transport#RDMA_WITH_FAILOVER}, this method registers the memory once more, with
     * these rights. Other peers of the protection domain can then use it if they get its key; {@link
     * GrantedMemory#whyNotExclusive()} says so.
     *
     * <p>A window is bound in the order of messages and transfers, so this method may have to wait. It uses a region
     * with {@link AccessFlag#MW_BIND} as it is; of any other region it registers the part once more.
     *
     * @param memory what to grant; it remains yours to close
     * @param timeout how long to wait
     * @param rights what the peer may do: {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and {@link
     *     AccessFlag#REMOTE_ATOMIC}
     * @return the grant; it ends when you close it or this endpoint
     * @throws IllegalArgumentException if there are no rights, or other rights; if the memory is empty or cannot be
     *     granted
     * @throws TransferTimeoutException if the window could not be bound in time
     * @throws TransferException if the adapter refuses to bind; the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.VerbsException if the device has no windows left, or the memory cannot be
     *     registered
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint or the region is closed
     */
    public GrantedMemory grant(MemorySlice memory, Duration timeout, AccessFlag... rights) {
        return grants.grant(memory, Objects.requireNonNull(timeout, "timeout"), rights);
    }

    /**
     * Allocates memory and gives it to this peer only; see {@link #grant(MemorySlice, Duration, AccessFlag...)}.
     *
     * @param size in bytes, above 0
     * @param timeout how long to wait
     * @param rights what the peer may do
     * @return the grant, zeroed; it ends, and its memory is freed, when you close it or this endpoint
     */
    public GrantedMemory grant(long size, Duration timeout, AccessFlag... rights) {
        return grants.grant(size, Objects.requireNonNull(timeout, "timeout"), rights);
    }

    /**
     * {@return whether this side has not been closed; also true after the connection was lost or the peer has closed}
     */
    public boolean isOpen() {
        return engine.isOpen();
    }

    /**
     * Checks whether the connection is still there: makes progress and queries the connection manager, which is a
     * system call. Call it before you reuse a pooled or long idle endpoint. A dead path is
     * detected only after {@link EndpointConfig#silenceTimeout}.
     *
     * @return false if this endpoint is closed, the peer has closed, or the connection is lost; there may still be
     *     messages to read
     */
    public boolean isConnected() {
        engine.enter();
        try {
            if (engine.isClosing()) {
                return false;
            }
            engine.progressAndCheckConnection();
            return protocol.isOpen();
        } catch (Error e) {
            engine.fatalError = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /** Closes this endpoint, waiting up to {@link EndpointConfig#closeTimeout}; see {@link #close(Duration)}. */
    @Override
    public void close() {
        close(closeTimeout);
    }

    /**
     * Closes this endpoint: waits until everything that was accepted for sending has arrived at the peer's adapter
     * (over TCP, its kernel), notifies the peer, and ends the connection. Sending, receiving and transfers, including
     * those that wait, throw {@link IllegalStateException} at once. Messages that have arrived but were not read are
     * dropped. Messages that could not be sent in time are dropped, and their futures fail. A message that a handler is
     * using stays valid until the handler returns.
     *
     * <p>If the peer cannot be notified, the close continues and the peer gets a {@link ConnectionLostException}.
     * Calling this method again retries what could not be closed before. If another thread is closing this endpoint,
     * this method returns at once.
     *
     * @param timeout how long to wait; zero or less drops what is not sent yet. Notifying the peer may take one more
     *     second
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; the endpoint is closed
     *     nevertheless
     */
    public void close(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        CloseAll.of(() -> engine.close(timeout), grants::close);
    }

    /**
     * Ends the connection at once, without notifying the peer, which gets a {@link ConnectionLostException}. Also ends
     * a {@link #close()} that waits in another thread.
     */
    public void abort() {
        CloseAll.of(engine::abort, grants::close);
    }

    /** {@return the addresses of both sides} */
    @Override
    public String toString() {
        return engine.toString();
    }
}
