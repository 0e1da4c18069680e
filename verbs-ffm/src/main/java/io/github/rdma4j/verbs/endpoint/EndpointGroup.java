// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.DeviceContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets many endpoints share what each would have alone: one completion queue, one pool of receive buffers and a handful
 * of file descriptors, in the place of four descriptors and a queue for each. For a server, or a client, of hundreds of
 * connections. A server and a client join by their configuration:
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
 * <p>Endpoints of a group are used as any other, by any threads, with a selector or without. Who makes progress for one
 * of them takes in what has come for all, and wakes those who wait for it. An endpoint alone is faster without a group.
 *
 * <p><b>Buffers.</b> Each connection brings as many receive buffers as it grants credits, {@link
 * EndpointConfig#receiveBuffers}, and three more; the next one takes over those of one that has gone. A queue has up to
 * 31 besides, fewer if they are longer than 8 KiB, so that buffers go back to the adapter sixteen at a time. A peer
 * never has more of them than its own credits allow, so a slow reader, or held messages, of one connection keep nothing
 * from others. A peer that sends more than that loses its connection, as always; until that is noticed, it can delay
 * others.
 *
 * <p><b>Capacity.</b> Queues are made for as many endpoints as {@link #open(int)} says; when more come, further queues
 * of the same length are added, and so they are for endpoints with other sizes, in another protection domain, or on
 * another device. What a device cannot give is refused at the connection, with both numbers. Memory for messages comes
 * with the connections.
 *
 * <p><b>A device that fails</b>: if the adapter, or the connection manager, does not answer any more, all endpoints of
 * the group on that device are lost, and before they are closed the group takes no more there. Other devices go on.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class EndpointGroup implements AutoCloseable {
    private static final int USUAL = 64;
    private static final int MOST = 1 << 20;

    private final int endpoints;
    /** Guarded by itself, as is the field below. */
    private final Map<DeviceContext, SharedQueues> queues = new HashMap<>();

    private boolean closed;

    private EndpointGroup(int endpoints) {
        this.endpoints = endpoints;
    }

    /**
     * Opens a group whose queues are for 64 endpoints each.
     *
     * @return the group, to be closed
     */
    public static EndpointGroup open() {
        return open(USUAL);
    }

    /**
     * Opens a group. Nothing is taken from a device before the first endpoint.
     *
     * @param endpoints how many endpoints a completion queue (ibv_create_cq(3)) and a shared receive queue
     *     (ibv_create_srq(3)) are to be for, 1 to 2^20; fewer where the device's queues are too short
     * @return the group, to be closed
     * @throws IllegalArgumentException if the number is out of range
     */
    public static EndpointGroup open(int endpoints) {
        if (endpoints < 1 || endpoints > MOST) {
            throw new IllegalArgumentException("a group for %d endpoints: 1 to %d".formatted(endpoints, MOST));
        }
        return new EndpointGroup(endpoints);
    }

    /** What its endpoints share on a device. */
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
     * How many endpoints there are.
     *
     * @return those that are open or about to connect, and those whose messages the program still {@linkplain
     *     Message#hold holds}
     */
    public int size() {
        return all().stream().mapToInt(SharedQueues::size).sum();
    }

    /** For tests: how many completion queues there are. */
    int queues() {
        return all().stream().mapToInt(SharedQueues::queues).sum();
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public boolean isOpen() {
        synchronized (queues) {
            return !closed;
        }
    }

    /**
     * Lets no endpoint join any more. Those that are there stay open, and with them their queues, until the last one is
     * closed. If this group is closed already, what could not be closed then is tried again.
     */
    @Override
    public void close() {
        synchronized (queues) {
            closed = true;
        }
        CloseAll.of(all().stream().<Runnable>map(shared -> shared::letGo).toArray(Runnable[]::new));
    }

    /** {@return how many endpoints there are} */
    @Override
    public String toString() {
        return "%s of %d endpoints".formatted(isOpen() ? "endpoint group" : "closed endpoint group", size());
    }
}
