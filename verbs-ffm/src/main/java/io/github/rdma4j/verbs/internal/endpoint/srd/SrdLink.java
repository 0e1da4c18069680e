// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandle;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SrdQueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.group.GroupAccess;
import io.github.rdma4j.verbs.internal.endpoint.group.Member;
import io.github.rdma4j.verbs.internal.endpoint.group.QueueShare;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.rdma.ReceiveBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpLink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;

/**
 * An SRD queue pair with its queue and its peer's address. The TCP connection over which the two sides have exchanged
 * their addresses stays open, and its end is the end of the link: SRD has no connections.
 */
public final class SrdLink implements Link {
    private static final int PORT = 1;
    /** The send queue need not be longer for messages with many fragments, because these wait for each other. */
    private static final int LONG_SEND_QUEUE = 256;

    /** The inline data of a short request, in bytes. With more, requests take twice the memory. */
    private static final int SHORT_INLINE = 32;

    /** The length of the member's number behind a datagram to a queue pair that endpoints share, in bytes. */
    static final int NUMBER_BYTES = Frame.TRAILER;

    private static final RemoteMemory NO_PROBE = new RemoteMemory(0, 0, 0);

    private final TcpLink tcp;
    private final SharedDomain domain;
    private final EndpointSettings config;
    private final int queueKey;
    private final int maxSend;
    private final int maxReceive;
    private final int sendDepth;
    private final int receiveDepth;
    /** Null in a group, like the queue. */
    private final CompletionChannel channel;

    private final CompletionQueue queue;
    private final SrdQueuePair pair;
    /** Null without a group, like the field below. */
    private final SharedQueues shared;

    private final Member member;
    private final MemorySegment unexpected = Arena.ofAuto().allocate(1);
    private AddressHandle handle;
    private Destination destination;
    private SrdAddress peer;
    private String lost;
    private boolean letGo;

    /**
     * Creates the queue pair. If this fails, the domain has one user less, and the TCP connection stays open.
     *
     * @param tcp the TCP connection, which is closed with the link
     * @param domain the domain, of which the link becomes a user
     */
    public SrdLink(TcpLink tcp, SharedDomain domain, EndpointSettings config) {
        this.tcp = tcp;
        this.domain = domain;
        this.config = config;
        CompletionChannel newChannel = null;
        CompletionQueue newQueue = null;
        try {
            ProtectionDomain memory = domain.domain();
            DeviceContext device = memory.context();
            boolean inGroup = config.group() != null;
            maxSend = (int) Math.min(Integer.MAX_VALUE, device.port(PORT).maxMessageSize());
            int longest = config.sizes().bufferSize();
            maxReceive = Math.clamp(longest, 1, inGroup ? maxSend - NUMBER_BYTES : maxSend);
            EfaDeviceAttributes limits = device.queryEfa();
            receiveDepth = SrdOrdering.receives(config.sizes().receiveBuffers(), longest, maxReceive);
            requireReceives(limits, receiveDepth);
            int sends = config.sizes().sendQueueDepth();
            sendDepth = Math.min(
                    limits.maxSendWorkRequests(), longest > maxSend ? Math.max(sends, LONG_SEND_QUEUE) : sends);
            if (inGroup) {
                channel = null;
                queue = null;
                shared = GroupAccess.ACCESS.queues(config.group(), device);
                member = shared.join(memory, sharedSizes(), null);
                pair = member.share().pair();
                queueKey = member.share().queueKey();
                return;
            }
            shared = null;
            member = null;
            queueKey = SharedQueues.newQueueKey();
            newChannel = device.createCompletionChannel();
            channel = newChannel;
            newQueue = createQueue(device);
            queue = newQueue;
            pair = memory.createSrdQueuePair(settings -> {
                settings.completionQueue(queue)
                        .queueKey(queueKey)
                        .maxSendWorkRequests(sendDepth)
                        .maxReceiveWorkRequests(receiveDepth)
                        // The peer's queue pair may be one that endpoints share.
                        .maxSendScatterGather(2)
                        .maxInlineData(Math.min(config.adapter().maxInlineData(), maxInlineData(limits)));
                if (limits.capabilities().contains(EfaCapability.RNR_RETRY)) {
                    settings.rnrRetry(config.adapter().rnrRetryCount());
                }
            });
        } catch (Throwable e) {
            CompletionQueue openQueue = newQueue;
            CompletionChannel openChannel = newChannel;
            CloseAll.after(
                    e,
                    () -> {
                        if (openQueue != null) {
                            openQueue.close();
                        }
                    },
                    () -> {
                        if (openChannel != null) {
                            openChannel.close();
                        }
                    },
                    domain::letGo);
            throw e;
        }
    }

