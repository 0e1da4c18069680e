// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandle;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ExtendedCompletionQueue;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.MemoryWindow;
import io.github.rdma4j.verbs.MemoryWindowType;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendOperation;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.SliceList;
import io.github.rdma4j.verbs.WorkCompletionField;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.device.Gid;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The steps that a thread chooses from in a random sequence. */
final class Actions {
    /** Something to do; false if there is nothing to do it with. */
    interface Step {
        boolean run(World world, Random random);
    }

    record Action(String name, Step step) {
        boolean run(World world, Random random) {
            return step.run(world, random);
        }
    }

    private static final AccessFlag[][] RIGHTS = {
        {},
        {AccessFlag.LOCAL_WRITE},
        {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.MW_BIND},
        {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC},
        {AccessFlag.REMOTE_WRITE}
    };
    private static final QueuePairType[] TYPES = {QueuePairType.RC, QueuePairType.RC, QueuePairType.UC, QueuePairType.UD
    };

    static final List<Action> ALL = new ArrayList<>();

    static {
        making();
        using();
        posting();
        extended();
        shared();
        events();
        CmActions.addTo(ALL);
        closing();
    }

    private Actions() {}

    private static void making() {
        on(
                "allocateProtectionDomain",
                DeviceContext.class,
                (world, device, random) -> world.add(device.allocateProtectionDomain()));
        on(
                "createCompletionQueue",
                DeviceContext.class,
                (world, device, random) -> world.add(device.createCompletionQueue(random.nextInt(64))));
        on(
                "allocateMemory",
                ProtectionDomain.class,
                (world, domain, random) -> world.add(domain.allocateMemory(random.nextInt(8192), rights(random))));
        on(
                "registerMemory",
                ProtectionDomain.class,
                (world, domain, random) -> world.add(
                        domain.registerMemory(Arena.ofAuto().allocate(1 + random.nextInt(8192)), rights(random))));
        on("prepareQueuePair", ProtectionDomain.class, (world, domain, random) -> {
            CompletionQueue queue = some(CompletionQueue.class, world, random);
            world.add(domain.prepareQueuePair(
                    TYPES[random.nextInt(TYPES.length)],
                    config -> config.completionQueue(queue)
                            .maxSendWorkRequests(random.nextInt(40))
                            .maxInlineData(random.nextInt(128))
                            .maxSendScatterGather(random.nextInt(4))
                            .remoteAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)));
        });
        on("createQueuePair", ProtectionDomain.class, (world, domain, random) -> {
            CompletionQueue queue = some(CompletionQueue.class, world, random);
            world.add(domain.createQueuePair(
                    TYPES[random.nextInt(TYPES.length)], config -> config.completionQueue(queue)));
        });
        on("connect", PreparedQueuePair.class, (world, prepared, random) -> {
            PreparedQueuePair peer = some(PreparedQueuePair.class, world, random);
            world.add(prepared.connect(
                    peer.endpoint(), config -> config.rnrRetry(0).retryCount(1)));
        });
        on("activate", PreparedQueuePair.class, (world, prepared, random) -> world.add(prepared.activate()));
    }

    private static void using() {
        on("queries", DeviceContext.class, (world, device, random) -> {
            device.attributes();
            device.gid(random.nextInt(3), random.nextInt(3));
        });
        on("state", QueuePair.class, (world, pair, random) -> pair.state().toString());
        on("toError", QueuePair.class, (world, pair, random) -> pair.toError());
        on("poll", CompletionQueue.class, (world, queue, random) -> {
            WorkCompletions completions = WorkCompletions.allocate(1 + random.nextInt(16));
            queue.poll(completions);
            for (int i = 0; i < completions.size(); i++) {
                completions.get(i).describe();
            }
        });
        on("handle", MemoryRegion.class, (world, region, random) -> region.handle());
    }

    private static void posting() {
        post("postSend", (pair, random, local) -> pair.tryPostSend(1, local, flags(random)));
        post(
                "postSendWithImmediate",
                (pair, random, local) -> pair.tryPostSendWithImmediate(1, local, 7, flags(random)));
        post("postReceive", (pair, random, local) -> pair.tryPostReceive(1, local));
        on("postWrite and postRead", QueuePair.class, (world, pair, random) -> {
            MemorySlice local = slice(world, random);
            RemoteMemory remote = remote(world, random);
            synchronized (pair) {
                pair.tryPostWrite(1, local, remote, flags(random));
                pair.tryPostRead(2, local, remote, flags(random));
                pair.tryPostWriteWithImmediate(3, local, remote, 5, flags(random));
            }
        });
        on("atomics", QueuePair.class, (world, pair, random) -> {
            MemorySlice local = some(MemoryRegion.class, world, random).slice(8L * random.nextInt(64), 8);
            RemoteMemory remote = remote(world, random);
            synchronized (pair) {
                pair.tryPostCompareAndSwap(1, local, remote, 0, 1, flags(random));
                pair.tryPostFetchAndAdd(2, local, remote, 3, flags(random));
            }
        });
        on("prepare", QueuePair.class, (world, pair, random) -> {
            MemorySlice local = slice(world, random);
            RemoteMemory remote = remote(world, random);
            int flags = flags(random);
            world.add(
                    random.nextBoolean()
                            ? pair.prepare().write(local, remote, flags)
                            : pair.prepare().writeWithImmediate(local, remote, 3, flags));
        });
        on(
                "prepareReceive",
                QueuePair.class,
                (world, pair, random) -> world.add(pair.prepareReceive(slice(world, random))));
        // For one thread at a time; but that several may mix up their values is the worst that may happen.
        on("prepared request", PreparedRequest.class, (world, request, random) -> {
            if (random.nextBoolean()) {
                request.remote(random.nextInt(64)).local(random.nextInt(64), random.nextInt(64));
            }
            request.signaled(random.nextBoolean()).tryPost(random.nextInt());
        });
        on("prepared receive", PreparedReceive.class, (world, receive, random) -> {
            if (random.nextBoolean()) {
                receive.local(random.nextInt(64), random.nextInt(64));
            }
            receive.tryPost(random.nextInt());
        });
        on("send batch", QueuePair.class, (world, pair, random) -> {
            SliceList list = SliceList.of(slice(world, random), slice(world, random));
            MemorySlice local = slice(world, random);
            synchronized (pair) {
                SendBatch batch = pair.startBatch();
                int count = random.nextInt(6);
                for (int i = 0; i < count; i++) {
                    if (random.nextBoolean()) {
                        batch.send(i, local, flags(random));
                    } else {
                        batch.send(i, list, flags(random));
                    }
                }
                batch.tryPost();
            }
        });
        on("receive batch", QueuePair.class, (world, pair, random) -> {
            MemorySlice local = slice(world, random);
            synchronized (pair) {
                ReceiveBatch batch = pair.startReceiveBatch();
                int count = random.nextInt(6);
                for (int i = 0; i < count; i++) {
                    batch.receive(i, local);
                }
                batch.tryPost();
            }
        });
    }

    private static void extended() {
        on("createExtendedCompletionQueue", DeviceContext.class, (world, device, random) -> {
            ExtendedCompletionQueue queue = device.createExtendedCompletionQueue(
                    1 + random.nextInt(64), config -> config.fields(WorkCompletionField.BYTE_LENGTH));
            world.add(queue);
            world.add((CompletionQueue) queue, CompletionQueue.class);
        });
        on("cursor", ExtendedCompletionQueue.class, (world, queue, random) -> {
            if (queue.cursor().start()) {
                do {
                    queue.cursor().workRequestId();
                    queue.cursor().byteLength();
                    queue.cursor().status();
                } while (queue.cursor().next());
                queue.cursor().end();
            }
        });
        on(
                "cursor left open",
                ExtendedCompletionQueue.class,
                (world, queue, random) -> queue.cursor().start());
        on("extended queue pair", ProtectionDomain.class, (world, domain, random) -> {
            CompletionQueue queue = some(CompletionQueue.class, world, random);
            PreparedQueuePair prepared = domain.prepareQueuePair(
                    TYPES[random.nextInt(TYPES.length)],
                    config -> config.completionQueue(queue)
                            .sendOperations(SendOperation.SEND, SendOperation.RDMA_WRITE)
                            .maxInlineData(random.nextInt(64))
                            .remoteAccess(AccessFlag.REMOTE_WRITE));
            world.add(prepared);
        });
        on("createAddressHandle", ProtectionDomain.class, (world, domain, random) -> {
            int index = 1;
            Gid own = domain.context().gid(1, index).gid();
            world.add(domain.createAddressHandle(AddressHandleAttributes.toGid(1, index, own)));
        });
        on("datagrams", AddressHandle.class, (world, handle, random) -> {
            QueuePair pair = some(QueuePair.class, world, random);
            for (int tries = 0; pair.type() != QueuePairType.UD && tries < 10; tries++) {
                pair = some(QueuePair.class, world, random);
            }
            Destination destination = Destination.of(handle, random.nextInt(64), 0x11111111);
            MemorySlice local = slice(world, random);
            synchronized (pair) {
                pair.tryPostSend(1, local, destination, flags(random));
                pair.startBatch()
                        .to(destination)
                        .send(2, local, flags(random))
                        .send(3, local, flags(random))
                        .tryPost();
            }
        });
        on(
                "allocateMemoryWindow",
                ProtectionDomain.class,
                (world, domain, random) -> world.add(domain.allocateMemoryWindow(
                        random.nextBoolean() ? MemoryWindowType.TYPE_1 : MemoryWindowType.TYPE_2)));
        on("bind", MemoryWindow.class, (world, window, random) -> {
            QueuePair pair = some(QueuePair.class, world, random);
            MemorySlice local = slice(world, random);
            synchronized (pair) {
                if (window.type() == MemoryWindowType.TYPE_1) {
                    window.tryPostBind(pair, 1, local, flags(random), AccessFlag.REMOTE_READ);
                } else {
                    pair.tryPostBindMemoryWindow(
                            1, window, window.nextRemoteKey(), local, flags(random), AccessFlag.REMOTE_READ);
                }
            }
        });
        on("local invalidate", QueuePair.class, (world, pair, random) -> {
            synchronized (pair) {
                pair.startBatch()
                        .localInvalidate(1, random.nextInt(), flags(random))
                        .tryPost();
            }
        });
        on("modify", QueuePair.class, (world, pair, random) -> {
            QueuePairState[] states = QueuePairState.values();
            pair.modify(config -> config.state(states[random.nextInt(states.length)])
                    .port(random.nextInt(3))
                    .partitionKeyIndex(0));
        });
        on("query", QueuePair.class, (world, pair, random) -> {
            pair.query().toString();
            pair.queryInitial().toString();
        });
    }

    private static void shared() {
        on(
                "createSharedReceiveQueue",
                ProtectionDomain.class,
                (world, domain, random) -> world.add(
                        domain.createSharedReceiveQueue(config -> config.maxWorkRequests(1 + random.nextInt(32)))));
        on("queue pair of a shared receive queue", ProtectionDomain.class, (world, domain, random) -> {
            CompletionQueue queue = some(CompletionQueue.class, world, random);
            SharedReceiveQueue shared = some(SharedReceiveQueue.class, world, random);
            world.add(domain.prepareQueuePair(
                    QueuePairType.RC, config -> config.completionQueue(queue).sharedReceiveQueue(shared)));
        });
        on("shared receives", SharedReceiveQueue.class, (world, shared, random) -> {
            MemorySlice local = slice(world, random);
            synchronized (shared) {
                shared.tryPostReceive(1, local);
                shared.startReceiveBatch().receive(2, local).receive(3, local).tryPost();
            }
            shared.modifyLimit(random.nextInt(4));
        });
    }

    private static void events() {
        on("createCompletionChannel", DeviceContext.class, (world, device, random) -> {
            CompletionChannel channel = device.createCompletionChannel();
            world.add(channel);
            world.add(device.createCompletionQueue(16, config -> config.channel(channel)));
        });
        on(
                "channel event",
                CompletionChannel.class,
                (world, channel, random) -> channel.nextEvent(Duration.ofMillis(random.nextInt(4))));
        on("arm and wait", CompletionQueue.class, (world, queue, random) -> {
            queue.requestNotification(random.nextBoolean());
            queue.awaitCompletions(WorkCompletions.allocate(4), Duration.ofMillis(random.nextInt(4)));
        });
        on("resize", CompletionQueue.class, (world, queue, random) -> queue.resize(random.nextInt(128)));
        on(
                "async event",
                DeviceContext.class,
                (world, device, random) -> device.nextAsyncEvent(Duration.ofMillis(random.nextInt(3))));
    }

    private static void closing() {
        ALL.add(new Action("close", (world, random) -> {
            Object object = world.any(random).orElse(null);
            if (!(object instanceof AutoCloseable closeable)) {
                return false;
            }
            try {
                closeable.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError("close throws no checked exceptions", e);
            }
            return true;
        }));
        ALL.add(new Action("close of everything", (world, random) -> {
            if (random.nextInt(20) != 0) {
                return false;
            }
            world.close();
            return true;
        }));
    }

    /** An action on any object of a kind. */
    interface On<T> {
        void run(World world, T object, Random random);
    }

    static <T> void on(String name, Class<T> kind, On<T> action) {
        ALL.add(new Action(name, (world, random) -> {
            T object = world.any(kind, random).orElse(null);
            if (object == null) {
                return false;
            }
            action.run(world, object, random);
            return true;
        }));
    }

    private interface Post {
        boolean run(QueuePair pair, Random random, MemorySlice local);
    }

    /**
     * Posting is for one thread at a time, so the threads of a sequence take turns on a queue pair; closing does not
     * wait for them.
     */
    private static void post(String name, Post post) {
        on(name, QueuePair.class, (world, pair, random) -> {
            MemorySlice local = slice(world, random);
            synchronized (pair) {
                post.run(pair, random, local);
            }
        });
    }

    /** Some object of a kind; a program that has none yet cannot go on with what it was about to do. */
    private static <T> T some(Class<T> kind, World world, Random random) {
        return world.any(kind, random)
                .orElseThrow(() -> new IllegalStateException("there is no " + kind.getSimpleName() + " yet"));
    }

    static MemorySlice slice(World world, Random random) {
        MemoryRegion region = some(MemoryRegion.class, world, random);
        long offset = random.nextLong(region.length() + 1);
        return region.slice(offset, random.nextLong(region.length() - offset + 2));
    }

    private static RemoteMemory remote(World world, Random random) {
        return some(MemoryRegion.class, world, random).remoteMemory();
    }

    private static AccessFlag[] rights(Random random) {
        return RIGHTS[random.nextInt(RIGHTS.length)];
    }

    private static int flags(Random random) {
        return random.nextInt(16);
    }
}
