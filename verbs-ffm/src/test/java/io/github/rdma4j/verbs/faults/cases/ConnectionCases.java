// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults.cases;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.MulticastMembership;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** Connections of librdmacm, by events. */
public final class ConnectionCases {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final InetSocketAddress GROUP = new InetSocketAddress("239.7.4.72", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private ConnectionCases() {}

    public static List<FaultCase> all() {
        return List.of(
                new FaultCase("event channel", 3, ConnectionCases::channel),
                new FaultCase("listener", 4, ConnectionCases::listener),
                new FaultCase("options of an id", 5, ConnectionCases::options),
                new FaultCase("a request that is rejected", 30, ConnectionCases::rejected),
                new FaultCase("connection", 70, ConnectionCases::connection),
                new FaultCase("multicast join", 6, ConnectionCases::multicast));
    }

    private static void channel(Steps steps) {
        EventChannel channel = steps.make(EventChannel::create);
        steps.end(channel);
    }

    private static void listener(Steps steps) {
        EventChannel channel = EventChannel.create();
        ConnectionId listener = steps.make(() -> channel.createId(PortSpace.TCP));
        steps.run(() -> listener.bind(HERE));
        steps.run(() -> listener.listen(4));
        steps.end(listener);
        steps.end(channel);
    }

    private static void options(Steps steps) {
        EventChannel channel = EventChannel.create();
        EventChannel other = EventChannel.create();
        ConnectionId id = channel.createId(PortSpace.TCP);
        steps.run(() -> id.options().typeOfService(4));
        steps.run(() -> id.options().reuseAddress(true));
        steps.run(() -> id.options().ackTimeout(19));
        steps.run(() -> id.migrate(other));
        channel.close();
        steps.end(other);
    }

    private static CmEvent next(EventChannel channel, CmEventType type) {
        CmEvent event = channel.nextEvent(PATIENCE).orElseThrow();
        if (event.type() == CmEventType.CONNECT_ERROR) {
            throw event.cause().orElseThrow();
        }
        if (event.type() != type) {
            throw new AssertionError("expected " + type + ", came " + event);
        }
        return event;
    }

    /** A client whose request is at a server of the same channel, which ends both. */
    private record Request(EventChannel channel, ConnectionId client, ConnectionId server) {

        static Request make(End end) {
            EventChannel channel = EventChannel.create();
            try {
                ConnectionId listener = channel.createId(PortSpace.TCP);
                listener.bind(HERE);
                listener.listen(4);
                ConnectionId client = channel.createId(PortSpace.TCP);
                client.resolveAddress(listener.localAddress().orElseThrow(), PATIENCE);
                next(channel, CmEventType.ADDR_RESOLVED);
                client.resolveRoute(PATIENCE);
                next(channel, CmEventType.ROUTE_RESOLVED);
                client.options().ackTimeout(19);
                end.queuePairOf(client);
                client.connect(config -> {});
                return new Request(
                        channel,
                        client,
                        next(channel, CmEventType.CONNECT_REQUEST).id());
            } catch (Throwable e) {
                close(channel, e);
                throw e;
            }
        }

        Request accept(End end) {
            try {
                end.queuePairOf(server);
                server.accept(config -> {});
                next(channel, CmEventType.ESTABLISHED);
                next(channel, CmEventType.ESTABLISHED);
                return this;
            } catch (Throwable e) {
                close(channel, e);
                throw e;
            }
        }

        private static void close(EventChannel channel, Throwable failure) {
            try {
                channel.close();
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
                channel.close();
            }
        }
    }

    private static void rejected(Steps steps) {
        End end = new End();
        Request request = steps.take(() -> Request.make(end));
        steps.take(() -> {
            request.server().reject();
            return null;
        });
        steps.take(() -> next(request.channel(), CmEventType.REJECTED));
        steps.end(request.server());
        steps.end(request.client());
        request.channel().close();
        end.close();
    }

    private static void connection(Steps steps) {
        End one = new End();
        End other = new End();
        // A second try begins with a client of its own.
        Request connected = steps.take(() -> Request.make(one).accept(other));
        for (ConnectionId id : List.of(connected.client(), connected.server())) {
            steps.take(() -> {
                id.disconnect();
                return null;
            });
            steps.take(() -> next(connected.channel(), CmEventType.DISCONNECTED));
        }
        steps.end(connected.client());
        steps.end(connected.server());
        steps.end(connected.channel());
        one.close();
        other.close();
    }

    private static void multicast(Steps steps) {
        End end = new End();
        EventChannel channel = EventChannel.create();
        ConnectionId id = channel.createId(PortSpace.UDP);
        id.bind(HERE);
        end.queuePairOf(id);
        keepWhatAWaitKeeps(channel);
        steps.run(() -> join(id));
        steps.run(() -> id.leaveMulticast(GROUP));
        channel.close();
        end.close();
    }

    /** A wait makes what it is woken by, and the channel keeps that; not if its time is over before it begins. */
    private static void keepWhatAWaitKeeps(EventChannel channel) {
        int before = Steps.nativeObjects("eventfd");
        while (Steps.nativeObjects("eventfd") == before) {
            channel.nextEvent(Duration.ofMillis(1));
        }
    }

    /** If the wait fails, the join is still under way; if the join fails, nothing of it is. */
    private static void join(ConnectionId id) {
        id.joinMulticast(GROUP, MulticastMembership.FULL_MEMBER);
        CmEvent event;
        try {
            event = id.channel().nextEvent(PATIENCE).orElseThrow();
        } catch (VerbsException e) {
            leaveAfter(e, id);
            throw e;
        }
        if (event.type() != CmEventType.MULTICAST_JOIN) {
            throw event.cause().orElseThrow();
        }
    }

    private static void leaveAfter(VerbsException failure, ConnectionId id) {
        try {
            id.leaveMulticast(GROUP);
        } catch (VerbsException e) {
            failure.addSuppressed(e);
            id.leaveMulticast(GROUP);
        }
    }

    /** The resources that a queue pair needs, which stay when its id is closed. */
    private static final class End {
        private static final DeviceContext DEVICE = CmTestNet.device();
        private final ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        private final CompletionQueue queue = DEVICE.createCompletionQueue(32);

        void queuePairOf(ConnectionId id) {
            id.createQueuePair(domain, config -> config.completionQueue(queue));
        }

        void close() {
            domain.close();
            queue.close();
        }
    }
}
