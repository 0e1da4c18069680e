// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.AddressHandle;
import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.PreparedQueuePair;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.device.Gid;
import java.time.Duration;

/** A queue pair for datagrams (UD), with receives posted from its beginning. Closing it closes all that it opened. */
final class DatagramEnd implements AutoCloseable {
    /** The number of datagrams in each direction. Losing one is not a failure. */
    static final int COUNT = 8;

    private static final int LENGTH = 64;
    private static final int ROOM = LENGTH + WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES;
    private static final int QUEUE_KEY = 0x11111111;

    private final Opened opened = new Opened();
    private final PeerPort port;
    private final ProtectionDomain domain;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final MemoryRegion region;
    private final PreparedQueuePair prepared;
    private final QueuePair queuePair;
    private final WorkCompletions completions = WorkCompletions.allocate(COUNT);

    /**
     * Opens it.
     *
     * @param context the device; it stays open
     * @param port of it, and the GID to use
     */
    DatagramEnd(DeviceContext context, PeerPort port) {
        this.port = port;
        try {
            this.domain = opened.keep(context.allocateProtectionDomain());
            CompletionChannel events = opened.keep(context.createCompletionChannel());
            this.sends = opened.keep(context.createCompletionQueue(COUNT, config -> config.channel(events)));
            this.receives = opened.keep(context.createCompletionQueue(COUNT, config -> config.channel(events)));
            this.region = opened.keep(domain.allocateMemory((COUNT + 1L) * ROOM, AccessFlag.LOCAL_WRITE));
            this.prepared = opened.keep(domain.prepareQueuePair(QueuePairType.UD, this::configure));
            this.queuePair = prepared.activate();
            for (int i = 0; i < COUNT; i++) {
                posted(queuePair.tryPostReceive(i, region.slice((long) i * ROOM, ROOM)));
            }
        } catch (RuntimeException | Error failure) {
            opened.close();
            throw failure;
        }
    }

    private void configure(QueuePairConfig config) {
        config.sendCompletionQueue(sends)
                .receiveCompletionQueue(receives)
                .maxSendWorkRequests(COUNT)
                .maxReceiveWorkRequests(COUNT)
                .queueKey(QUEUE_KEY)
                .port(port.number());
        if (port.transport() == Transport.ROCE) {
            config.gidIndex(port.gidIndex());
        }
    }

    /** Returns the address that the other end needs. */
    QueuePairEndpoint endpoint() {
        return prepared.endpoint();
    }

    /** Sends all datagrams, and waits for their completions. */
    void send(QueuePairEndpoint theirs, Duration limit) {
        AddressHandleAttributes way = theirs.gid().equals(Gid.ZERO)
                ? AddressHandleAttributes.toLid(port.number(), theirs.lid())
                : AddressHandleAttributes.toGid(port.number(), Math.max(0, port.gidIndex()), theirs.gid());
        try (AddressHandle address = domain.createAddressHandle(way)) {
            Destination destination = Destination.of(address, theirs.queuePairNumber(), QUEUE_KEY);
            for (int i = 0; i < COUNT; i++) {
                posted(queuePair.tryPostSend(
                        i, region.slice((long) COUNT * ROOM, LENGTH), destination, SendFlags.SIGNALED));
            }
            count(sends, COUNT, limit);
        }
    }

    /** Waits until all datagrams have arrived, or none has arrived for a while. Returns their number. */
    int received(Duration limit) {
        return count(receives, COUNT, limit);
    }

    private int count(CompletionQueue queue, int wanted, Duration limit) {
        int good = 0;
        int all = 0;
        while (all < wanted) {
            int count = queue.awaitCompletions(completions, limit);
            if (count == 0) {
                break;
            }
            for (int i = 0; i < count; i++) {
                good += completions.get(i).isSuccess() ? 1 : 0;
            }
            all += count;
        }
        return good;
    }

    private static void posted(boolean posted) {
        if (!posted) {
            throw new VerbsException("posting a datagram", 0, "the queue is full", "");
        }
    }

    @Override
    public void close() {
        opened.close();
    }
}
