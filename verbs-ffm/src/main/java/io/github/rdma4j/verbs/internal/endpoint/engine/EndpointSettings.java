// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.endpoint.Admission;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.endpoint.TransportMove;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Checksum;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * The checked settings of an endpoint or a server, which never change. {@link EndpointConfig} makes them and documents
 * each.
 *
 * @param hello the handshake message of a client
 * @param answer the handshake message of a server
 * @param admission null to admit all clients
 * @param localAddress null if the routing table decides
 * @param protectionDomain null if the endpoint creates its own
 * @param group null if there is none
 * @param moveListener null if there is none
 */
public record EndpointSettings(
        Transport transport,
        Sizes sizes,
        Adapter adapter,
        Times times,
        Hello hello,
        Hello answer,
        Admission admission,
        InetSocketAddress localAddress,
        ProtectionDomain protectionDomain,
        EndpointGroup group,
        Consumer<? super TransportMove> moveListener) {
    /** The number and the size of buffers. */
    public record Sizes(int receiveBuffers, int maxMessageSize, int sendDepth, boolean integrity) {
        /** The length of the checksum behind a message. */
        public int sumBytes() {
            return integrity ? Checksum.BYTES : 0;
        }

        /** The bytes of a message and its checksum. */
        public int bufferSize() {
            return maxMessageSize + sumBytes();
        }

        public int sendQueueDepth() {
            return sendDepth + Protocol.SEND_RESERVE;
        }

        public int receiveQueueDepth() {
            return receiveBuffers + Credits.RESERVE;
        }
    }

    /** Settings without a meaning over TCP. */
    public record Adapter(int maxInlineData, int rnrRetryCount, OptionalInt ackTimeout) {}

    public record Times(
            Duration close, Duration handshake, Duration silence, Duration spin, Duration rdma, Duration recovery) {}

    public boolean isFailover() {
        return transport == Transport.RDMA_WITH_FAILOVER;
    }

    /** The buffers of one endpoint over RDMA, in bytes. The buffers of a group exist already. */
    public long memoryOfOne() {
        return group != null
                ? 0
                : SendBuffers.bytes(sizes.sendDepth, sizes.bufferSize(), 0)
                        + sizes.receiveQueueDepth() * SendBuffers.stride(sizes.bufferSize());
    }

    public EndpointSettings withLocalAddress(InetSocketAddress address) {
        return new EndpointSettings(
                transport,
                sizes,
                adapter,
                times,
                hello,
                answer,
                admission,
                address,
                protectionDomain,
                group,
                moveListener);
    }
}
