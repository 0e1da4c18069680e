// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An asynchronous event of a device or of one of its objects ({@code struct ibv_async_event}), from
 * {@link DeviceContext#nextAsyncEvent}. It has already been acknowledged.
 *
 * @param type what happened
 * @param code the number of the type, also if this library has no name for it ({@link AsyncEventType#UNKNOWN})
 * @param resource the object concerned: a {@link QueuePair} or a {@link SharedQueuePair}, a {@link CompletionQueue}, a
 *     shared receive queue or a work queue, which may have been closed since; empty for events of ports and devices,
 *     and for objects that this context did not create
 * @param port the port concerned, from 1; empty for events of resources and devices
 * @since 0.1.0
 */
public record AsyncEvent(AsyncEventType type, int code, Optional<Resource> resource, OptionalInt port) {
    /**
     * Creates an event.
     *
     * @param type what happened
     * @param code the number of the type
     * @param resource the object concerned
     * @param port the port concerned
     */
    public AsyncEvent {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(port, "port");
    }

    /** {@return type and subject in one line} */
    @Override
    public String toString() {
        String what = type == AsyncEventType.UNKNOWN ? "event " + code : type.name();
        if (resource.isPresent()) {
            return what + " of " + resource.get();
        }
        return port.isPresent() ? what + " of port " + port.getAsInt() : what;
    }
}