    /** {@return the most bytes of inline data with which the adapter grants so long a send queue} */
    private int maxInlineData(EfaDeviceAttributes limits) {
        return sendDepth <= limits.maxSendWorkRequests() / 2
                ? limits.maxInlineData()
                : Math.min(SHORT_INLINE, limits.maxInlineData());
    }

    private QueueShare.Sizes sharedSizes() {
        EndpointSettings.Sizes sizes = config.sizes();
        return new QueueShare.Sizes(
                receiveDepth,
                sendDepth,
                sizes.sendDepth(),
                sizes.bufferSize(),
                NUMBER_BYTES,
                sizes.sumBytes(),
                maxReceive,
                config.adapter().rnrRetryCount());
    }

    private void requireReceives(EfaDeviceAttributes limits, int receives) {
        int most = Math.min(limits.maxReceiveWorkRequests(), SrdOrdering.MOST_RECEIVES);
        if (receives > most) {
            throw ACCESS.endpointException(
                    "creating an endpoint over SRD",
                    "%d messages of %d bytes need %d receives of %d bytes, and %s has %d"
                            .formatted(
                                    config.sizes().receiveBuffers(),
                                    config.sizes().maxMessageSize(),
                                    receives,
                                    maxReceive,
                                    domain.domain().context().device().name(),
                                    most),
                    "lower EndpointConfig.receiveBuffers or maxMessageSize");
        }
    }

