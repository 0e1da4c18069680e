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
 * Breaks a channel by replacing the descriptor in its native struct. Each native call on it fails with EBADF, and
 * arriving events still end each wait, as with a device that has been removed. Closing this restores the descriptor, so
 * that the channel can be closed.
 */
final class BrokenDescriptor implements AutoCloseable {
    /** A descriptor that no file has. -1 would mean "no channel" when a completion queue is created. */
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
