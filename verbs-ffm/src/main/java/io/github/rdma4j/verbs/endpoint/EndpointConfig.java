// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.TimeText;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Checksum;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * What an endpoint is to be. Each setter returns this object; everything has a default. The two sides need agree
 * on nothing but {@link #integrity}.
 *
 * @since 0.1.0
 */
public final class EndpointConfig {
    /** The most of the program's own bytes that travel with a connection. */
    public static final int MAX_PRIVATE_DATA = 40;

    private static final int LONGEST_MESSAGE = 1 << 26;
    private static final Duration SHORTEST_SILENCE = Duration.ofMillis(100);
    private static final Duration LONGEST_SPIN = Duration.ofSeconds(1);
    /** With one processor, whoever spins keeps it from those who would send something. */
    private static final long DEFAULT_SPIN_NANOS = Runtime.getRuntime().availableProcessors() > 1 ? 200_000 : 0;

    private int receiveBuffers = 64;
    private int maxMessageSize = 4096;
    private int sendDepth = 64;
    private int maxInlineData = 64;
    private int rnrRetryCount = 7;
    private OptionalInt ackTimeout = OptionalInt.empty();
    private Duration closeTimeout = Duration.ofSeconds(5);
    private Duration handshakeTimeout = Duration.ofSeconds(10);
    private Duration silenceTimeout = Duration.ofSeconds(30);
    private Duration spinLimit = Duration.ofNanos(DEFAULT_SPIN_NANOS);
    private InetSocketAddress localAddress;
    private byte[] privateData = {};
    private byte[] token = {};
    /** Of the server that is bound with this. */
    private final byte[] life = ByteBuffer.allocate(Hello.LIFE_BYTES)
            .putLong(ThreadLocalRandom.current().nextLong())
            .array();

    private Admission admission;
    private ProtectionDomain protectionDomain;
    private EndpointGroup group;
    private Transport transport = Transport.RDMA;
    private boolean integrity;
    private Duration rdmaTimeout = Duration.ofSeconds(2);
    private Duration recoveryInterval = Duration.ofSeconds(5);
    private Consumer<? super TransportMove> moveListener;

    EndpointConfig() {}

    /**
     * What carries messages and transfers; default {@link Transport#RDMA}. Over {@link Transport#TCP}, {@link
     * #maxInlineData}, {@link #rnrRetryCount}, {@link #ackTimeout} and {@link #group} mean nothing.
     *
     * @param kind which one; a client and a server over {@link Transport#RDMA_OR_TCP} understand those over one of the
     *     two, too
     * @return this
     */
    public EndpointConfig transport(Transport kind) {
        transport = Objects.requireNonNull(kind, "transport");
        return this;
    }

    /**
     * Whether each message carries a sum (CRC32C, and its number), which the receiver checks before its program sees
     * the message; default false. It finds what happens beside the wire, which the sums of the wire do not: in memory,
     * adapters, switches and kernels. A message that is not what was sent ends the connection ({@link
     * CorruptMessageException}). {@link Transfers} to and from exposed memory have none: {@link SealedBlock} is for
     * those.
     *
     * <p>Both sides must ask for it: where one alone does, connecting fails and says so. The sum takes four bytes on
     * the wire and in each buffer; {@link Endpoint#trySend(long, io.github.rdma4j.verbs.MemorySlice)} copies then.
     *
     * @param sums whether messages have sums; at most 2^26 - 4 bytes of {@link #maxMessageSize} go with it
     * @return this
     */
    public EndpointConfig integrity(boolean sums) {
        integrity = sums;
        return this;
    }

    /**
     * How long {@link Endpoint#connect} tries RDMA before it takes TCP, with {@link Transport#RDMA_OR_TCP}; default 2
     * s. At most half of the time that it has altogether. With {@link Transport#RDMA_WITH_FAILOVER}, how long each
     * attempt to move to RDMA may take.
     *
     * @param timeout above zero
     * @return this
     */
    public EndpointConfig rdmaTimeout(Duration timeout) {
        if (!Objects.requireNonNull(timeout, "RDMA timeout").isPositive()) {
            throw new IllegalArgumentException("rdmaTimeout %s: above zero".formatted(TimeText.of(timeout)));
        }
        rdmaTimeout = timeout;
        return this;
    }

    /**
     * How long a client over {@link Transport#RDMA_WITH_FAILOVER} stays with TCP before it tries RDMA, again; default 5
     * s. The first try is at once.
     *
     * @param interval above zero
     * @return this
     */
    public EndpointConfig recoveryInterval(Duration interval) {
        if (!interval.isPositive()) {
            throw new IllegalArgumentException("recoveryInterval %s: above zero".formatted(TimeText.of(interval)));
        }
        recoveryInterval = interval;
        return this;
    }

    /**
     * Who is told when an endpoint over {@link Transport#RDMA_WITH_FAILOVER} moves; default nobody. It is called in
     * whatever thread makes progress at that moment, as what is chained to a future of the endpoint's, and without a
     * lock; what it throws is lost.
     *
     * @param listener gets each move; null for nobody
     * @return this
     */
    public EndpointConfig onMove(Consumer<? super TransportMove> listener) {
        moveListener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * How many messages the peer may have on the way, or waiting here to be polled; default 64. These are the peer's
     * credits. The memory is this number and three more times {@link #maxMessageSize}.
     *
     * <p>Over TCP this is also the number of reads and atomic operations of the peer that this side serves at a time,
     * but
     * at least 64 and at most 1,024. The peer keeps further ones back. The answers that wait take up to 200 bytes of
     * heap each.
     *
     * @param count 1 to 65535, and three fewer than the device's longest receive queue
     * @return this
     */
    public EndpointConfig receiveBuffers(int count) {
        receiveBuffers = range("receiveBuffers", count, 1, Frame.MAX_CREDITS);
        return this;
    }

    /**
     * The longest message to send or receive; default 4096. The smaller one of the two sides holds: {@link
     * Endpoint#maxMessageSize()}.
     *
     * @param bytes 1 to 2^26
     * @return this
     */
    public EndpointConfig maxMessageSize(int bytes) {
        maxMessageSize = range("maxMessageSize", bytes, 1, LONGEST_MESSAGE);
        return this;
    }

    /**
     * How many messages and transfers of this side may be under way; default 64. The memory is this number times
     * {@link #maxMessageSize}.
     *
     * @param count 1 to 65535, and four fewer than the device's longest send queue
     * @return this
     */
    public EndpointConfig sendDepth(int count) {
        sendDepth = range("sendDepth", count, 1, 0xffff);
        return this;
    }

    /**
     * Messages up to this length travel within the work request; default 64. Not every adapter can do so much, or any.
     *
     * @param bytes 0 to 4096
     * @return this
     */
    public EndpointConfig maxInlineData(int bytes) {
        maxInlineData = range("maxInlineData", bytes, 0, 4096);
        return this;
    }

    /**
     * How often the peer's adapter sends again when this side has no receive posted; default 7, for ever. With credits
     * that never happens, so 0 works, too.
     *
     * @param count 0 to 7
     * @return this
     */
    public EndpointConfig rnrRetryCount(int count) {
        rnrRetryCount = range("rnrRetryCount", count, 0, 7);
        return this;
    }

    /**
     * How long the adapter waits for an acknowledgement before it sends again: 4.096 microseconds times two to this
     * power; default what the connection manager finds for the path. An adapter gives a silent peer up after about
     * seven times four of these, and SoftRoCE never: {@link #silenceTimeout} holds for both.
     *
     * @param exponent 1 to 31
     * @return this
     */
    public EndpointConfig ackTimeout(int exponent) {
        ackTimeout = OptionalInt.of(range("ackTimeout", exponent, 1, 31));
        return this;
    }

    /**
     * How long {@link Endpoint#close()} waits for messages that were accepted for sending; default 5 s.
     *
     * @param timeout as for {@link Endpoint#close(Duration)}: zero or less drops what is not sent yet
     * @return this
     */
    public EndpointConfig closeTimeout(Duration timeout) {
        closeTimeout = Objects.requireNonNull(timeout, "close timeout");
        return this;
    }

    /**
     * How long at most a dead wire or a dead machine at its other end stays unreported, while a thread waits in the
     * endpoint or polls it; default 30 s. The connection is then lost ({@link ConnectionLostException}). Two fifths of
     * it are for whatever is under way: the peer's adapter must acknowledge it in this time, and one second more for
     * each megabyte of a message or transfer. When nothing has been under way for as long, a probe is: a write without
     * bytes, which only the two adapters notice; the last fifth is for the gaps between two looks. Without this limit,
     * an adapter may try for ever (SoftRoCE does), and nobody hears of the end of an idle connection.
     *
     * <p>A peer that calls nothing for long is not dead: its adapter answers for it. Time in which nobody is inside a
     * method of this endpoint hardly counts.
     *
     * <p>Over TCP no adapter takes the answers to the peer's reads and atomic operations. A peer that has asked for
     * data
     * and takes none of it for this long is disconnected. Until then its unanswered requests are limited ({@link
     * #receiveBuffers}).
     *
     * @param timeout at least 100 ms, or zero for none
     * @return this
     */
    public EndpointConfig silenceTimeout(Duration timeout) {
        if (!timeout.isZero() && timeout.compareTo(SHORTEST_SILENCE) < 0) {
            throw new IllegalArgumentException("silenceTimeout %s: at least %s, or zero for none"
                    .formatted(TimeText.of(timeout), TimeText.of(SHORTEST_SILENCE)));
        }
        silenceTimeout = timeout;
        return this;
    }

    /**
     * How long a thread that waits in this endpoint looks for what comes before it sleeps; default 200 µs, and none on
     * a machine with one processor. Within this limit the endpoint learns the time from what arrives: about twice as
     * long as the last answers took, and none if they take longer than the limit, so an idle connection costs hardly
     * any processor time. One wait of {@value SpinTime#WAITS_PER_TRIAL} spins up to the limit, to notice that answers
     * have become faster. A thread that loses its processor while it spins does not spin again before, and tries less
     * and less where that happens again and again. Of all threads of the JVM no more spin at a time than there are
     * processors. What spinning saves is the time that the kernel takes to wake a thread. A virtual thread gives its
     * carrier to others again and again while it spins, and any thread the processor if there is only one.
     *
     * @param limit up to 1 s; zero always sleeps
     * @return this
     */
    public EndpointConfig spinLimit(Duration limit) {
        if (limit.isNegative() || limit.compareTo(LONGEST_SPIN) > 0) {
            throw new IllegalArgumentException(
                    "spinLimit %s: zero to %s".formatted(TimeText.of(limit), TimeText.of(LONGEST_SPIN)));
        }
        spinLimit = limit;
        return this;
    }

    /**
     * How long {@link EndpointServer#accept} gives one client that has asked for a connection to complete it; default
     * 10 s. At most 1,024 incomplete handshakes are kept for each transport, and over RDMA fewer if their buffers would
     * take more than 512 MiB; beyond that the oldest ones are dropped earlier.
     *
     * @param timeout above zero
     * @return this
     */
    public EndpointConfig handshakeTimeout(Duration timeout) {
        if (!Objects.requireNonNull(timeout, "handshake timeout").isPositive()) {
            throw new IllegalArgumentException("handshakeTimeout %s: above zero".formatted(TimeText.of(timeout)));
        }
        handshakeTimeout = timeout;
        return this;
    }

    /**
     * The program's own bytes for the peer: a version, a name, a secret; default none. The peer has them in
     * {@link Endpoint#peerPrivateData()} before any message.
     *
     * @param data at most {@value #MAX_PRIVATE_DATA} bytes
     * @return this
     */
    public EndpointConfig privateData(byte[] data) {
        if (data.length > MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    "%d bytes of private data: at most %d travel".formatted(data.length, MAX_PRIVATE_DATA));
        }
        privateData = data.clone();
        return this;
    }

    /**
     * What {@link Endpoint#connect} shows to a server that asks for it ({@link #admission}); default nothing. It
     * travels in clear, and is no part of any message, log or {@link Endpoint#peerPrivateData()}.
     *
     * @param secret at most {@value #MAX_PRIVATE_DATA} bytes, together with {@link #privateData}; 16 random ones cannot
     *     be guessed
     * @return this
     */
    public EndpointConfig token(byte[] secret) {
        token = secret.clone();
        return this;
    }

    /**
     * Which clients an {@link EndpointServer} lets in; default all. {@link Admission#token} is a rule that needs no
     * code. Others are refused before anything of them or for them is opened, get a {@link NotAdmittedException}, and
     * are counted ({@link EndpointServer#counters()}). It means nothing to a client.
     *
     * @param rule is asked for each client; null for all
     * @return this
     */
    public EndpointConfig admission(Admission rule) {
        admission = Objects.requireNonNull(rule, "rule");
        return this;
    }

    /**
     * Where {@link Endpoint#connect} connects from, and so which device it uses; default what the routing table says. A
     * server has the address that it is bound to.
     *
     * @param address of a local interface that has an RDMA device, or the wildcard address of either family for what
     *     the routing table says; port 0 takes any. Of a server's addresses those of the same family are tried
     * @return this
     */
    public EndpointConfig localAddress(InetSocketAddress address) {
        localAddress = Objects.requireNonNull(address, "local address");
        return this;
    }

    /**
     * The protection domain to use, so that several endpoints share exposed memory; default one of the endpoint's own,
     * and for a server one per device for all that it accepts. It must be of a context that rdma_cm has opened ({@link
     * io.github.rdma4j.verbs.cm.CmDevices}), and is not closed with the endpoint.
     *
     * @param domain the domain
     * @return this
     */
    public EndpointConfig protectionDomain(ProtectionDomain domain) {
        protectionDomain = Objects.requireNonNull(domain, "protection domain");
        return this;
    }

    /**
     * The group whose queues, receive buffers and descriptors to share; default none, and then the endpoint has its
     * own. Without {@link #protectionDomain} it has the protection domain of the group, too, so that what one endpoint
     * of the group exposes, the peers of all can use.
     *
     * @param endpoints the group
     * @return this
     */
    public EndpointConfig group(EndpointGroup endpoints) {
        group = Objects.requireNonNull(endpoints, "endpoint group");
        return this;
    }

    private static int range(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException("%s %d is not in %d..%d".formatted(name, value, low, high));
        }
        return value;
    }

    int receiveBuffers() {
        return receiveBuffers;
    }

    int maxMessageSize() {
        return maxMessageSize;
    }

    int sendDepth() {
        return sendDepth;
    }

    int maxInlineData() {
        return maxInlineData;
    }

    int rnrRetryCount() {
        return rnrRetryCount;
    }

    OptionalInt ackTimeout() {
        return ackTimeout;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }

    Duration silenceTimeout() {
        return silenceTimeout;
    }

    Duration spinLimit() {
        return spinLimit;
    }

    Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** Null for what the routing table says. */
    InetSocketAddress localAddress() {
        return localAddress;
    }

    /** Null for one of the endpoint's own. */
    ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    Transport transport() {
        return transport;
    }

    Duration rdmaTimeout() {
        return rdmaTimeout;
    }

    Duration recoveryInterval() {
        return recoveryInterval;
    }

    /** Zero for any. */
    /** Null for nobody. */
    Consumer<? super TransportMove> moveListener() {
        return moveListener;
    }

    boolean isFailover() {
        return transport == Transport.RDMA_WITH_FAILOVER;
    }

    boolean integrity() {
        return integrity;
    }

    /** How long the sum behind a message is. */
    int sumBytes() {
        return integrity ? Checksum.BYTES : 0;
    }

    /** What a message takes in a buffer, in bytes. */
    int bufferSize() {
        return maxMessageSize + sumBytes();
    }

    /** What cannot be had together. */
    void check() {
        if (bufferSize() > LONGEST_MESSAGE) {
            throw new IllegalArgumentException("maxMessageSize %d: with EndpointConfig.integrity at most %d"
                    .formatted(maxMessageSize, LONGEST_MESSAGE - Checksum.BYTES));
        }
        int most = isFailover() ? MAX_PRIVATE_DATA - Failover.MARK_BYTES : MAX_PRIVATE_DATA;
        if (privateData.length + token.length > most) {
            throw new IllegalArgumentException("privateData of %d bytes and a token of %d: %sat most %d travel in all"
                    .formatted(
                            privateData.length,
                            token.length,
                            isFailover() ? "with RDMA_WITH_FAILOVER, whose handshake says more, " : "",
                            most));
        }
        if (transport != Transport.TCP) {
            requireOpen();
        }
        if (!isFailover()) {
            return;
        }
        if (group != null) {
            throw new IllegalArgumentException(
                    "an endpoint of a group cannot move: without EndpointConfig.group, or" + " over RDMA alone");
        }
        if (silenceTimeout.isZero()) {
            throw new IllegalArgumentException("with EndpointConfig.silenceTimeout zero nobody would find out that RDMA"
                    + " is dead: above zero, and as short as a move may take");
        }
    }

    /** A server would bind all the same, and then refuse each client. */
    private void requireOpen() {
        if (group != null && !group.isOpen()) {
            throw new IllegalStateException("the endpoint group is closed, and nobody can join it: give"
                    + " EndpointConfig.group an open one, and close it after the servers and clients that use it");
        }
        if (protectionDomain != null && !protectionDomain.isOpen()) {
            throw new IllegalStateException(
                    "%s is closed: give EndpointConfig.protectionDomain an open one".formatted(protectionDomain));
        }
    }

    /** Null for none. */
    EndpointGroup group() {
        return group;
    }

    /** The buffers of one endpoint over RDMA, in bytes; those of a group are there anyway. */
    long memoryOfOne() {
        return group != null ? 0 : (long) (receiveQueueDepth() + sendDepth) * ReceiveBuffers.stride(bufferSize());
    }

    int sendQueueDepth() {
        return sendDepth + Protocol.SEND_RESERVE;
    }

    int receiveQueueDepth() {
        return receiveBuffers + Credits.RESERVE;
    }

    /** Null for all. */
    Admission admission() {
        return admission;
    }

    /** What a client says. */
    Hello hello() {
        return new Hello(Hello.VERSION, integrity, receiveBuffers, maxMessageSize, privateData, token);
    }

    /** What a server says. */
    Hello answer() {
        return new Hello(Hello.VERSION, integrity, receiveBuffers, maxMessageSize, privateData, life);
    }
}
