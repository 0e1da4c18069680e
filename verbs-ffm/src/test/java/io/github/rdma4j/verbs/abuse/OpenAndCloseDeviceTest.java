// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.MemoryWindowType;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendOperation;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.pool.RegisteredMemoryPool;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Opens and closes every kind of resource many times: file descriptors, native memory and the kernel's own counts of
 * RDMA resources must come back to where they were.
 */
@Tag("device")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class OpenAndCloseDeviceTest {
    private static final int TIMES = Integer.getInteger("rdma4j.abuse.times", 30);
    /** The times are divided into so many windows. */
    private static final int WINDOWS = 3;

    /** A leak grows in each window; what the JVM allocates for itself (compiled code, class data) does not. */
    private static final int MOST_WINDOWS = 12;

    /** The growth that was seen in a quiet window of the JVM. With more rounds, smaller leaks show. */
    private static final long NATIVE_SLACK = 48 << 10;

    private static final long NATIVE_SLACK_PER_TIME = 64;

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void everythingComesBack(String kind, Consumer<DeviceContext> openAndClose) {
        try (DeviceContext device = DeviceContext.open(TestDevice.first())) {
            ConnectionManagerState.settle();
            repeat(TIMES / WINDOWS, device, openAndClose);
            long quiet = NATIVE_SLACK + TIMES / WINDOWS * NATIVE_SLACK_PER_TIME;
            long leastGrowth = Long.MAX_VALUE;
            ProcessCounts before = ProcessCounts.now();
            ProcessCounts last = before;
            for (int window = 0; window < WINDOWS || leastGrowth >= quiet && window < MOST_WINDOWS; window++) {
                repeat(TIMES / WINDOWS, device, openAndClose);
                ProcessCounts now = ProcessCounts.now();
                leastGrowth = Math.min(leastGrowth, now.nativeBytes() - last.nativeBytes());
                last = now;
            }

            assertThat(last.fileDescriptors()).isEqualTo(before.fileDescriptors());
            assertThat(last.rdmaResources()).isEqualTo(before.rdmaResources());
            assertThat(leastGrowth).as("native bytes").isLessThan(quiet);
        }
    }

    private static void repeat(int times, DeviceContext device, Consumer<DeviceContext> action) {
        for (int i = 0; i < times; i++) {
            action.accept(device);
        }
    }

    static Stream<Arguments> kinds() {
        return Stream.of(
                kind(
                        "device context",
                        device -> DeviceContext.open(device.device()).close()),
                kind(
                        "protection domain",
                        device -> device.allocateProtectionDomain().close()),
                kind(
                        "completion queue",
                        device -> device.createCompletionQueue(16).close()),
                kind(
                        "memory region",
                        inDomain(domain ->
                                domain.allocateMemory(8192, LOCAL_WRITE).close())),
                kind("RC queue pair", queuePair(QueuePairType.RC)),
                kind("UC queue pair", queuePair(QueuePairType.UC)),
                kind("UD queue pair", queuePair(QueuePairType.UD)),
                kind("extended queue pair", inDomain(OpenAndCloseDeviceTest::extendedPair)),
                kind("connected queue pairs, closed by the device", OpenAndCloseDeviceTest::connectedPair),
                kind("completion channel with a queue", OpenAndCloseDeviceTest::channel),
                kind(
                        "extended completion queue",
                        device -> device.createExtendedCompletionQueue(16, config -> {})
                                .close()),
                kind(
                        "shared receive queue",
                        inDomain(domain ->
                                domain.createSharedReceiveQueue(config -> {}).close())),
                kind("address handle", inDomain(OpenAndCloseDeviceTest::addressHandle)),
                kind(
                        "memory window of type 1",
                        inDomain(domain -> domain.allocateMemoryWindow(MemoryWindowType.TYPE_1)
                                .close())),
                kind(
                        "memory window of type 2",
                        inDomain(domain -> domain.allocateMemoryWindow(MemoryWindowType.TYPE_2)
                                .close())),
                kind("pool of registered memory", inDomain(domain -> {
                    try (RegisteredMemoryPool pool =
                            RegisteredMemoryPool.create(domain, config -> config.chunkSize(1 << 16))) {
                        pool.allocate(100, 8).close();
                    }
                })),
                kind("event poller", device -> {
                    try (EventPoller poller = EventPoller.open()) {
                        poller.add(device);
                    }
                }),
                kind("event channel with a listening id", OpenAndCloseDeviceTest::listener));
    }

    private static Consumer<DeviceContext> inDomain(Consumer<ProtectionDomain> action) {
        return device -> {
            try (ProtectionDomain domain = device.allocateProtectionDomain()) {
                action.accept(domain);
            }
        };
    }

    private static Consumer<DeviceContext> queuePair(QueuePairType type) {
        return inDomain(domain -> {
            try (CompletionQueue queue = domain.context().createCompletionQueue(16);
                    QueuePair pair = domain.createQueuePair(type, config -> config.completionQueue(queue))) {
                pair.startBatch();
                pair.startReceiveBatch();
            }
        });
    }

    private static void connectedPair(DeviceContext device) {
        DeviceContext own = DeviceContext.open(device.device());
        ProtectionDomain domain = own.allocateProtectionDomain();
        CompletionQueue queue = own.createCompletionQueue(16);
        var first = domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue));
        var second = domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue));
        first.connect(second.endpoint());
        second.connect(first.endpoint());
        own.close();
    }

    private static void extendedPair(ProtectionDomain domain) {
        try (CompletionQueue queue = domain.context().createCompletionQueue(16);
                QueuePair pair = domain.createQueuePair(
                        QueuePairType.RC,
                        config -> config.completionQueue(queue).sendOperations(SendOperation.SEND))) {
            pair.startBatch();
        }
    }

    private static void channel(DeviceContext device) {
        try (CompletionChannel channel = device.createCompletionChannel()) {
            CompletionQueue queue = device.createCompletionQueue(16, config -> config.channel(channel));
            queue.awaitCompletions(WorkCompletions.allocate(1), Duration.ofNanos(1));
        }
    }

    private static void addressHandle(ProtectionDomain domain) {
        GidEntry gid = domain.context().selectGid(1);
        domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid()))
                .close();
    }

    private static void listener(DeviceContext device) {
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId id = channel.createId(PortSpace.TCP);
            id.bind(new InetSocketAddress(0));
            id.listen(1);
        }
    }

    private static Arguments kind(String name, Consumer<DeviceContext> openAndClose) {
        return Arguments.of(name, openAndClose);
    }
}
