// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmDevices;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.InlineSizes;
import io.github.rdma4j.verbs.internal.endpoint.rdma.ReceiveBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsLink;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsTransport;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Makes connections over RoCE, between the GIDs that match the addresses of the TCP connection. */
public final class RoceDialer implements RdmaDialer {
    private static final int READS = 4;
    private static final long NANOS_PER_LOOK_AT_PORT = TimeUnit.MILLISECONDS.toNanos(100);

    private final SharedDomain domain;
    private final GidEntry gid;
    private final EndpointSettings config;
    private boolean letGo;

    /** @param domain the domain, of which this becomes a user */
    RoceDialer(SharedDomain domain, GidEntry gid, EndpointSettings config) {
        this.domain = domain;
        this.gid = gid;
        this.config = config;
    }

    /** A device, and its GID for an address. */
    public record Place(DeviceContext device, GidEntry gid) {}

    /**
     * Finds the device that has an address.
     *
     * @throws VerbsException with cause and remedy if there is none
     */
    public static Place at(InetSocketAddress address) {
        String others = "";
        String remedy = "";
        for (DeviceContext device : CmDevices.list()) {
            Optional<GidEntry> gid = device.gidTable().stream()
                    .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.index() <= GidEntry.MAX_USABLE_INDEX)
                    .filter(entry -> Arrays.equals(entry.gid().bytes(), gidBytes(address.getAddress())))
                    .filter(entry -> isAt(entry, address.getAddress()))
                    .findFirst();
            if (gid.isPresent()) {
                return new Place(device, gid.get());
            }
            if (device.port(1).linkLayer() == LinkLayer.INFINIBAND) {
                others = ", and %s is InfiniBand".formatted(device.device().name());
                remedy = ", or on InfiniBand take Transport.RDMA or RDMA_OR_TCP";
            }
        }
        throw new VerbsException(
                "looking for a RoCE v2 device at " + address.getAddress(),
                0,
                "no device has this address in its GID table" + others,
                "connect to the address of a network interface that has one (rdma link; ibv_devinfo -v)" + remedy);
    }

    /** Several interfaces may have the same link-local address. */
    private static boolean isAt(GidEntry entry, InetAddress address) {
        return !(address instanceof Inet6Address scoped)
                || scoped.getScopeId() == 0
                || entry.networkInterfaceIndex() == 0
                || entry.networkInterfaceIndex() == scoped.getScopeId();
    }

    private static byte[] gidBytes(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 16) {
            return bytes;
        }
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(bytes, 0, mapped, 12, bytes.length);
        return mapped;
    }

    ProtectionDomain domain() {
        return domain.domain();
    }

    @Override
    public Attempt prepare() {
        return new QueuePairLink(now(gid, domain().context().gidTable(gid.port())));
    }

    /** Finds the index of a GID: if its address was away for a while, it can be another one. */
    static GidEntry now(GidEntry known, List<GidEntry> table) {
        return table.stream()
                .filter(entry -> entry.gid().equals(known.gid()) && entry.type() == known.type())
                .filter(entry -> entry.index() <= GidEntry.MAX_USABLE_INDEX)
                .min(Comparator.comparing(entry -> entry.networkInterfaceIndex() != known.networkInterfaceIndex()))
                .orElseThrow(() -> new VerbsException(
                        "looking for the GID %s of port %d".formatted(known.gid(), known.port()),
                        0,
                        "it is no longer in the GID table: its network interface is down, or has lost the address",
                        "bring the interface up ('ip link set dev INTERFACE up'), and give it the address again"));
    }

    @Override
    public void check(MemorySlice local) {
        if (local != null && (!local.region().hasAdapter() || local.region().protectionDomain() != domain())) {
            throw new IllegalArgumentException(local.region()
                    + " is not of the endpoint's protection domain, and it moves to RDMA: take the memory from"
                    + " allocateMemory, or register it with protectionDomain()");
        }
    }

    @Override
    public void free() {
        if (letGo) {
            domain.closeUnused();
        } else {
            letGo = true;
            domain.letGo();
        }
    }

    /** A queue pair without a connection manager. */
    private final class QueuePairLink implements VerbsLink, Attempt {
        private final CompletionChannel channel;
        private final CompletionQueue queue;
        private final PreparedQueuePair prepared;
        private final EndpointSettings.Sizes sizes;
        private QueuePair queuePair;
        private String lost;
        private long lookedAt = System.nanoTime();

        QueuePairLink(GidEntry source) {
            // The trial messages have slots of their own, because they are not acknowledged before the next posts.
            sizes = new EndpointSettings.Sizes(
                    config.sizes().receiveBuffers(),
                    config.sizes().bufferSize(),
                    config.sizes().sendDepth() + Mover.TRIALS,
                    false);
            DeviceContext device = domain().context();
            channel = device.createCompletionChannel();
            CompletionQueue created = null;
            int sends = sizes.sendQueueDepth();
            int receives = sizes.receiveQueueDepth();
            try {
                created = device.createCompletionQueue(sends + receives, settings -> settings.channel(channel));
                queue = created;
                prepared = InlineSizes.largest(
                        config.adapter().maxInlineData(),
                        0,
                        size -> domain().prepareQueuePair(
                                        QueuePairType.RC,
                                        settings -> settings.completionQueue(queue)
                                                .port(source.port())
                                                .gidIndex(source.index())
                                                .maxSendWorkRequests(sends)
                                                .maxReceiveWorkRequests(receives)
                                                .maxInlineData(size)
                                                .remoteAccess(
                                                        AccessFlag.REMOTE_READ,
                                                        AccessFlag.REMOTE_WRITE,
                                                        AccessFlag.REMOTE_ATOMIC)));
            } catch (Throwable e) {
                CompletionQueue opened = created;
                CloseAll.after(
                        e,
                        () -> {
                            if (opened != null) {
                                opened.close();
                            }
                        },
                        channel::close);
                throw e;
            }
        }

        @Override
        public byte[] offer() {
            return prepared.endpoint().toBytes();
        }

        @Override
        public EndpointTransport connect(byte[] peer) {
            queuePair = prepared.connect(QueuePairEndpoint.fromBytes(peer), settings -> {
                settings.rnrRetry(config.adapter().rnrRetryCount())
                        .maxReadAtomic(READS)
                        .maxDestinationReadAtomic(READS);
                config.adapter().ackTimeout().ifPresent(settings::timeout);
            });
            ReceiveBuffers received =
                    new ReceiveBuffers(domain(), queuePair, sizes.receiveBuffers(), sizes.maxMessageSize(), 0);
            try {
                SendBuffers sends = new SendBuffers(domain(), sizes.sendDepth(), sizes.maxMessageSize(), 0, 0);
                return new VerbsTransport(this, received, sends, queuePair.maxInlineData());
            } catch (Throwable e) {
                CloseAll.after(e, received::close);
                throw e;
            }
        }

        @Override
        public ProtectionDomain domain() {
            return domain.domain();
        }

        @Override
        public QueuePair queuePair() {
            return queuePair;
        }

        @Override
        public CompletionQueue queue() {
            return queue;
        }

        @Override
        public CompletionChannel channel() {
            return channel;
        }

        @Override
        public EventSource events() {
            return null;
        }

        /** {@inheritDoc} Checks the port: if it is down, nothing may fail, because SoftRoCE repeats forever. */
        @Override
        public Optional<String> lost() {
            long now = System.nanoTime();
            if (lost == null && now - lookedAt >= NANOS_PER_LOOK_AT_PORT) {
                lookedAt = now;
                PortState state = domain().context().port(gid.port()).state();
                if (state != PortState.ACTIVE && state != PortState.ACTIVE_DEFER) {
                    lost = "the port of the local device is " + state;
                }
            }
            return Optional.ofNullable(lost);
        }

        @Override
        public Optional<InetSocketAddress> localAddress() {
            return Optional.empty();
        }

        @Override
        public Optional<InetSocketAddress> peerAddress() {
            return Optional.empty();
        }

        @Override
        public void close() {
            CloseAll.of(prepared::close, queue::close, channel::close);
        }

        @Override
        public void free() {}

        /** {@return the queue pair} */
        @Override
        public String toString() {
            return prepared.toString();
        }
    }
}
