// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.bindings.ibv_comp_channel;
import io.github.rdma4j.verbs.bindings.rdma_event_channel;
import io.github.rdma4j.verbs.cm.EventChannel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A channel whose native half has lost its descriptor: each question to it fails with EBADF, and what comes still ends
 * each wait, as with a device that has been taken away. Its close mends it, so that the channel can be closed.
 */
final class BrokenDescriptor implements AutoCloseable {
    /** No file's; -1 means none to the kernel where it creates a completion queue. */
    private static final int NO_FILE = Integer.MAX_VALUE;

    private final MemorySegment field;
    private final int descriptor;

    private BrokenDescriptor(long channel, long offset) {
        field = MemorySegment.ofAddress(channel + offset).reinterpret(Integer.BYTES);
        descriptor = field.get(ValueLayout.JAVA_INT, 0);
        field.set(ValueLayout.JAVA_INT, 0, NO_FILE);
    }

    static BrokenDescriptor of(CompletionChannel channel) {
        return new BrokenDescriptor(channel.handle(), ibv_comp_channel.fd$offset());
    }

    static BrokenDescriptor of(EventChannel channel) {
        return new BrokenDescriptor(channel.handle(), rdma_event_channel.fd$offset());
    }

    @Override
    public void close() {
        field.set(ValueLayout.JAVA_INT, 0, descriptor);
    }
}
