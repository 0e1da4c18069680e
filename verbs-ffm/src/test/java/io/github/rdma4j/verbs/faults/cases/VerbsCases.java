// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults.cases;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemoryWindowType;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.SendOperation;
import io.github.rdma4j.verbs.SharedReceiveQueue;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Resources of verbs, from making to closing. */
public final class VerbsCases {
    private static final DeviceContext DEVICE = DeviceContext.open(TestDevice.first());
    private static final Gid GROUP = Gid.of(new byte[] {-1, 14, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -17, 7, 4, 72});
    /** Long enough for a wait to begin, also on an emulated processor and a busy machine. */
    private static final Duration A_LITTLE = Duration.ofMillis(200);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private VerbsCases() {}

    public static List<FaultCase> all() {
        return List.of(
                of("device list", 1, steps -> steps.make(Device::list)),
                of("device context", 6, VerbsCases::context),
                of("device queries", 20, VerbsCases::queries),
                of("asynchronous event", 5, VerbsCases::asyncEvent),
                of("protection domain", 2, steps -> steps.end(steps.make(DEVICE::allocateProtectionDomain))),
                of("memory region", 2, VerbsCases::region),
                of("memory windows", 4, VerbsCases::windows),
                of("address handle", 4, VerbsCases::addressHandle),
                of("completion queue", 4, VerbsCases::queue),
                of("extended completion queue", 2, VerbsCases::extendedQueue),
                of("completion channel", 10, VerbsCases::channel),
                of("shared receive queue", 8, VerbsCases::sharedReceiveQueue),
                of("connected queue pairs", 28, VerbsCases::queuePairs),
                of("queue pair that cannot be connected", 2, VerbsCases::unconnected),
                of("extended queue pair", 6, VerbsCases::extendedQueuePair),
                of("multicast group", 4, VerbsCases::multicast),
                of("event poller", 7, VerbsCases::poller));
    }

    private static FaultCase of(String name, int points, Consumer<Steps> steps) {
        return new FaultCase(name, points, steps);
    }

    private static void context(Steps steps) {
        DeviceContext device = steps.make(() -> DeviceContext.open(DEVICE.device()));
        device.allocateProtectionDomain();
        device.createCompletionQueue(16);
        steps.end(device);
    }

    private static void queries(Steps steps) {
        steps.make(DEVICE::attributes);
        steps.make(DEVICE::extendedAttributes);
        steps.make(() -> DEVICE.port(1));
        steps.make(() -> DEVICE.gidTable(1));
        steps.make(() -> DEVICE.gid(1, 0));
        steps.make(() -> DEVICE.gidAddress(1, 0));
        int key = steps.make(() -> DEVICE.partitionKey(1, 0));
        steps.make(() -> DEVICE.partitionKeyIndex(1, key));
    }

    private static void asyncEvent(Steps steps) {
        DeviceContext device = DeviceContext.open(DEVICE.device());
        steps.take(() -> device.nextAsyncEvent(A_LITTLE));
        steps.end(device);
    }

    private static void region(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        steps.end(steps.make(() -> domain.allocateMemory(8192, LOCAL_WRITE)));
        domain.close();
    }

    private static void windows(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        for (MemoryWindowType type : MemoryWindowType.values()) {
            steps.end(steps.make(() -> domain.allocateMemoryWindow(type)));
        }
        domain.close();
    }

    private static void addressHandle(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        GidEntry gid = DEVICE.selectGid(1);
        steps.end(
                steps.make(() -> domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid()))));
        domain.close();
    }

    private static void queue(Steps steps) {
        CompletionQueue queue = steps.make(() -> DEVICE.createCompletionQueue(16));
        steps.run(() -> queue.resize(32));
        steps.run(() -> queue.poll(WorkCompletions.allocate(1)));
        steps.end(queue);
    }

    private static void extendedQueue(Steps steps) {
        var queue = steps.make(() -> DEVICE.createExtendedCompletionQueue(16, config -> {}));
        steps.end(queue);
    }

    private static void channel(Steps steps) {
        var channel = steps.make(DEVICE::createCompletionChannel);
        CompletionQueue queue = steps.make(() -> DEVICE.createCompletionQueue(16, config -> config.channel(channel)));
        steps.take(() -> queue.awaitCompletions(WorkCompletions.allocate(1), A_LITTLE));
        steps.take(() -> channel.nextEvent(A_LITTLE));
        steps.end(queue);
        steps.end(channel);
    }

    private static void sharedReceiveQueue(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        SharedReceiveQueue queue = steps.make(() -> domain.createSharedReceiveQueue(config -> {}));
        steps.make(queue::attributes);
        steps.run(() -> queue.modifyLimit(1));
        steps.run(() -> queue.resize(32));
        steps.end(queue);
        domain.close();
    }

    private static void queuePairs(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        CompletionQueue queue = DEVICE.createCompletionQueue(16);
        MemoryRegion memory = domain.allocateMemory(4096, LOCAL_WRITE);
        PreparedQueuePair first =
                steps.make(() -> domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue)));
        PreparedQueuePair second = domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue));
        QueuePair left = steps.make(() -> first.connect(second.endpoint(), config -> config.timeout(19)));
        QueuePair right = second.connect(first.endpoint(), config -> config.timeout(19));
        steps.post(() -> right.tryPostReceive(1, memory.slice(0, 64)));
        steps.post(() -> left.tryPostSend(2, memory.slice(64, 64), SendFlags.SIGNALED));
        WorkCompletions completions = WorkCompletions.allocate(1);
        long start = System.nanoTime();
        for (int completed = 0; completed < 2; completed += queue.poll(completions)) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new AssertionError("no completion");
            }
        }
        steps.make(left::state);
        steps.make(left::queryInitial);
        steps.run(left::toError);
        steps.end(left);
        steps.end(right);
        steps.end(memory);
        steps.end(queue);
        steps.end(domain);
    }

    /** If undoing also fails, the next attempt needs a new queue pair. */
    private static void unconnected(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        CompletionQueue queue = DEVICE.createCompletionQueue(16);
        Iterator<PreparedQueuePair> each = Stream.generate(() -> domain.prepareQueuePair(
                        QueuePairType.RC,
                        config -> config.completionQueue(queue)
                                .maxSendWorkRequests(1)
                                .maxReceiveWorkRequests(1)))
                .limit(3)
                .toList()
                .iterator();
        PreparedQueuePair peer = each.next();
        steps.take(() -> each.next().connect(peer.endpoint()));
        domain.close();
        queue.close();
    }

    private static void extendedQueuePair(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        CompletionQueue queue = DEVICE.createCompletionQueue(16);
        QueuePair pair = steps.make(() -> domain.createQueuePair(
                QueuePairType.RC, config -> config.completionQueue(queue).sendOperations(SendOperation.SEND)));
        steps.end(pair);
        domain.close();
        queue.close();
    }

    private static void multicast(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        CompletionQueue queue = DEVICE.createCompletionQueue(16);
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, config -> config.completionQueue(queue));
        steps.run(() -> pair.attachMulticast(GROUP, 0));
        steps.run(() -> pair.detachMulticast(GROUP, 0));
        pair.attachMulticast(GROUP, 0);
        steps.end(pair);
        domain.close();
        queue.close();
    }

    private static void poller(Steps steps) {
        EventPoller poller = steps.make(EventPoller::open);
        steps.run(() -> poller.add(DEVICE));
        steps.take(() -> poller.select(A_LITTLE, source -> {}));
        steps.run(() -> poller.remove(DEVICE));
        steps.end(poller);
    }
}
