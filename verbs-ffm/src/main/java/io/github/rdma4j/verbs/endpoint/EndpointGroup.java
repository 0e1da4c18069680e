// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Shares one completion queue, one pool of receive buffers and nine file descriptors between many endpoints, instead of
 * four descriptors and a queue for each. For a server or client with hundreds of connections. Servers and clients join
 * through their configuration:
 *
 * <pre>{@code
 * try (EndpointGroup group = EndpointGroup.open(1000);
 *         EndpointServer server = EndpointServer.bind(address, config -> config.group(group));
 *         EndpointSelector selector = EndpointSelector.open()) {
 *     selector.add(server, s -> s.accept(Duration.ZERO).ifPresent(client -> selector.add(client, this::serve)));
 *     while (running) {
 *         selector.select(Duration.ofSeconds(1));
 *     }
 * }
 * }</pre>
 *
 * <p>Use endpoints of a group as any other. A thread that makes progress for one of them receives messages for all, and
 * wakes the threads that wait for them. A single endpoint is faster without a group.
 *
 * <p><b>Buffers.</b> Each connection adds as many receive buffers as it grants credits, {@link
 * EndpointConfig#receiveBuffers}, plus three; a later connection reuses the buffers of a closed one. A queue has up to
 * 31 further buffers, fewer if they are longer than 8 KiB, so that buffers return to the adapter sixteen at a time. A
 * peer never uses more buffers than its own credits allow, so a slow reader, or held messages, of one connection do not
 * affect others. A peer that sends more loses its connection; until that is detected, it can delay others.
 *
 * <p><b>Capacity.</b> The queues hold as many endpoints as {@link #open(int)} says. The group adds queues of the same
 * length for further endpoints, and for endpoints with other sizes, in another protection domain or on another device.
 * If a device cannot provide a queue, the connection is refused with both numbers. Memory for messages is allocated
 * with the connections.
 *
 * <p><b>A device that fails</b>: if the adapter or the connection manager stops answering, all endpoints of the group
 * on that device are lost, and the group accepts no new ones there until they are closed. Other devices are not
 * affected.
 *
 * <p>Thread safety: any thread may call any method.
 *
 * @since 0.1.0
 */
public final class EndpointGroup implements AutoCloseable {
    private static final int USUAL = 64;
    private static final int MOST = 1 << 20;

    private final int endpoints;
    /** Guarded by its own monitor, which also guards the next field. */
    private final Map<DeviceContext, SharedQueues> queues = new HashMap<>();

    private boolean closed;

    private EndpointGroup(int endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Opens a group whose queues hold 64 endpoints each.
     *
     * @return the group; close it after use
     */
    public static EndpointGroup open() {
        return open(USUAL);
    }

    /**
     * Opens a group. It allocates nothing on a device before the first endpoint.
     *
     * @param endpoints how many endpoints a completion queue (ibv_create_cq(3)) and a shared receive queue
     *     (ibv_create_srq(3); on an EFA, a queue pair) hold, 1 to 2^20; fewer if the device's queues are too short
     * @return the group; close it after use
     * @throws IllegalArgumentException if the number is out of range
     */
    public static EndpointGroup open(int endpoints) {
        if (endpoints < 1 || endpoints > MOST) {
            throw new IllegalArgumentException("a group for %d endpoints: 1 to %d".formatted(endpoints, MOST));
        }
        return new EndpointGroup(endpoints);
    }

    /** The queues that its endpoints share on a device. */
    SharedQueues on(DeviceContext context) {
        synchronized (queues) {
            if (closed) {
                throw new IllegalStateException("the endpoint group is closed");
            }
            return queues.computeIfAbsent(context, device -> new SharedQueues(device, endpoints));
        }
    }

    private List<SharedQueues> all() {
        synchronized (queues) {
            return List.copyOf(queues.values());
        }
    }

    /**
     * Returns the number of endpoints.
     *
     * @return endpoints that are open or connecting, and closed ones whose messages the program still {@linkplain
     *     Message#hold holds}
     */
    public int size() {
        return all().stream().mapToInt(SharedQueues::size).sum();
    }

    /** The number of completion queues, for tests. */
    int queues() {
        return all().stream().mapToInt(SharedQueues::queues).sum();
    }

    /** {@return whether this group has not been closed} */
    public boolean isOpen() {
        synchronized (queues) {
            return !closed;
        }
    }

    /**
     * Keeps further endpoints from joining. The endpoints of the group stay open, and so do their queues until the last
     * endpoint is closed. Calling this method again retries what could not be closed before.
     */
    @Override
    public void close() {
        synchronized (queues) {
            closed = true;
        }
        CloseAll.of(all().stream().<Runnable>map(shared -> shared::letGo).toArray(Runnable[]::new));
    }

    /** {@return the number of endpoints} */
    @Override
    public String toString() {
        return "%s of %d endpoints".formatted(isOpen() ? "endpoint group" : "closed endpoint group", size());
    }
}
