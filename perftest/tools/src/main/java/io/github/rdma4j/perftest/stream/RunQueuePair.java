// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.RequestPreparation;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SrdQueuePair;

/**
 * A queue pair of a run, ready to send and receive, with the address that its requests need. The measured loops post
 * {@linkplain #prepare prepared} requests, which contain the address, and call this object for lists of requests only.
 */
public final class RunQueuePair {
    private static final int NO_NUMBER = -1;

    /** Null for an SRD queue pair. */
    private final QueuePair queuePair;
    /** Null for another one. */
    private final SrdQueuePair reliableDatagrams;
    /** Null for a connected queue pair. */
    private final Destination destination;
    /** The peer's shared receive queue, for XRC. */
    private final int sharedReceiveQueue;

    private RunQueuePair(
            QueuePair queuePair, SrdQueuePair reliableDatagrams, Destination destination, int sharedReceiveQueue) {
        this.queuePair = queuePair;
        this.reliableDatagrams = reliableDatagrams;
        this.destination = destination;
        this.sharedReceiveQueue = sharedReceiveQueue;
    }

    /**
     * Returns a queue pair of verbs.
     *
     * @param destination of its datagrams; null if it is connected
     */
    public static RunQueuePair of(QueuePair queuePair, Destination destination) {
        return new RunQueuePair(queuePair, null, destination, NO_NUMBER);
    }

    /** Returns the sending half of an extended reliable connection, to a shared receive queue of the peer. */
    public static RunQueuePair toSharedReceiveQueue(QueuePair queuePair, int number) {
        return new RunQueuePair(queuePair, null, null, number);
    }

    /** Returns a queue pair of EFA. */
    public static RunQueuePair of(SrdQueuePair queuePair, Destination destination) {
        return new RunQueuePair(null, queuePair, destination, NO_NUMBER);
    }

    /** The queue pair number. */
    public int number() {
        return reliableDatagrams == null ? queuePair.number() : reliableDatagrams.number();
    }

    /** Starts the preparation of requests to the peer. */
    public RequestPreparation prepare() {
        RequestPreparation preparation = reliableDatagrams == null ? queuePair.prepare() : reliableDatagrams.prepare();
        if (destination != null) {
            preparation.to(destination);
        } else if (sharedReceiveQueue != NO_NUMBER) {
            preparation.toSharedReceiveQueue(sharedReceiveQueue);
        }
        return preparation;
    }

    /** Starts a list of requests to the peer. Allocates nothing. */
    public SendBatch startBatch() {
        SendBatch batch = reliableDatagrams == null ? queuePair.startBatch() : reliableDatagrams.startBatch();
        if (destination != null) {
            batch.to(destination);
        } else if (sharedReceiveQueue != NO_NUMBER) {
            batch.toSharedReceiveQueue(sharedReceiveQueue);
        }
        return batch;
    }

    /** Posts one receive. Allocates nothing. */
    boolean tryPostReceive(long id, MemorySlice buffer) {
        return reliableDatagrams == null
                ? queuePair.tryPostReceive(id, buffer)
                : reliableDatagrams.tryPostReceive(id, buffer);
    }

    PreparedReceive prepareReceive(MemorySlice buffer) {
        return reliableDatagrams == null ? queuePair.prepareReceive(buffer) : reliableDatagrams.prepareReceive(buffer);
    }

    /** Starts a list of receives. Allocates nothing. */
    ReceiveBatch startReceiveBatch() {
        return reliableDatagrams == null ? queuePair.startReceiveBatch() : reliableDatagrams.startReceiveBatch();
    }
}
