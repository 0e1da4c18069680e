// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.device.GidEntry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The connection manager's part of a random sequence. Its objects hang on contexts of librdmacm, which are never
 * closed.
 */
final class CmActions {
    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 8;
    private static final PortSpace[] SPACES = {PortSpace.TCP, PortSpace.UDP};

    private CmActions() {}

    static void addTo(List<Actions.Action> actions) {
        actions.add(new Actions.Action("EventChannel.create", (world, random) -> {
            world.addOutside(EventChannel.create());
            return true;
        }));
        Actions.on(
                "createId",
                EventChannel.class,
                (world, channel, random) -> world.add(channel.createId(SPACES[random.nextInt(SPACES.length)])));
        Actions.on(
                "nextEvent",
                EventChannel.class,
                (world, channel, random) -> channel.nextEvent(Duration.ofMillis(random.nextInt(4)))
                        .ifPresent(event -> use(world, event, random)));
        Actions.on("bind and listen", ConnectionId.class, (world, id, random) -> {
            id.bind(address(world, random));
            id.listen(random.nextInt(4));
        });
        Actions.on(
                "resolveAddress",
                ConnectionId.class,
                (world, id, random) -> id.resolveAddress(address(world, random), Duration.ofMillis(50)));
        Actions.on("resolveRoute", ConnectionId.class, (world, id, random) -> id.resolveRoute(Duration.ofMillis(50)));
        Actions.on("createQueuePair by id", ConnectionId.class, (world, id, random) -> {
            DeviceContext device = id.device().orElseThrow(() -> new IllegalStateException("the id has no device yet"));
            CompletionQueue queue = world.addOutside(device.createCompletionQueue(8));
            ProtectionDomain domain = world.addOutside(device.allocateProtectionDomain());
            world.add(id.createQueuePair(domain, config -> config.completionQueue(queue)));
        });
        Actions.on("cm connect", ConnectionId.class, (world, id, random) -> id.connect(config -> {}));
        Actions.on("cm disconnect", ConnectionId.class, (world, id, random) -> id.disconnect());
        Actions.on(
                "migrate",
                ConnectionId.class,
                (world, id, random) ->
                        id.migrate(world.any(EventChannel.class, random).orElseThrow()));
        Actions.on("addresses", ConnectionId.class, (world, id, random) -> {
            id.localAddress();
            id.peerAddress();
        });
    }

    private static void use(World world, CmEvent event, Random random) {
        ConnectionId id = event.id();
        world.add(id);
        if (event.listener().isPresent()) {
            if (random.nextBoolean()) {
                id.reject();
            } else {
                id.accept(config -> {});
            }
        }
    }

    private static InetSocketAddress address(World world, Random random) {
        GidEntry entry = world.device.selectGid(1);
        byte[] gid = entry.gid().bytes();
        try {
            return new InetSocketAddress(
                    InetAddress.getByAddress(Arrays.copyOfRange(gid, 12, 16)), FIRST_PORT + random.nextInt(PORTS));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
