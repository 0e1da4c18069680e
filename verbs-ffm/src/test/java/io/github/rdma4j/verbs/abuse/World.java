// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.abuse;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.device.GidEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The objects that the threads of one sequence share, open and closed ones, by kind. */
final class World implements AutoCloseable {
    private static final int MOST_OF_A_KIND = 24;

    /** Counts of the outcomes of each action, over all sequences. */
    static final Map<String, LongAdder> OUTCOMES = new ConcurrentHashMap<>();

    final DeviceContext device;
    private final Map<Class<?>, List<Object>> objects = new HashMap<>();
    /** Resources that closing the device does not close. */
    private final List<AutoCloseable> outsideOfDevice = new ArrayList<>();

    World() {
        device = DeviceContext.open(TestDevice.first());
        add(device);
        // Enough to begin with, so that most of the calls have something to work on.
        ProtectionDomain domain = device.allocateProtectionDomain();
        add(domain);
        CompletionQueue queue = device.createCompletionQueue(64);
        add(queue);
        add(domain.allocateMemory(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, MW_BIND));
        PreparedQueuePair first = prepare(domain, queue);
        PreparedQueuePair second = prepare(domain, queue);
        add(first.connect(second.endpoint()));
        add(second.connect(first.endpoint()));
        PreparedQueuePair datagrams = domain.prepareQueuePair(
                QueuePairType.UD,
                config -> config.completionQueue(queue).maxSendWorkRequests(8).maxReceiveWorkRequests(8));
        add(datagrams);
        add(datagrams.activate());
        GidEntry gid = device.selectGid(1);
        add(domain.createAddressHandle(AddressHandleAttributes.toGid(1, gid.index(), gid.gid())));
    }

    private PreparedQueuePair prepare(ProtectionDomain domain, CompletionQueue queue) {
        PreparedQueuePair prepared = domain.prepareQueuePair(
                QueuePairType.RC,
                config -> config.completionQueue(queue)
                        .maxSendWorkRequests(8)
                        .maxReceiveWorkRequests(8)
                        .maxSendScatterGather(2)
                        .maxInlineData(64)
                        .remoteAccess(REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC));
        add(prepared);
        return prepared;
    }

    void add(Object object) {
        add(object, object.getClass());
    }

    synchronized void add(Object object, Class<?> as) {
        List<Object> kind = objects.computeIfAbsent(as, type -> new ArrayList<>());
        if (kind.size() < MOST_OF_A_KIND) {
            kind.add(object);
        } else {
            kind.set(objects.size() % MOST_OF_A_KIND, object);
        }
    }

    /** Adds an object that does not hang on the device; returns it. */
    <T extends AutoCloseable> T addOutside(T object) {
        synchronized (this) {
            outsideOfDevice.add(object);
        }
        add(object);
        return object;
    }

    /** Any object of a kind, open or closed. */
    synchronized <T> Optional<T> any(Class<T> kind, Random random) {
        List<Object> all = objects.getOrDefault(kind, List.of());
        return all.isEmpty() ? Optional.empty() : Optional.of(kind.cast(all.get(random.nextInt(all.size()))));
    }

    /** Any object of any kind but the device itself. */
    synchronized Optional<Object> any(Random random) {
        List<Object> all = objects.values().stream()
                .flatMap(List::stream)
                .filter(object -> object != device)
                .toList();
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    static void count(String action, String outcome) {
        OUTCOMES.computeIfAbsent(action + " -> " + outcome, key -> new LongAdder())
                .increment();
    }

    @Override
    public void close() {
        List<AutoCloseable> outside;
        synchronized (this) {
            outside = List.copyOf(outsideOfDevice);
        }
        for (AutoCloseable object : outside) {
            closeQuietly(object);
        }
        device.close();
    }

    private static void closeQuietly(AutoCloseable object) {
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError("close throws no checked exceptions", e);
        }
    }
}
