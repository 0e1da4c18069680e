// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.DatagramParameters;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The first datagram of a datagram test, which gives the server the client's queue pair, because rdma_cm does not. The
 * client sends its queue pair number as four bytes of immediate data, and the datagram's header contains the sender's
 * address.
 */
final class DatagramHandshake {
    private static final int BYTES = Integer.BYTES;
    private static final long PAUSE_NANOSECONDS = 100_000;

    private final RunResources resources;
    private final int index;
    private final Duration timeout;

    /**
     * @param index of the queue pair
     * @param timeout the longest wait
     */
    DatagramHandshake(RunResources resources, int index, Duration timeout) {
        this.resources = resources;
        this.index = index;
        this.timeout = timeout;
    }

    private MemorySlice buffer() {
        return resources.slice(resources.receiveOffset(index), WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES + BYTES);
    }

    /** Posts the receive for it; before the client can send. */
    void expect() {
        boolean posted = resources.queues().sharedReceiveQueue() != null
                ? resources.queues().sharedReceiveQueue().tryPostReceive(index, buffer())
                : resources.queuePair(index).tryPostReceive(index, buffer());
        check("a receive", posted);
    }

    /** Waits for it; returns where the client is. */
    Destination receive(int port) {
        WorkCompletion completion = await(resources.queues().receives(), "datagram of the client");
        return Destination.of(
                resources
                        .domain()
                        .createAddressHandle(
                                port,
                                completion,
                                resources
                                        .buffer()
                                        .asSlice(
                                                resources.receiveOffset(index),
                                                WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES)),
                completion.immediateData(),
                DatagramParameters.UDP_QUEUE_KEY);
    }

    /** Sends it, as the client. */
    void send(Destination server) {
        int number = resources.queuePair(index).number();
        boolean posted = resources
                .queuePair(index)
                .tryPostSendWithImmediate(
                        index, resources.slice(resources.sendOffset(index), BYTES), number, server, SendFlags.SIGNALED);
        check("a datagram", posted);
        await(resources.queues().sends(), "completion of the first datagram");
    }

    private void check(String what, boolean posted) {
        if (!posted) {
            throw new RunFailedException(
                    "posting " + what + " on " + resources.queuePair(index) + " failed: the queue is full", "");
        }
    }

    private WorkCompletion await(CompletionQueue queue, String what) {
        WorkCompletions completions = WorkCompletions.allocate(1);
        long begin = System.nanoTime();
        while (queue.poll(completions) == 0) {
            if (System.nanoTime() - begin > timeout.toNanos()) {
                throw new RunFailedException(
                        "the " + what + " did not come within " + timeout.toSeconds() + " s (--timeout)",
                        "datagrams can be lost: try again");
            }
            LockSupport.parkNanos(PAUSE_NANOSECONDS);
        }
        WorkCompletion completion = completions.get(0);
        if (!completion.isSuccess()) {
            throw new RunFailedException("the " + what + " failed: " + completion.describe(), "");
        }
        return completion;
    }
}
