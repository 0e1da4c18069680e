// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.memory.SealedMessages;
import io.github.rdma4j.perftest.resources.GpuMessageMemory;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.perftest.stream.RunControl;

/**
 * ib_write_lat with messages in a GPU's memory that the adapter cannot access: each message is copied to host memory
 * before it is sent, and to the device after it has arrived. The counter is written, and polled, in host memory.
 */
public final class StagedWriteLatencyLoop extends WriteLatencyLoop {
    private final GpuMessageMemory memory;
    private final Passage outgoing;
    private final Passage incoming;

    /**
     * Creates the loop with the parameters of its superclass; the buffer is the host memory that mirrors the GPU's
     * memory.
     */
    public StagedWriteLatencyLoop(
            RequestQueues queues,
            GpuMessageMemory memory,
            Passage outgoing,
            Passage incoming,
            WrittenMessages messages,
            SealedMessages seals,
            RunControl control) {
        super(queues, memory.staged(), messages, false, seals, control);
        this.memory = memory;
        this.outgoing = outgoing;
        this.incoming = incoming;
    }

    @Override
    boolean isBare() {
        return false;
    }

    @Override
    public boolean await(long number) {
        if (!awaitCounter(number) || !incoming.pass(control)) {
            return false;
        }
        if (seals == null) {
            return true;
        }
        memory.pull(awaitOffset + 1 - size(), size());
        return isWhole(number);
    }

    @Override
    boolean fill(long number) {
        if (seals != null) {
            seals.seal(sendOffset + 1 - size(), size(), number);
            memory.push(sendOffset + 1 - size(), size());
        }
        if (!outgoing.pass(control)) {
            return false;
        }
        count(number);
        return true;
    }
}
