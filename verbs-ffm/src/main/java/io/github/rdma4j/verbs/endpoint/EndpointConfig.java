// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.SpinTime;
import io.github.rdma4j.verbs.internal.endpoint.failover.Failover;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Checksum;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * The settings of an endpoint or a server. Every setting has a default, and each setter returns this object. The two
 * sides must agree only on {@link #integrity}.
 *
 * @since 0.1.0
 */
public final class EndpointConfig {
    /** The most bytes of private data and token that travel with a connection. */
    public static final int MAX_PRIVATE_DATA = 40;

    private static final int LONGEST_MESSAGE = 1 << 26;
    private static final Duration SHORTEST_SILENCE = Duration.ofMillis(100);
    private static final Duration LONGEST_SPIN = Duration.ofSeconds(1);
    /** With one CPU, a spinning thread keeps the CPU from the threads that it waits for. */
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
     * Sets what carries messages and transfers; default {@link Transport#RDMA}. Over {@link Transport#TCP}, {@link
     * #maxInlineData}, {@link #rnrRetryCount}, {@link #ackTimeout} and {@link #group} have no effect.
     *
     * @param kind the transport; a side with {@link Transport#RDMA_OR_TCP} also connects to sides with only one of the
     *     two
     * @return this
     */
    public EndpointConfig transport(Transport kind) {
        transport = Objects.requireNonNull(kind, "transport");
        return this;
    }

    /**
     * Sets whether each message carries a checksum (CRC32C) and a number, which the receiver checks before its program
     * sees the message; default false. The checksum detects corruption that the checksums of the link miss: in memory,
     * adapters, switches and kernels. A corrupt message ends the connection ({@link CorruptMessageException}). {@link
     * Transfers} have no checksum; use {@link SealedBlock} for them.
     *
     * <p>Both sides must set it; otherwise connecting fails and names the reason. The checksum takes four bytes on the
     * wire and in each buffer, and makes {@link Endpoint#trySend(long, io.github.rdma4j.verbs.MemorySlice)} copy.
     *
     * @param sums whether messages have checksums; {@link #maxMessageSize} is then at most 2^26 - 4
     * @return this
     */
    public EndpointConfig integrity(boolean sums) {
        integrity = sums;
        return this;
    }

    /**
     * Sets how long {@link Endpoint#connect} tries RDMA before it falls back to TCP with {@link Transport#RDMA_OR_TCP};
     * default 2 s, and at most half of the whole timeout. With {@link Transport#RDMA_WITH_FAILOVER}, limits each
     * attempt to move to RDMA.
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
     * Sets how long a client with {@link Transport#RDMA_WITH_FAILOVER} stays on TCP before it tries RDMA again; default
     * 5 s. The first attempt is immediate.
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
     * Sets a listener for the moves of an endpoint with {@link Transport#RDMA_WITH_FAILOVER}; default none. The thread
     * that makes progress calls it, without holding a lock. Exceptions of the listener are dropped.
     *
     * @param listener gets each move
     * @return this
     */
    public EndpointConfig onMove(Consumer<? super TransportMove> listener) {
        moveListener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets how many messages the peer may have on the way, or waiting here to be polled; default 64. These are the
     * peer's credits. They take this number plus three times {@link #maxMessageSize} bytes of memory.
     *
     * <p>Over TCP this is also the number of reads and atomic operations of the peer that this side serves at a time,
     * but at least 64 and at most 1,024. The peer holds further requests back. Each waiting answer takes up to 200
     * bytes of heap.
     *
     * @param count 1 to 65535, and at most three less than the device's longest receive queue
     * @return this
     */
    public EndpointConfig receiveBuffers(int count) {
        receiveBuffers = range("receiveBuffers", count, 1, Frame.MAX_CREDITS);
        return this;
    }

    /**
     * Sets the longest message to send or receive; default 4096. The smaller value of the two sides applies ({@link
     * Endpoint#maxMessageSize()}).
     *
     * @param bytes 1 to 2^26
     * @return this
     */
    public EndpointConfig maxMessageSize(int bytes) {
        maxMessageSize = range("maxMessageSize", bytes, 1, LONGEST_MESSAGE);
        return this;
    }

    /**
     * Sets how many messages and transfers of this side may be under way; default 64. They take this number times
     * {@link #maxMessageSize} bytes of memory.
     *
     * @param count 1 to 65535, and at most four less than the device's longest send queue
     * @return this
     */
    public EndpointConfig sendDepth(int count) {
        sendDepth = range("sendDepth", count, 1, 0xffff);
        return this;
    }

    /**
     * Sets up to which length messages travel within the work request; default 64. Adapters have different limits, and
     * some support none: the endpoint then takes less. An EFA allows 32 bytes if {@link #sendDepth} is more than half
     * of its longest send queue.
     *
     * @param bytes 0 to 4096
     * @return this
     */
    public EndpointConfig maxInlineData(int bytes) {
        maxInlineData = range("maxInlineData", bytes, 0, 4096);
        return this;
    }

    /**
     * Sets how often the peer's adapter retries when this side has no receive posted; default 7, which means forever.
     * Credits prevent this case, so 0 also works.
     *
     * @param count 0 to 7
     * @return this
     */
    public EndpointConfig rnrRetryCount(int count) {
        rnrRetryCount = range("rnrRetryCount", count, 0, 7);
        return this;
    }

    /**
     * Sets how long the adapter waits for an acknowledgement before it retransmits: 4.096 microseconds times two to
     * this power. The default is what the connection manager determines for the path. An adapter gives up on a silent
     * peer after about seven times four of these intervals; SoftRoCE never does. {@link #silenceTimeout} applies to
     * both.
     *
     * @param exponent 1 to 31
     * @return this
     */
    public EndpointConfig ackTimeout(int exponent) {
        ackTimeout = OptionalInt.of(range("ackTimeout", exponent, 1, 31));
        return this;
    }

    /**
     * Sets how long {@link Endpoint#close()} waits for messages that were accepted for sending; default 5 s.
     *
     * @param timeout as for {@link Endpoint#close(Duration)}: zero or less drops what is not sent yet
     * @return this
     */
    public EndpointConfig closeTimeout(Duration timeout) {
        closeTimeout = Objects.requireNonNull(timeout, "close timeout");
        return this;
    }

    /**
     * Sets within which time a dead path or a dead peer machine is detected while a thread waits in the endpoint or
     * polls it; default 30 s. The connection is then lost ({@link ConnectionLostException}).
     *
     * <p>The peer's adapter must acknowledge a request within two fifths of this time, plus one second for each
     * megabyte. If nothing has been under way for another two fifths, the endpoint sends a probe, an empty write that
     * only the two adapters notice. The last fifth allows for the gaps between two checks. Without this limit an
     * adapter may retry forever, as SoftRoCE does, and the end of an idle connection goes unnoticed.
     *
     * <p>A peer that calls no method for a long time is not dead: its adapter answers. Time during which no thread is
     * inside this endpoint hardly counts.
     *
     * <p>Over TCP no adapter takes the answers to the peer's reads and atomic operations. A peer that asks for data and
     * takes none of it for this long is disconnected. Until then its unanswered requests are limited ({@link
     * #receiveBuffers}).
     *
     * @param timeout at least 100 ms, or zero for no limit
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
     * Sets how long a thread that waits in this endpoint spins before it sleeps; default 200 µs, and zero on a machine
     * with one CPU. Spinning saves the time that the kernel takes to wake a thread.
     *
     * <p>Within the limit, the endpoint adapts to the recent response time: it spins for about twice as long, and not
     * at all if responses take longer than the limit. An idle connection therefore uses hardly any CPU time. One wait
     * in {@value SpinTime#WAITS_PER_TRIAL} spins up to the limit, to detect faster responses. If a spinning thread is
     * preempted and loses more time than its spins were worth, no thread of the JVM spins for 2 ms, and for up to a
     * second if that happens again.
     * At most as many threads of the JVM spin at a time as there are CPUs. A spinning virtual thread yields its
     * carrier regularly; on a machine with one CPU any spinning thread yields the CPU.
     *
     * @param limit zero, which always sleeps, to 1 s
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
     * Sets how long {@link EndpointServer#accept} waits for a client to complete its connection; default 10 s. A server
     * keeps at most 1,024 incomplete handshakes for each transport, and over RDMA fewer if their buffers exceed 512
     * MiB. Beyond that it drops the oldest.
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
     * Sets bytes of your own for the peer, such as a version or a name; default none. {@link
     * Endpoint#peerPrivateData()} returns them before any message arrives.
     *
     * @param data at most {@value #MAX_PRIVATE_DATA} bytes
     * @return this
     */
    public EndpointConfig privateData(byte[] data) {
        if (data.length > MAX_PRIVATE_DATA) {
            throw new IllegalArgumentException(
                    "%d bytes of private data: at most %d fit".formatted(data.length, MAX_PRIVATE_DATA));
        }
        privateData = data.clone();
        return this;
    }

    /**
     * Sets the secret that {@link Endpoint#connect} shows to a server with {@link #admission}; default none. It travels
     * in clear, but appears in no message, log or {@link Endpoint#peerPrivateData()}.
     *
     * @param secret at most {@value #MAX_PRIVATE_DATA} bytes, together with {@link #privateData}; use 16 random bytes
     * @return this
     */
    public EndpointConfig token(byte[] secret) {
        token = secret.clone();
        return this;
    }

    /**
     * Sets which clients an {@link EndpointServer} admits; default all. {@link Admission#token} is a ready-made rule.
     * The server refuses other clients before it allocates anything for them, counts them ({@link
     * EndpointServer#counters()}), and they get a {@link NotAdmittedException}. It has no effect for a client.
     *
     * @param rule called for each client
     * @return this
     */
    public EndpointConfig admission(Admission rule) {
        admission = Objects.requireNonNull(rule, "rule");
        return this;
    }

    /**
     * Sets the local address of {@link Endpoint#connect}, and so the device; by default the routing table decides. A
     * server uses the address that it is bound to.
     *
     * @param address of a local interface with an RDMA device, or the wildcard address of either family to use the
     *     routing table; port 0 chooses any port. Only server addresses of the same family are tried
     * @return this
     */
    public EndpointConfig localAddress(InetSocketAddress address) {
        localAddress = Objects.requireNonNull(address, "local address");
        return this;
    }

    /**
     * Sets the protection domain, so that several endpoints can share exposed memory. By default an endpoint has its
     * own, and a server has one for each device. It must belong to a context that rdma_cm has opened ({@link
     * io.github.rdma4j.verbs.cm.CmDevices}). Closing the endpoint does not close it.
     *
     * @param domain the domain
     * @return this
     */
    public EndpointConfig protectionDomain(ProtectionDomain domain) {
        protectionDomain = Objects.requireNonNull(domain, "protection domain");
        return this;
    }

    /**
     * Sets the group whose queues, receive buffers and file descriptors the endpoint shares; by default it has its own.
     * Without {@link #protectionDomain}, it also shares the group's protection domain, so peers of all endpoints in the
     * group can use memory that one of them exposes. On an EFA, the endpoints share one queue pair.
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

    /**
     * The settings as they are now. Each call has an identity of its own, for a server that is bound with them.
     *
     * @throws IllegalArgumentException if settings contradict each other
     * @throws IllegalStateException if the group or the protection domain is closed
     */
    EndpointSettings settings() {
        check();
        byte[] life = ByteBuffer.allocate(Hello.LIFE_BYTES)
                .putLong(ThreadLocalRandom.current().nextLong())
                .array();
        return new EndpointSettings(
                transport,
                new EndpointSettings.Sizes(receiveBuffers, maxMessageSize, sendDepth, integrity),
                new EndpointSettings.Adapter(maxInlineData, rnrRetryCount, ackTimeout),
                new EndpointSettings.Times(
                        closeTimeout, handshakeTimeout, silenceTimeout, spinLimit, rdmaTimeout, recoveryInterval),
                new Hello(Hello.VERSION, integrity, receiveBuffers, maxMessageSize, privateData, token),
                new Hello(Hello.VERSION, integrity, receiveBuffers, maxMessageSize, privateData, life),
                admission,
                localAddress,
                protectionDomain,
                group,
                moveListener);
    }

    /** What cannot be had together. */
    private void check() {
        if (maxMessageSize + (integrity ? Checksum.BYTES : 0) > LONGEST_MESSAGE) {
            throw new IllegalArgumentException("maxMessageSize %d: with EndpointConfig.integrity at most %d"
                    .formatted(maxMessageSize, LONGEST_MESSAGE - Checksum.BYTES));
        }
        boolean isFailover = transport == Transport.RDMA_WITH_FAILOVER;
        int most = isFailover ? MAX_PRIVATE_DATA - Failover.MARK_BYTES : MAX_PRIVATE_DATA;
        if (privateData.length + token.length > most) {
            throw new IllegalArgumentException("privateData of %d bytes and a token of %d: %sat most %d fit in all"
                    .formatted(
                            privateData.length,
                            token.length,
                            isFailover ? "with RDMA_WITH_FAILOVER, whose handshake is longer, " : "",
                            most));
        }
        if (transport != Transport.TCP) {
            requireOpen();
        }
        if (!isFailover) {
            return;
        }
        if (group != null) {
            throw new IllegalArgumentException(
                    "RDMA_WITH_FAILOVER with EndpointConfig.group: an endpoint of a group cannot"
                            + " move. Leave out the group, or use Transport.RDMA");
        }
        if (silenceTimeout.isZero()) {
            throw new IllegalArgumentException(
                    "RDMA_WITH_FAILOVER with EndpointConfig.silenceTimeout zero: a dead RDMA path"
                            + " would not be detected. Set it above zero, to the time within which a failure must be detected");
        }
    }

    /** A server would bind nevertheless, and then refuse each client. */
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
}
