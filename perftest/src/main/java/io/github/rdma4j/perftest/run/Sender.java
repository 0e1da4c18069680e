// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.SendBatch;

/** How messages are sent through one queue pair: what each of them carries besides its data depends on the connection. */
final class Sender {
    private final QueuePair queuePair;
    private final Destination destination;
    private final boolean toSharedQueue;
    private final int sharedReceiveQueue;

    /**
     * @param resources connected
     * @param stream whose queue pair to use
     */
    Sender(TestResources resources, int stream) {
        this.queuePair = resources.queuePair(stream);
        this.destination = resources.destination(stream);
        this.toSharedQueue = queuePair.type() == QueuePairType.XRC_SEND;
        this.sharedReceiveQueue = toSharedQueue ? resources.remoteSharedReceiveQueue(stream) : 0;
    }

    /** Posts one message; returns 0 or an errno. Allocates nothing. */
    int post(long id, MemorySlice local, int flags) {
        if (destination != null) {
            return queuePair.postSend(id, local, destination, flags);
        }
        return toSharedQueue ? postToSharedQueue(id, local, flags) : queuePair.postSend(id, local, flags);
    }

    private int postToSharedQueue(long id, MemorySlice local, int flags) {
        SendBatch one = startBatch();
        one.send(id, local, flags).post();
        return one.error();
    }

    /** Starts a list of messages, to be added by {@link SendBatch#send}. Allocates nothing. */
    SendBatch startBatch() {
        SendBatch batch = queuePair.startBatch();
        if (destination != null) {
            batch.to(destination);
        } else if (toSharedQueue) {
            batch.toSharedReceiveQueue(sharedReceiveQueue);
        }
        return batch;
    }

    /** The queue pair, for messages. */
    QueuePair queuePair() {
        return queuePair;
    }
}
