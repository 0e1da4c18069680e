// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAssembly;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpLink;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpTransport;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;

/** Creates endpoints with failover from TCP connections whose two sides support it. */
public final class Failover {
    /** The length of the mark behind the hello, where other sides have padding or the last of the program's bytes. */
    public static final int MARK_BYTES = 8;

    private static final long MARK = 0x7264_6d61_2b74_6370L;

    private Failover() {}

    /** Returns the hello of a side that can move, in {@link TcpHandshake#BYTES} bytes. */
    static byte[] marked(byte[] hello) {
        return ByteBuffer.wrap(Arrays.copyOf(hello, TcpHandshake.BYTES))
                .putLong(TcpHandshake.BYTES - MARK_BYTES, MARK)
                .array();
    }

    public static byte[] hello(EndpointSettings config, Hello words) {
        byte[] hello = words.toBytes();
        return config.isFailover() ? marked(hello) : hello;
    }

    public static boolean isMarked(byte[] hello) {
        return hello.length == TcpHandshake.BYTES
                && Hello.lengthOf(hello) <= TcpHandshake.BYTES - MARK_BYTES
                && ByteBuffer.wrap(hello).getLong(TcpHandshake.BYTES - MARK_BYTES) == MARK;
    }

    /** Of a client that wants to move. */
    public static void require(String operation, byte[] hello) {
        if (!isMarked(hello)) {
            throw ACCESS.incompatiblePeer(
                    operation,
                    "the server does not move between RDMA and TCP",
                    "also give the server the transport RDMA_WITH_FAILOVER, or use RDMA_OR_TCP here");
        }
    }

    private static void requireDevice(EndpointSettings config, RoceDialer.Place place) {
        if (config.protectionDomain() != null) {
            String given = config.protectionDomain().context().device().name();
            String there = place.device().device().name();
            if (!given.equals(there)) {
                throw new VerbsException(
                        "using the protection domain of the configuration",
                        0,
                        "it is of %s, and the address is of %s".formatted(given, there),
                        "give a domain of the device at the address, or none");
            }
        }
    }

    /**
     * Creates an endpoint over TCP that will try RDMA.
     *
     * @param exposures the table from which the peer is served over TCP
     * @param domains returns the domain for a device, and counts one more user
     */
    public static Endpoint endpoint(
            boolean client,
            TcpLink link,
            EndpointSettings config,
            Exposures exposures,
            Hello peer,
            Function<RoceDialer.Place, SharedDomain> domains) {
        EndpointSettings.Sizes sizes = new EndpointSettings.Sizes(
                config.sizes().receiveBuffers(),
                Math.max(config.sizes().bufferSize(), MigrationMessage.MAX_BYTES),
                config.sizes().sendDepth() + FailoverTransport.WORDS,
                false);
        TcpTransport tcp = new TcpTransport(link, sizes, config.times().silence(), exposures, peer.receiveBuffers());
        RoceDialer dialer = null;
        RuntimeException noWay = null;
        FailoverTransport transport = null;
        try {
            try {
                InetSocketAddress address = link.localAddress().orElseThrow();
                RoceDialer.Place place = RoceDialer.at(address);
                requireDevice(config, place);
                dialer = new RoceDialer(domains.apply(place), place.gid(), config);
            } catch (VerbsException e) {
                noWay = e;
            }
            Memories memories = dialer == null
                    ? new Memories.Served(exposures, config.protectionDomain())
                    : new Memories.Registered(dialer.domain(), exposures);
            transport = new FailoverTransport(tcp, dialer, client, config, peer, System::nanoTime);
            if (noWay != null) {
                transport.mover().unable(noWay);
            }
            Memories moving = new MovingMemories(memories, transport.mover());
            // The messages outlive the moves.
            Endpoint endpoint = EndpointAssembly.over("endpoint RDMA or " + link, transport, moving, config, peer);
            transport.serve(ACCESS.engine(endpoint).protocol(), endpoint);
            return endpoint;
        } catch (Throwable e) {
            if (transport != null) {
                CloseAll.after(e, transport::close, transport::free);
            } else {
                RoceDialer opened = dialer;
                CloseAll.after(e, tcp::close, tcp::free, () -> {
                    if (opened != null) {
                        opened.free();
                    }
                });
            }
            throw e;
        }
    }
}
