// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAssembly;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.ReceiveBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsLink;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsTransport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Two endpoints of one process, without a connection manager: the protocol alone. On iWARP nothing else connects, so
 * there rdma_cm does, and the links are null.
 */
final class EndpointPair implements Ends {
    /** 4.096 us x 2^19, 2 s: an emulated processor can stall for longer than the usual 67 ms. */
    private static final int PATIENT_TIMEOUT = 19;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    final DeviceContext device;
    final ProtectionDomain domain;
    final TestLink leftLink;
    final TestLink rightLink;
    final Endpoint left;
    final Endpoint right;

    /** Looks after two that are connected until RDMA carries both. */
    static void awaitRdma(Endpoint client, Endpoint atServer) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (client.transport() != Transport.RDMA || atServer.transport() != Transport.RDMA) {
            client.poll(message -> {});
            atServer.poll(message -> {});
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "not over RDMA: " + client + ", " + client.rdmaFailure() + "; " + atServer.rdmaFailure());
            }
        }
    }

    EndpointPair(Consumer<EndpointConfig> both) {
        this(both, both);
    }

    EndpointPair(Consumer<EndpointConfig> leftConfiguration, Consumer<EndpointConfig> rightConfiguration) {
        EndpointSettings leftConfig = TestSettings.of(leftConfiguration);
        EndpointSettings rightConfig = TestSettings.of(rightConfiguration);
        if (TestDevice.first().transportType() == TransportType.IWARP) {
            device = CmTestNet.device();
            domain = device.allocateProtectionDomain();
            leftLink = null;
            rightLink = null;
            try (EndpointServer server = EndpointServer.bind(
                    CmTestNet.ipv4(), config -> rightConfiguration.accept(config.protectionDomain(domain)))) {
                CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(
                        () -> server.accept(PATIENCE).orElseThrow());
                left = Endpoint.connect(
                        server.address(),
                        config -> leftConfiguration.accept(config.protectionDomain(domain)),
                        PATIENCE);
                right = accepted.join();
            }
            return;
        }
        device = DeviceContext.open(TestDevice.first());
        domain = device.allocateProtectionDomain();
        leftLink = new TestLink("left", leftConfig);
        rightLink = new TestLink("right", rightConfig);
        leftLink.connect(rightLink, leftConfig);
        rightLink.connect(leftLink, rightConfig);
        ReceiveBuffers leftBuffers = leftLink.buffers(leftConfig);
        ReceiveBuffers rightBuffers = rightLink.buffers(rightConfig);
        left = EndpointAssembly.over(
                leftLink,
                transport(leftLink, leftBuffers, leftConfig),
                Memories.of(domain),
                leftConfig,
                rightConfig.hello());
        right = EndpointAssembly.over(
                rightLink,
                transport(rightLink, rightBuffers, rightConfig),
                Memories.of(domain),
                rightConfig,
                leftConfig.hello());
    }

    private static EndpointTransport transport(VerbsLink link, ReceiveBuffers buffers, EndpointSettings config) {
        SendBuffers sendBuffers = new SendBuffers(
                link.domain(),
                config.sizes().sendDepth(),
                config.sizes().bufferSize(),
                link.trailer(),
                config.sizes().sumBytes());
        return new VerbsTransport(link, buffers, sendBuffers, config.adapter().maxInlineData());
    }

    /** A queue pair that was connected by hand. */
    final class TestLink implements VerbsLink {
        private final String name;
        private final CompletionChannel channel = device.createCompletionChannel();
        private final CompletionQueue queue;
        private final PreparedQueuePair prepared;
        private QueuePair queuePair;
        /** The reason for the loss that the connection manager would report, if a test sets it. */
        volatile String lost;

        TestLink(String name, EndpointSettings config) {
            this.name = name;
            int entries = config.sizes().sendQueueDepth() + config.sizes().receiveQueueDepth();
            queue = device.createCompletionQueue(entries, settings -> settings.channel(channel));
            prepared = domain.prepareQueuePair(
                    QueuePairType.RC,
                    settings -> settings.completionQueue(queue)
                            .maxSendWorkRequests(config.sizes().sendQueueDepth())
                            .maxReceiveWorkRequests(config.sizes().receiveQueueDepth())
                            .maxInlineData(config.adapter().maxInlineData())
                            .remoteAccess(REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC));
        }

        void connect(TestLink peer, EndpointSettings config) {
            queuePair = prepared.connect(
                    peer.prepared.endpoint(),
                    settings -> settings.timeout(PATIENT_TIMEOUT)
                            .rnrRetry(config.adapter().rnrRetryCount())
                            .maxReadAtomic(4)
                            .maxDestinationReadAtomic(4));
        }

        ReceiveBuffers buffers(EndpointSettings config) {
            return new ReceiveBuffers(
                    domain,
                    queuePair,
                    config.sizes().receiveBuffers(),
                    config.sizes().bufferSize(),
                    0);
        }

        @Override
        public ProtectionDomain domain() {
            return domain;
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

        @Override
        public Optional<String> lost() {
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
            queuePair.close();
            queue.close();
            channel.close();
        }

        @Override
        public void free() {}

        @Override
        public String toString() {
            return name;
        }
    }

    @Override
    public Endpoint left() {
        return left;
    }

    @Override
    public Endpoint right() {
        return right;
    }

    @Override
    public void close() {
        left.abort();
        right.abort();
        if (leftLink == null) {
            domain.close(); // the connection manager keeps its devices open
        } else {
            device.close();
        }
    }
}