    private CompletionQueue createQueue(DeviceContext device) {
        try {
            return device.createCompletionQueue(sendDepth + receiveDepth, settings -> settings.channel(channel));
        } catch (VerbsException e) {
            if (e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
            EndpointException silent = ACCESS.endpointException(
                    "creating an endpoint over SRD",
                    "%s or its kernel driver announces no completions, so that no thread could sleep"
                            .formatted(device.device().name()),
                    "update the efa driver, or use Transport.TCP");
            silent.initCause(e);
            throw silent;
        }
    }

    /**
     * {@return what the peer must know, in {@value SrdAddress#BYTES} bytes}
     *
     * @param probe memory for {@link #probe()} of the peer; null for none
     */
    public byte[] address(RemoteMemory probe) {
        return new SrdAddress(
                        domain().context().gidAddress(PORT, 0),
                        pair.number(),
                        queueKey,
                        member == null ? 0 : member.number(),
                        maxSend,
                        maxReceive,
                        probe == null ? NO_PROBE : probe)
                .toBytes();
    }

    /**
     * Takes the peer's address. After that the peer can read and write this side's memory.
     *
     * @param bytes of the peer's {@link #address}
     */
    public void connect(byte[] bytes) {
        SrdAddress address;
        try {
            address = SrdAddress.parse(bytes);
            if (fragment(address) < 1) {
                throw new IllegalArgumentException("a datagram of this adapter has no space for a message");
            }
        } catch (IllegalArgumentException e) {
            throw ACCESS.incompatiblePeer(
                    "connecting over SRD", "the peer's handshake is damaged", "use the same version of rdma4j");
        }
        int receives = receives(address);
        if (receives > receiveDepth) {
            throw ACCESS.endpointException(
                    "connecting over SRD",
                    "the peer's adapter sends %d bytes at once, and this one %d: messages would need %d receives, and"
                                    .formatted(address.maxSend(), maxSend, receives)
                            + " there are " + receiveDepth,
                    "lower EndpointConfig.maxMessageSize to " + address.maxSend());
        }
        handle = domain().createAddressHandle(AddressHandleAttributes.toGid(PORT, 0, address.gid()));
        destination = Destination.of(handle, address.number(), address.queueKey());
        peer = address;
        if (member != null) {
            member.peerNumber(address.number());
        }
    }

    private int receives(SrdAddress address) {
        int fragment = fragment(address);
        return SrdOrdering.receives(
                config.sizes().receiveBuffers(), config.sizes().bufferSize(), fragment);
    }

    /** {@return the most bytes of a message that come in one datagram} */
    private int fragment(SrdAddress address) {
        return Math.min(maxReceive, address.maxSend() - (member == null ? 0 : NUMBER_BYTES));
    }

    /** {@return memory of the peer for trying out the path; null if there is none} */
    public MemoryHandle probe() {
        return peer.probe().length() == 0
                ? null
                : new MemoryHandle(peer.probe(), Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
    }

    /** {@return the wire to the peer, for which receives are posted} */
    public EndpointTransport transport() {
        EndpointSettings.Sizes sizes = config.sizes();
        int fragment = Math.min(maxSend - (peer.member() == 0 ? 0 : NUMBER_BYTES), peer.maxReceive());
        boolean fragments = sizes.bufferSize() > fragment(peer);
        LongMessages longs = new LongMessages(domain(), fragments ? sizes.receiveQueueDepth() : 0, sizes.bufferSize());
        SendBuffers sends = null;
        try {
            if (!config.times().silence().isZero()) {
                socket().keepAlive(config.times().silence());
            }
            socket().arm(false);
            if (member != null) {
                shared.adopt(tcp, socket()::takeEvent, member);
                sends = member.share().sendBuffers(member);
                return new SrdMemberTransport(this, sends, longs, sizes, sendDepth, fragment, shared, member);
            }
            sends = new SendBuffers(domain(), sizes.sendDepth(), sizes.bufferSize(), 0, sizes.sumBytes());
            ReceiveBuffers buffers = new ReceiveBuffers(domain(), pair, receives(peer), maxReceive);
            return new SrdTransport(this, sends, buffers, longs, sizes, sendDepth, fragment);
        } catch (Throwable e) {
            SendBuffers opened = sends;
            CloseAll.after(
                    e,
                    () -> {
                        if (opened != null) {
                            opened.close();
                        }
                    },
                    longs::close);
            throw e;
        }
    }

    public ProtectionDomain domain() {
        return domain.domain();
    }

    SrdQueuePair pair() {
        return pair;
    }

    CompletionQueue queue() {
        return queue;
    }

    CompletionChannel channel() {
        return channel;
    }

    Destination destination() {
        return destination;
    }

    SrdAddress peer() {
        return peer;
    }

    int receives() {
        return member == null ? receives(peer) : receiveDepth;
    }

    public TcpLink tcp() {
        return tcp;
    }

    private StreamSocket socket() {
        return tcp.socket();
    }

    @Override
    public Optional<String> lost() {
        if (lost == null && socket().isOpen() && takeEvent()) {
            long received = socket().receive(unexpected, 0, 1);
            if (received == StreamSocket.END || received == -Errno.ECONNRESET) {
                lost = "the peer ended the connection without closing its endpoint: its process ended, or it aborted";
            } else if (received < 0) {
                lost = "the TCP connection beside SRD failed: " + VerbsException.describe((int) -received);
            } else if (received > 0) {
                lost = "the peer does not keep to the endpoint protocol: it has sent data over TCP";
            } else {
                socket().arm(false);
            }
        }
        return Optional.ofNullable(lost);
    }

    private boolean takeEvent() {
        if (member == null) {
            return socket().takeEvent();
        }
        shared.takeConnectionEvents();
        return member.takeLinkEvent();
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return tcp.localAddress();
    }

    @Override
    public Optional<InetSocketAddress> peerAddress() {
        return tcp.peerAddress();
    }

    @Override
    public void close() {
        CloseAll.of(this::closeQueues, tcp::close);
    }

    /** Closes everything except the TCP connection and memory. */
    private void closeQueues() {
        if (member != null) {
            CloseAll.of(this::closeHandle, () -> shared.disconnect(member), () -> shared.forget(tcp));
            return;
        }
        CloseAll.of(pair::close, this::closeHandle, queue::close, channel::close);
    }

    /** Ends the requests to the peer. */
    void closeHandle() {
        if (handle != null) {
            handle.close();
        }
    }

    @Override
    public void free() {
        CloseAll.of(this::leave, () -> {
            if (letGo) {
                domain.closeUnused();
            } else {
                letGo = true;
                domain.letGo();
            }
        });
    }

    private void leave() {
        if (member != null) {
            shared.leave(member);
        }
    }

    /** Gives SRD up before there is a transport; the TCP connection stays open. */
    public void giveUp() {
        CloseAll.of(this::closeQueues, this::free);
    }

    /** {@return the addresses of the TCP connection} */
    @Override
    public String toString() {
        return tcp.toString().replaceFirst("TCP", "SRD");
    }
}
