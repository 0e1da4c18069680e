// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.ConnectConfig;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.group.GroupAccess;
import io.github.rdma4j.verbs.internal.endpoint.group.Member;
import io.github.rdma4j.verbs.internal.endpoint.group.MemberTransport;
import io.github.rdma4j.verbs.internal.endpoint.group.QueueShare;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import io.github.rdma4j.verbs.internal.endpoint.rdma.InlineSizes;
import io.github.rdma4j.verbs.internal.endpoint.rdma.ReceiveBuffers;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsLink;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsTransport;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/** A queue pair that rdma_cm connects, with its queues and receive buffers, or with a share of a group's queues. */
final class CmLink implements VerbsLink {
    private final SynchronousId id;
    private final SharedDomain domain;
    private final CompletionChannel channel;
    private final CompletionQueue queue;
    private final QueuePair queuePair;
    /** Null in a group. */
    private final ReceiveBuffers buffers;
    /** Null without a group, like the field below. */
    private final SharedQueues shared;

    private final Member member;
    private EventChannel events;
    private String lost;
    private boolean disconnected;
    private boolean letGo;

    /**
     * Creates everything that is needed before the peer can send. If this fails, everything except the id is closed,
     * and the domain has one user less.
     *
     * @param id the id, bound to a device; closed with the link
     * @param domain the domain, of which the link becomes a user
     */
    CmLink(SynchronousId id, SharedDomain domain, EndpointSettings config) {
        this.id = id;
        this.domain = domain;
        this.events = id.id().channel();
        if (config.group() != null) {
            this.channel = null;
            this.queue = null;
            this.buffers = null;
            try {
                this.shared = GroupAccess.ACCESS.queues(
                        config.group(), domain.domain().context());
                this.member = join(config);
                this.queuePair = member.queuePair();
            } catch (Throwable e) {
                CloseAll.after(e, domain::letGo);
                throw e;
            }
            return;
        }
        this.shared = null;
        this.member = null;
        CompletionChannel newChannel = null;
        CompletionQueue newQueue = null;
        try {
            ProtectionDomain memory = domain.domain();
            newChannel = memory.context().createCompletionChannel();
            this.channel = newChannel;
            int entries = config.sizes().sendQueueDepth() + config.sizes().receiveQueueDepth();
            newQueue = memory.context().createCompletionQueue(entries, settings -> settings.channel(channel));
            this.queue = newQueue;
            config.adapter()
                    .ackTimeout()
                    .ifPresent(exponent -> id.id().options().ackTimeout(exponent));
            this.queuePair = create(
                    config,
                    settings -> settings.completionQueue(queue)
                            .maxSendWorkRequests(config.sizes().sendQueueDepth())
                            .maxReceiveWorkRequests(config.sizes().receiveQueueDepth()));
            this.buffers = new ReceiveBuffers(
                    memory,
                    queuePair,
                    config.sizes().receiveBuffers(),
                    config.sizes().bufferSize(),
                    trailer());
        } catch (Throwable e) {
            // Also closes the queue pair.
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

    private Member join(EndpointSettings config) {
        ProtectionDomain memory = domain.domain();
        config.adapter().ackTimeout().ifPresent(exponent -> id.id().options().ackTimeout(exponent));
        return shared.join(memory, QueueShare.Sizes.of(config.sizes(), trailer()), common -> create(config, common));
    }

    /** A frame without a message that is no immediate data is posted inline. */
    private QueuePair create(EndpointSettings config, Consumer<QueuePairConfig> common) {
        return InlineSizes.largest(
                config.adapter().maxInlineData(),
                trailer(),
                size -> id.id().createQueuePair(domain.domain(), settings -> {
                    common.accept(settings);
                    settings.maxInlineData(size);
                }));
    }

    /** {@return up to which length messages travel inline} */
    private int inlineData(EndpointSettings config) {
        return Math.min(config.adapter().maxInlineData(), queuePair.maxInlineData());
    }

    /** Sets the private data with which this side connects or accepts. */
    void greet(ConnectConfig settings, EndpointSettings config) {
        greet(settings, config, config.hello().toBytes());
    }

    /** Sets the private data with which this side connects or accepts, with more data behind the hello. */
    void greet(ConnectConfig settings, EndpointSettings config, byte[] hello) {
        settings.privateData(hello).rnrRetryCount(config.adapter().rnrRetryCount());
    }

    /** {@return the wire of this connection, after the peer has completed it} */
    EndpointTransport transport(EndpointSettings config) {
        if (member == null) {
            SendBuffers sendBuffers = new SendBuffers(
                    domain(),
                    config.sizes().sendDepth(),
                    config.sizes().bufferSize(),
                    trailer(),
                    config.sizes().sumBytes());
            return new VerbsTransport(this, buffers, sendBuffers, inlineData(config));
        }
        shared.adopt(id, member);
        events = shared.events();
        return new MemberTransport(this, shared, member, inlineData(config));
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
        return member == null ? channel : shared.channel();
    }

    @Override
    public EventSource events() {
        return events;
    }

    @Override
    public Optional<String> lost() {
        if (member != null && events == shared.events()) {
            shared.takeConnectionEvents();
            return Optional.ofNullable(member.lost());
        }
        // Also after the connection was lost: an event that is not taken ends each sleep.
        Optional<CmEvent> event = events.poll();
        while (event.isPresent()) {
            if (lost == null) {
                lost = SharedQueues.reason(event.get());
            }
            event = events.poll();
        }
        return Optional.ofNullable(lost);
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return id.id().localAddress();
    }

    @Override
    public Optional<InetSocketAddress> peerAddress() {
        return id.id().peerAddress();
    }

    @Override
    public void close() {
        if (member == null) {
            CloseAll.of(this::disconnect, queuePair::close, id::close, queue::close, channel::close);
        } else {
            // The id's own channel, which the id may have left, and then the id.
            CloseAll.of(
                    this::disconnect,
                    () -> shared.disconnect(member),
                    id::close,
                    id.id()::close,
                    () -> shared.forget(id.id()));
        }
    }

    private void disconnect() {
        if (!disconnected) {
            disconnected = true;
            try {
                id.id().disconnect();
            } catch (VerbsException e) {
                // The peer has disconnected before, or there was no connection yet.
            }
        }
    }

    @Override
    public void free() {
        CloseAll.of(member == null ? buffers::close : () -> shared.leave(member), () -> {
            if (letGo) {
                domain.closeUnused();
            } else {
                letGo = true;
                domain.letGo();
            }
        });
    }

    /** Undoes everything after a failure. */
    void closeAfter(Throwable failure) {
        CloseAll.after(failure, this::close, this::free);
    }

    private static String address(String word, Optional<InetSocketAddress> address) {
        return address.map(known -> " " + word + known).orElse("");
    }

    @Override
    public String toString() {
        try {
            return "RDMA" + address("", id.id().localAddress())
                    + address("to ", id.id().peerAddress());
        } catch (IllegalStateException e) {
            return "closed " + queuePair;
        }
    }
}
