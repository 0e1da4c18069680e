// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
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
 * One end of a connection: messages to and from the peer, and transfers to and from memory that the peer has exposed.
 *
 * <p><b>Messages</b> arrive whole, once, and in order. Flow control is built in: a side sends only as many as the other
 * has free buffers for, its <em>credits</em>, and a program that reads slowly slows its peer down, with nothing lost. A
 * message longer than {@link #maxMessageSize()} is refused; longer data goes through exposed memory.
 *
 * <p><b>Exposed memory</b>: {@link #expose(long, AccessFlag...)} gives a {@link MemoryHandle}, which travels as bytes;
 * a peer reads, writes and changes the memory without this side's processor.
 *
 * <p><b>Progress.</b> There are no hidden threads. Messages are taken in, credits are given back and futures are
 * completed by whatever thread is inside a method of this object, or waits for one of its futures: one that polls, one
 * that waits, one that sends. A future is completed by the thread that makes progress at that moment, after the
 * endpoint's lock was given back; what is chained to it runs there, unless an executor is given ({@link
 * CompletableFuture#thenApplyAsync}). Waiting for a future ({@code get}, {@code join}) makes progress, too; waiting for
 * {@link CompletableFuture#allOf} of several does not. A program that only chains futures must give a thread, for
 * instance {@code executor.execute(endpoint::progressLoop)}, or an {@link EndpointSelector}. What waits looks for a
 * while, and then sleeps ({@link EndpointConfig#spinLimit}); a virtual thread that sleeps holds no carrier.
 *
 * <p><b>The end.</b> A peer that closes in good order is told apart from one that is gone: the first is {@link
 * #CLOSED_BY_PEER} or a {@link ClosedByPeerException}, after its last message; the second a {@link
 * ConnectionLostException}, after the messages that had arrived. After this side's own {@link #close()}, which also
 * ends the waits of other threads, everything is an {@link IllegalStateException}.
 *
 * <p><b>Errors.</b> A {@link StackOverflowError} or {@link OutOfMemoryError} in a method of an endpoint either leaves
 * everything as it was, or loses the connection: the {@link ConnectionLostException} of the next call has the error
 * as its cause. In a group, an error that interrupts the group's own bookkeeping loses all endpoints that share those
 * queues. A method that takes the endpoint's lock first makes sure that about 8 KiB of the stack are left, because the
 * JDK's locks may stay locked if the stack overflows inside them.
 *
 * <p><b>Transport.</b> RDMA, unless {@link EndpointConfig#transport} says otherwise. All of the above holds over TCP,
 * too, but that the peer's processor, not its adapter, serves transfers: threads that are inside the peer's endpoint.
 *
 * <p>Thread safety: all methods may be called from any thread, by several at a time; a lock orders them, which no
 * thread holds while it waits or runs the program's code. Messages are sent in the order of the calls. If several
 * threads receive, each message goes to one of them. Over RDMA, sending ({@link #trySend}), transfers with an id and
 * polling allocate nothing as long as messages keep their length.
 *
 * @since 0.1.0
 */
public final class Endpoint extends WaitingEndpoint implements AutoCloseable {
    /** Done; the message or transfer is on its way. */
    public static final int OK = Protocol.OK;
    /** Nothing was sent: the peer has no free buffer. Poll, so that its credits can come in, and try again. */
    public static final int NO_CREDIT = Protocol.NO_CREDIT;
    /**
     * Nothing was posted: {@link EndpointConfig#sendDepth} messages and transfers are under way, or earlier ones still
     * wait for their turn. Poll, and try again.
     */
    public static final int QUEUE_FULL = Protocol.QUEUE_FULL;
    /** The peer has closed its endpoint in good order. */
    public static final int CLOSED_BY_PEER = Protocol.CLOSED_BY_PEER;

    /** In the place of a buffer: there is no message. */
    static final int NO_MESSAGE = -1;
    /** In the place of a buffer: there is none, and the peer has closed. */
    private static final int THE_END = -2;

    private final Memories memories;
    private final Duration closeTimeout;
    private final Hello peer;
    private final Transfers transfers;
    private final Grants grants;
    /** Why it is not over RDMA though that was tried; set before the program has the endpoint. */
    private volatile RuntimeException rdmaFailure;

    Endpoint(Engine engine, Memories memories, Duration closeTimeout, Hello peer) {
        super(engine);
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
     * @return the endpoint, to be closed
     * @throws EndpointException if the server speaks another protocol, or another version of this one
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
     * has {@linkplain EndpointServer#accept accepted}, which it does in another thread or process.
     *
     * <p>A name that is not resolved ({@link InetSocketAddress#createUnresolved}) is looked up by each call, as {@link
     * java.net.InetAddress#getAllByName} does it: Java keeps what it finds for 30 s ({@code networkaddress.cache.ttl}).
     * Its addresses, IPv4 and IPv6, are tried in turn, each for an equal part of the time that is left. The look-up
     * counts, too, but has the limits of the name service alone, and an interrupt does not end it.
     *
     * @param server the address of a network interface that has an RDMA device, over TCP of any, and the port
     * @param configuration sets what differs from the defaults
     * @param timeout how long to try
     * @return the endpoint, to be closed
     * @throws EndpointException if no address is known for the name: the cause is the {@link
     *     java.net.UnknownHostException}; if it has several addresses and none can be reached: the cause is the failure
     *     of the first, and those of the others are suppressed; if the server speaks another protocol, or another
     *     version of this one; over TCP, if it does not answer in time; with {@link Transport#RDMA_OR_TCP}, if
     *     neither connects: the message has both
     *     reasons, the cause is that of RDMA, and that of TCP is suppressed
     * @throws io.github.rdma4j.verbs.cm.ConnectionException if the server cannot be reached, refuses, or does not
     *     answer in time
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws io.github.rdma4j.verbs.VerbsException if no RDMA device can reach it, or it cannot give what the
     *     configuration asks for; over TCP, if it cannot be reached
     * @throws IllegalArgumentException if the configuration asks for what cannot be had together
     * @throws IllegalStateException if its group or protection domain is closed; over TCP neither is asked
     */
    public static Endpoint connect(InetSocketAddress server, Consumer<EndpointConfig> configuration, Duration timeout) {
        Objects.requireNonNull(server, "address of the server");
        return connect(server, Connector.unresolvedName(server), configuration, timeout);
    }

    /** Looks a name up first, if there is one. */
    static Endpoint connect(
            InetSocketAddress server, String name, Consumer<EndpointConfig> configuration, Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        EndpointConfig config = new EndpointConfig();
        configuration.accept(config);
        config.check();
        return Connector.connect(server, name, config, timeout);
    }

    Engine engine() {
        return engine;
    }

    Endpoint insteadOfRdma(RuntimeException failure) {
        rdmaFailure = failure;
        return this;
    }

    /**
     * {@return what carries it now: {@link Transport#RDMA} or {@link Transport#TCP}; that changes only with {@link
     * Transport#RDMA_WITH_FAILOVER}}
     */
    public Transport transport() {
        return memories.transport();
    }

    /**
     * Why a client over {@link Transport#RDMA_OR_TCP} has taken TCP, and why either side over {@link
     * Transport#RDMA_WITH_FAILOVER} is over TCP now.
     *
     * @return what connecting over RDMA threw, or how it failed, with cause and remedy; empty if the endpoint is over
     *     RDMA, if RDMA was not tried, and with {@link Transport#RDMA_OR_TCP} at the server, which is not told
     */
    public Optional<RuntimeException> rdmaFailure() {
        return Optional.ofNullable(rdmaFailure).or(memories::rdmaFailure);
    }

    /**
     * {@return the longest message that can be sent, in bytes: the smaller one of both sides' {@link
     * EndpointConfig#maxMessageSize}}
     */
    public int maxMessageSize() {
        return protocol.maxMessage();
    }

    /**
     * What the sums of messages have found; see {@link EndpointConfig#integrity}.
     *
     * @return the counts until now; empty if messages have no sums
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
     * How many messages were sent and received, also after the connection was lost or this endpoint closed: then it
     * says what became of them.
     *
     * @return the counts until now
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

    /** Whether nobody has closed it, as far as is known: without a look. */
    boolean isUp() {
        engine.enter();
        try {
            return !engine.isClosing() && protocol.isOpen();
        } finally {
            engine.exit();
        }
    }

    /** Why it is not up. */
    String endReason() {
        engine.enter();
        try {
            return protocol.endReason();
        } finally {
            engine.exit();
        }
    }

    /** Which server it is connected to; of that side's endpoint 0. */
    long peerLife() {
        return peer.life();
    }

    /** {@return this side's address and port; empty after the close} */
    public Optional<InetSocketAddress> localAddress() {
        return engine.ask(Link::localAddress);
    }

    /** {@return the peer's address and port; empty after the close} */
    public Optional<InetSocketAddress> peerAddress() {
        return engine.ask(Link::peerAddress);
    }

    /** {@return the program's own bytes that the peer sent along with the connection; none if there are none} */
    public byte[] peerPrivateData() {
        return peer.userData().clone();
    }

    /** {@return the domain in which memory for transfers must be registered} */
    public ProtectionDomain protectionDomain() {
        return memories.domain();
    }

    /**
     * How many messages could be sent now, as far as the peer's buffers go.
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
     * Sends a message if that is possible at once. It is copied; the segment is free when this returns.
     *
     * @param message of at most {@link #maxMessageSize()} bytes, in any memory, also on the heap
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long; the message gives both numbers
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySend(MemorySegment message) {
        engine.enter();
        try {
            engine.requireOpen();
            int code = protocol.trySend(message);
            return engine.makesRoom(code) ? protocol.trySend(message) : code;
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends an array if that is possible at once; see {@link #trySend(MemorySegment)}.
     *
     * @param message of at most {@link #maxMessageSize()} bytes; free when this returns
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long; the message gives both numbers
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySend(byte[] message) {
        return trySend(MemorySegment.ofArray(message));
    }

    /**
     * Sends what remains in a buffer, if that is possible at once; see {@link #trySend(MemorySegment)}. If it was sent,
     * the position is the limit afterwards.
     *
     * @param message with at most {@link #maxMessageSize()} bytes between position and limit, of any kind
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long; the message gives both numbers
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int trySend(ByteBuffer message) {
        engine.enter();
        try {
            engine.requireOpen();
            int code = protocol.trySend(message);
            return engine.makesRoom(code) ? protocol.trySend(message) : code;
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends a message from where it lies, if that is possible at once: the adapter reads it there, so it must not
     * change until its end is told. It is copied only where there is no other way: over TCP, and on iWARP.
     *
     * <p>{@link Transfers#pollTransfers} and {@link Transfers#awaitTransfers} tell its end, as that of a transfer: the
     * bytes are then with the peer's adapter. A thread or a selector that sleeps for something else is not woken for
     * that alone, and hears of it with the next thing that comes, or after a tenth of {@link
     * EndpointConfig#silenceTimeout}. The message keeps its place in the send queue until it was polled for.
     *
     * @param id what the handler of transfers is told
     * @param message of at most {@link #maxMessageSize()} bytes, of a region of {@link #protectionDomain()}; over TCP
     *     of any region
     * @return {@link #OK}, {@link #NO_CREDIT}, {@link #QUEUE_FULL} or {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if the message is too long, or of another protection domain
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this endpoint or the region is closed
     */
    public int trySend(long id, MemorySlice message) {
        engine.enter();
        try {
            engine.requireOpen();
            int code = protocol.trySend(id, message);
            return engine.makesRoom(code) ? protocol.trySend(id, message) : code;
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Sends the first of several messages, as many as are possible at once, and rings the adapter's doorbell once for
     * all. They are copied; the segments are free when this returns.
     *
     * @param messages each of at most {@link #maxMessageSize()} bytes
     * @return how many were sent, from 0 to their number; {@link #CLOSED_BY_PEER}
     * @throws IllegalArgumentException if one of them is too long; nothing was sent then
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
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Makes progress, and gives the messages that have arrived to a handler, in this thread. Never waits. What the
     * handler throws comes out of here; that message counts as read.
     *
     * @param handler gets a view of each message, valid until it returns
     * @return how many messages there were, at most as many as there are buffers; {@link #CLOSED_BY_PEER} if there are
     *     none and the peer has closed
     * @throws ConnectionLostException if there are none and the connection is lost
     * @throws IllegalStateException if this endpoint is closed
     */
    public int poll(MessageHandler handler) {
        int buffer = firstMessage();
        if (buffer < 0) {
            return buffer == NO_MESSAGE ? 0 : CLOSED_BY_PEER;
        }
        return give(buffer, handler);
    }

    /** Gives a handler a message that was taken, and those behind it; how many. */
    int give(int first, MessageHandler handler) {
        int buffer = first;
        int count = 0;
        boolean inHandler = false;
        try {
            // Behind the first one, what had come until then is enough: another look costs as much as a message.
            int most = protocol.credits().buffers();
            while (buffer >= 0) {
                Message message = engine.message(buffer);
                inHandler = true;
                try {
                    handler.onMessage(message);
                } catch (Throwable e) {
                    inHandler = false;
                    giveBack(message, buffer);
                    inHandler = true;
                    throw e;
                }
                inHandler = false;
                count++;
                boolean held = !message.close();
                // Without the lock: what another thread takes in meanwhile is for the next poll.
                buffer = held && !protocol.hasMessage()
                        ? NO_MESSAGE
                        : engine.releaseAndTake(held ? NO_MESSAGE : buffer, count < most);
            }
            return count;
        } catch (Error e) {
            if (!inHandler) {
                engine.interrupted = e;
            }
            throw e;
        }
    }

    /** {@link #NO_MESSAGE} if there is none now, {@link #THE_END} if the peer has closed. */
    private int firstMessage() {
        engine.enter();
        try {
            engine.requireOpen();
            int buffer = engine.take();
            if (buffer < 0) {
                engine.progress();
                buffer = engine.take();
            }
            if (buffer >= 0) {
                return buffer;
            }
            return switch (protocol.state()) {
                case OPEN -> NO_MESSAGE;
                case PEER_CLOSED -> THE_END;
                case LOST -> throw protocol.ended(receiving);
            };
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * A stream of bytes over this endpoint's messages, for code that knows channels: {@link
     * java.nio.channels.Channels#newInputStream}, {@link java.nio.channels.FileChannel#transferTo}. What is written is
     * cut into messages; the boundaries of messages are not seen by who reads. Each byte is copied once on each side.
     * The peer may read messages as such, and write them.
     *
     * @param timeout how long a read or a write may wait for the peer; then it throws a
     *     {@link java.net.SocketTimeoutException}
     * @return the channel; closing it closes this endpoint. Reads end with -1 when the peer has closed. One thread may
     *     read while another one writes
     */
    public ByteChannel asByteChannel(Duration timeout) {
        return new EndpointChannel(this, Objects.requireNonNull(timeout, "timeout"));
    }

    /** {@return transfers to and from memory that the peer has exposed; the same object each time} */
    public Transfers transfers() {
        return transfers;
    }

    /**
     * Allocates registered memory for the local side of transfers.
     *
     * @param size in bytes, above 0
     * @return the memory, zeroed; to be closed by the program, or with {@link #protectionDomain()}, which is this
     *     endpoint's unless the configuration or a server gave another; over TCP by the program
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel refuses; out of locked memory, the message gives the
     *     limit and the remedy
     */
    public MemoryRegion allocateMemory(long size) {
        return memories.allocate(size, AccessFlag.LOCAL_WRITE);
    }

    /**
     * Allocates memory that peers can use.
     *
     * @param size in bytes, above 0
     * @param rights what peers may do, of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and
     *     {@link AccessFlag#REMOTE_ATOMIC}
     * @return the memory, zeroed; to be closed by the program, or with {@link #protectionDomain()}; over TCP by the
     *     program
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel refuses; out of locked memory, the message gives the
     *     limit and the remedy
     */
    public ExposedMemory expose(long size, AccessFlag... rights) {
        return memories.expose(size, rights);
    }

    /**
     * Exposes memory that is registered already, for instance device memory.
     *
     * @param region registered in {@link #protectionDomain()} with at least these rights
     * @param rights what peers may do
     * @return the memory; closing it closes the region
     * @throws IllegalArgumentException if the region belongs to another protection domain or to a memory pool, was
     *     registered without these rights, or has the key of one that another adapter of the server has registered
     */
    public ExposedMemory expose(MemoryRegion region, AccessFlag... rights) {
        return memories.expose(region.slice(), true, rights);
    }

    /**
     * Exposes a part of memory that is registered already, for instance memory of a pool ({@link
     * io.github.rdma4j.verbs.pool.PooledMemory#slice()}). The handle names this part alone. The adapter knows the
     * region only: a peer that forges a handle reaches all of it, so expose parts to peers that may see the rest.
     *
     * @param slice of a region that was registered in {@link #protectionDomain()} with at least these rights
     * @param rights what peers may do
     * @return the memory; closing it does not close the region
     * @throws IllegalArgumentException if the region belongs to another protection domain, was registered without these
     *     rights, or has the key of one that another adapter of the server has registered
     */
    public ExposedMemory expose(MemorySlice slice, AccessFlag... rights) {
        return memories.expose(slice, false, rights);
    }

    /**
     * Gives this peer memory that no other one can use, until it is taken back: a memory window of type 2, bound to
     * this connection (ibv_alloc_mw(3), ibv_wr_bind_mw(3)). Over TCP the table of this connection does the same. Where
     * the device has no such windows, and with {@link Transport#RDMA_WITH_FAILOVER}, the memory is registered once more
     * for this grant alone, with these rights: then others of the same protection domain can use it if they come to
     * know its key, and {@link GrantedMemory#whyNotExclusive()} says so.
     *
     * <p>A window is bound in the order of messages and transfers, so this may have to wait. A region that is
     * registered with {@link AccessFlag#MW_BIND} is used as it is; of another one, the part is registered once more.
     *
     * @param memory what to give; it stays the program's
     * @param timeout how long to wait
     * @param rights what the peer may do, of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and {@link
     *     AccessFlag#REMOTE_ATOMIC}
     * @return the grant, to be closed; with this endpoint at the latest
     * @throws IllegalArgumentException if there are no rights, or others; if the memory is empty, or cannot be given
     * @throws TransferTimeoutException if the window could not be bound in time
     * @throws TransferException if the adapter refuses to bind; the connection is lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws io.github.rdma4j.verbs.VerbsException if the device has no windows left, or memory cannot be registered
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this endpoint or the region is closed
     */
    public GrantedMemory grant(MemorySlice memory, Duration timeout, AccessFlag... rights) {
        return grants.grant(memory, Objects.requireNonNull(timeout, "timeout"), rights);
    }

    /**
     * Gives this peer new memory that no other one can use; see {@link #grant(MemorySlice, Duration, AccessFlag...)}.
     *
     * @param size in bytes, above 0
     * @param timeout how long to wait
     * @param rights what the peer may do
     * @return the grant, zeroed, to be closed; with this endpoint at the latest, and the memory with it
     */
    public GrantedMemory grant(long size, Duration timeout, AccessFlag... rights) {
        return grants.grant(size, Objects.requireNonNull(timeout, "timeout"), rights);
    }

    /**
     * {@return whether this side has not been closed; a connection that is lost or closed by the peer counts as open
     * until then}
     */
    public boolean isOpen() {
        return engine.isOpen();
    }

    /**
     * Looks whether the connection is there: takes in what has come, and asks the connection manager, which is a system
     * call. For a program that takes an endpoint out of a pool, or comes back to one after a while. A dead wire shows
     * only after {@link EndpointConfig#silenceTimeout}.
     *
     * @return false if this endpoint is closed, or the peer has closed, or the connection is lost; there may be
     *     messages to read nevertheless
     */
    public boolean isConnected() {
        engine.enter();
        try {
            if (engine.isClosing()) {
                return false;
            }
            engine.progressAndLook();
            return protocol.isOpen();
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        } finally {
            engine.exit();
        }
    }

    /**
     * Closes in good order, within {@link EndpointConfig#closeTimeout}; see {@link #close(Duration)}.
     */
    @Override
    public void close() {
        close(closeTimeout);
    }

    /**
     * Closes in good order: waits until everything that was accepted for sending has arrived, tells the peer, and ends
     * the connection. From the first moment on, all other calls, those that are waiting too, end with an {@link
     * IllegalStateException}. Messages that have arrived and were not read are dropped; so is what could not be sent in
     * time, and its futures say so. A message that a handler has in its hands stays valid until the handler returns. If
     * this endpoint is closed already, what could not be closed then is tried again. If the good-bye cannot be sent,
     * the close goes on, and the peer gets a {@link ConnectionLostException}.
     *
     * @param timeout how long to wait; zero or less drops what is not sent yet. The good-bye itself may take a second
     *     more
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted; the endpoint is closed
     *     nevertheless
     */
    public void close(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        CloseAll.of(() -> engine.close(timeout), grants::close);
    }

    /**
     * Ends the connection at once, without a word: the peer gets a {@link ConnectionLostException}. Ends a {@link
     * #close()} that waits in another thread, too.
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
