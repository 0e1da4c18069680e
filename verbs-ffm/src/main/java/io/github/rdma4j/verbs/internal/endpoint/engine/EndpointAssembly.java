// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import io.github.rdma4j.verbs.internal.endpoint.protocol.SummedProtocol;

/** Assembles an endpoint after its connection was made and the handshake was done. */
public final class EndpointAssembly {
    private EndpointAssembly() {}

    /** Creates an endpoint over a connection whose receive buffers were posted before. */
    public static Endpoint over(
            Link link, EndpointTransport transport, Memories memories, EndpointSettings config, Hello peer) {
        return over("endpoint " + link, transport, memories, config, peer);
    }

    /**
     * Creates a client's endpoint over RDMA.
     *
     * @param iwarp whether the transport is iWARP, on which the client must send first
     */
    public static Endpoint ofClient(
            Link link,
            boolean iwarp,
            EndpointTransport transport,
            Memories memories,
            EndpointSettings config,
            Hello peer) {
        return over("endpoint " + link, transport, memories, config, peer, iwarp);
    }

    /** Creates an endpoint with a name for messages. */
    public static Endpoint over(
            String name, EndpointTransport transport, Memories memories, EndpointSettings config, Hello peer) {
        return over(name, transport, memories, config, peer, false);
    }

    private static Endpoint over(
            String name,
            EndpointTransport transport,
            Memories memories,
            EndpointSettings config,
            Hello peer,
            boolean probesEarly) {
        Credits credits = new Credits(config.sizes().receiveBuffers(), peer.receiveBuffers());
        int longest = Math.min(config.sizes().maxMessageSize(), peer.bufferSize());
        Silence silence = new Silence(Timeouts.nanos(config.times().silence()), probesEarly);
        Protocol protocol = config.sizes().integrity()
                ? new SummedProtocol(
                        name,
                        transport,
                        credits,
                        config.sizes().sendDepth(),
                        config.sizes().bufferSize(),
                        longest,
                        silence,
                        EndpointExceptions.OF_ENDS)
                : new Protocol(
                        name,
                        transport,
                        credits,
                        config.sizes().sendDepth(),
                        config.sizes().bufferSize(),
                        longest,
                        silence,
                        EndpointExceptions.OF_ENDS);
        Engine engine = new Engine(
                transport, protocol, new SpinTime(Timeouts.nanos(config.times().spin())));
        return ACCESS.endpoint(engine, memories, config.times().close(), peer);
    }
}
