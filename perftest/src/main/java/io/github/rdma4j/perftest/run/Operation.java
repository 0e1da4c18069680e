// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.options.AtomicOperation;
import io.github.rdma4j.perftest.options.TestParameters;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendBatch;

/**
 * The requests of the one-sided tools. Numbers and not an enum: the measured loops choose by one comparison of a local, where
 * an enum costs two more loads for each message.
 */
final class Operation {
    static final int WRITE = 0;
    static final int READ = 1;
    static final int FETCH_AND_ADD = 2;
    static final int COMPARE_AND_SWAP = 3;

    /** As in the C tools. */
    private static final long ADDEND = 1;

    private static final long EXPECTED = 0;
    private static final long NEW_VALUE = 0;

    private Operation() {}

    /** The request of a tool. */
    static int of(TestParameters parameters) {
        return switch (parameters.tool().verb()) {
            case WRITE -> WRITE;
            case READ -> READ;
            case ATOMIC ->
                parameters.workload().atomicOperation() == AtomicOperation.FETCH_AND_ADD
                        ? FETCH_AND_ADD
                        : COMPARE_AND_SWAP;
            case SEND -> throw new IllegalArgumentException("a send is not one-sided");
        };
    }

    /** The same, without an id, where the queue pair may be of XRC, which names a shared receive queue of the peer; -1 for other types. */
    static int postAlone(
            int operation,
            QueuePair queuePair,
            int sharedReceiveQueue,
            MemorySlice local,
            RemoteMemory remote,
            int flags) {
        if (sharedReceiveQueue < 0) {
            return post(operation, queuePair, 0, local, remote, flags);
        }
        SendBatch batch = queuePair.startBatch().toSharedReceiveQueue(sharedReceiveQueue);
        add(batch, operation, 0, local, remote, flags);
        batch.post();
        return batch.error();
    }

    /** Adds one request to a list. */
    static void add(SendBatch batch, int operation, long id, MemorySlice local, RemoteMemory remote, int flags) {
        switch (operation) {
            case WRITE -> batch.write(id, local, remote, flags);
            case READ -> batch.read(id, local, remote, flags);
            case FETCH_AND_ADD -> batch.fetchAndAdd(id, local, remote, ADDEND, flags);
            default -> batch.compareAndSwap(id, local, remote, EXPECTED, NEW_VALUE, flags);
        }
    }

    /** Posts one request; returns 0 or an errno. */
    static int post(int operation, QueuePair queuePair, long id, MemorySlice local, RemoteMemory remote, int flags) {
        return switch (operation) {
            case WRITE -> queuePair.postWrite(id, local, remote, flags);
            case READ -> queuePair.postRead(id, local, remote, flags);
            case FETCH_AND_ADD -> queuePair.postFetchAndAdd(id, local, remote, ADDEND, flags);
            default -> queuePair.postCompareAndSwap(id, local, remote, EXPECTED, NEW_VALUE, flags);
        };
    }
}
