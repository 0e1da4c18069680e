// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.gpu.CopyQueue;
import io.github.rdma4j.perftest.memory.SealedMessages;
import io.github.rdma4j.perftest.resources.GpuMessageMemory;
import io.github.rdma4j.perftest.stream.RunControl;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The loop of ib_write_lat with messages in GPU memory that the adapter reaches directly. The processor can neither
 * poll nor write a byte there. It copies a message's last byte to pinned memory repeatedly until the byte is the
 * awaited one, and copies the last byte from pinned memory before it sends a message. The time of a copy is part of the
 * latency.
 */
public final class GpuWriteLatencyLoop extends WriteLatencyLoop {
    private static final int FROM_DEVICE = 0;
    private static final int TO_DEVICE = 1;

    private final GpuMessageMemory memory;
    private final MemorySegment bytes;
    private final CopyQueue reading;
    private final CopyQueue writing;

    /** See there; the CPU does not reach the GPU's memory. */
    public GpuWriteLatencyLoop(
            RequestQueues queues,
            GpuMessageMemory memory,
            WrittenMessages messages,
            SealedMessages seals,
            RunControl control) {
        super(queues, null, messages, false, seals, control);
        this.memory = memory;
        this.bytes = memory.words();
        this.reading = new CopyQueue(memory.gpu().toHost(), memory.device(), this.bytes);
        this.writing = new CopyQueue(memory.gpu().toDevice(), memory.device(), this.bytes);
    }

    @Override
    boolean isBare() {
        return false;
    }

    @Override
    public boolean await(long number) {
        while (!hasArrived((byte) number)) {
            if (!control.running()) {
                return false;
            }
        }
        if (seals == null) {
            return true;
        }
        memory.pull(awaitOffset + 1 - size(), size());
        return isWhole(number);
    }

    /** Returns whether the last byte of the peer's message is this one. */
    private boolean hasArrived(byte counter) {
        reading.copyToHost(awaitOffset, FROM_DEVICE, 1);
        return await(reading) && bytes.get(ValueLayout.JAVA_BYTE, FROM_DEVICE) == counter;
    }

    @Override
    boolean fill(long number) {
        if (seals != null) {
            seals.seal(sendOffset + 1 - size(), size(), number);
            memory.push(sendOffset + 1 - size(), size());
        }
        return write(sendOffset, number);
    }

    @Override
    public void pretend(long number) {
        write(awaitOffset, number);
    }

    private boolean write(long offset, long number) {
        bytes.set(ValueLayout.JAVA_BYTE, TO_DEVICE, (byte) number);
        writing.copyToDevice(offset, TO_DEVICE, 1);
        return await(writing);
    }

    private boolean await(CopyQueue copies) {
        copies.mark();
        while (copies.done() < copies.queued()) {
            if (!control.running()) {
                return false;
            }
        }
        return true;
    }
}
