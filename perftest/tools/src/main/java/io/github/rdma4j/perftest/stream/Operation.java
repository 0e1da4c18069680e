// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.perftest.options.AtomicOperation;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.RequestPreparation;
import io.github.rdma4j.verbs.SendBatch;

/**
 * The requests of the one-sided tools. These are numbers instead of an enum: the measured loops compare a local
 * variable once, while an enum costs two more loads for each message.
 */
public final class Operation {
    public static final int WRITE = 0;
    static final int READ = 1;
    static final int FETCH_AND_ADD = 2;
    static final int COMPARE_AND_SWAP = 3;

    /** The C tools' value. */
    private static final long ADDEND = 1;

    private static final long EXPECTED = 0;
    private static final long NEW_VALUE = 0;

    private Operation() {}

    /** The request of a tool. */
    public static int of(RunParameters parameters) {
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

    /**
     * A request that is posted again and again.
     *
     * @param id of its completions
     */
    public static PreparedRequest prepare(
            RequestPreparation preparation, int operation, long id, MemorySlice local, RemoteMemory remote, int flags) {
        PreparedRequest request = switch (operation) {
            case WRITE -> preparation.write(local, remote, flags);
            case READ -> preparation.read(local, remote, flags);
            case FETCH_AND_ADD -> preparation.fetchAndAdd(local, remote, ADDEND, flags);
            default -> preparation.compareAndSwap(local, remote, EXPECTED, NEW_VALUE, flags);
        };
        return request.workRequestId(id);
    }

    /** Adds one request to a list. */
    public static void add(SendBatch batch, int operation, long id, MemorySlice local, RemoteMemory remote, int flags) {
        switch (operation) {
            case WRITE -> batch.write(id, local, remote, flags);
            case READ -> batch.read(id, local, remote, flags);
            case FETCH_AND_ADD -> batch.fetchAndAdd(id, local, remote, ADDEND, flags);
            default -> batch.compareAndSwap(id, local, remote, EXPECTED, NEW_VALUE, flags);
        }
    }
}
