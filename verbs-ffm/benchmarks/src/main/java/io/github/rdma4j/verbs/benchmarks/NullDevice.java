// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** A connected queue pair, a completion queue and memory on a device of the null provider, made by the public API. */
final class NullDevice implements AutoCloseable {
    /** A device whose driver posts in user space, as most adapters' do: posts are critical calls. */
    static final String USER_SPACE = "null0";

    /** A device whose driver might post through the kernel, as SoftRoCE's driver does: posts are ordinary calls. */
    static final String KERNEL = "null1";

    private static final int MESSAGE_SIZE = 64;

    private final DeviceContext context;
    private final CompletionQueue completionQueue;
    private final QueuePair queuePair;
    private final MemorySlice local;
    private final RemoteMemory remote;
    private final MemorySegment request;

    NullDevice(String name) {
        this(name, config -> {});
    }

    NullDevice(String name, Consumer<QueuePairConfig> configuration) {
        context = DeviceContext.open(name);
        completionQueue = context.createCompletionQueue(256);
        ProtectionDomain domain = context.allocateProtectionDomain();
        MemoryRegion region = domain.registerMemory(
                Arena.global().allocate(4096, 64), AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        local = region.slice(0, MESSAGE_SIZE);
        remote = region.remoteMemory().slice(0, MESSAGE_SIZE);
        PreparedQueuePair prepared = domain.prepareQueuePair(QueuePairType.RC, config -> {
            config.completionQueue(completionQueue).maxSendWorkRequests(128);
            configuration.accept(config);
        });
        queuePair = prepared.connect(prepared.endpoint());
        request = requestForC(region);
    }

    /** Returns the same values as the {@code struct request} of c-loops.c. */
    private MemorySegment requestForC(MemoryRegion region) {
        MemorySegment fields = Arena.global().allocate(32, 8);
        fields.set(ValueLayout.JAVA_LONG, 0, region.address());
        fields.set(ValueLayout.JAVA_LONG, 8, remote.address());
        fields.set(ValueLayout.JAVA_INT, 16, MESSAGE_SIZE);
        fields.set(ValueLayout.JAVA_INT, 20, region.localKey());
        fields.set(ValueLayout.JAVA_INT, 24, remote.remoteKey());
        fields.set(ValueLayout.JAVA_INT, 28, SendFlags.SIGNALED);
        return fields;
    }

    CompletionQueue completionQueue() {
        return completionQueue;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    MemorySlice local() {
        return local;
    }

    RemoteMemory remote() {
        return remote;
    }

    /** What to write, for the C loops. */
    long request() {
        return request.address();
    }

    @Override
    public void close() {
        context.close();
    }
}
