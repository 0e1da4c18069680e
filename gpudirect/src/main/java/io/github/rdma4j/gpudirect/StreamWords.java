// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.HostMemory;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The words of a stream channel in pinned memory, each in its own cache line. */
final class StreamWords implements OrderedProtocol.Words {
    private static final int LINE = 64;
    private static final long DOORBELL = 0;
    private static final long ERROR = LINE;
    private static final long FIRST = 2 * LINE;
    private static final VarHandle WORDS = ValueLayout.JAVA_INT.varHandle();

    private final HostMemory memory;

    StreamWords(HostMemory memory) {
        this.memory = memory;
        memory.segment().fill((byte) 0);
        // Streams of an earlier channel may still reach a wait for one of these words.
        for (int slot = 0; wordOffset(slot) < memory.size(); slot++) {
            setWord(slot, OrderedProtocol.READY);
        }
    }

    static long bytes(int transfers) {
        return FIRST + (long) transfers * LINE;
    }

    HostMemory memory() {
        return memory;
    }

    long doorbellOffset() {
        return DOORBELL;
    }

    long errorOffset() {
        return ERROR;
    }

    long wordOffset(int slot) {
        return FIRST + (long) slot * LINE;
    }

    @Override
    public int doorbell() {
        return (int) WORDS.getAcquire(memory.segment(), DOORBELL);
    }

    @Override
    public boolean freeDoorbell(int seen) {
        return WORDS.compareAndSet(memory.segment(), DOORBELL, seen, OrderedProtocol.FREE);
    }

    @Override
    public int word(int slot) {
        return (int) WORDS.getAcquire(memory.segment(), wordOffset(slot));
    }

    @Override
    public void setWord(int slot, int value) {
        WORDS.setRelease(memory.segment(), wordOffset(slot), value);
    }

    @Override
    public void setError() {
        WORDS.setRelease(memory.segment(), ERROR, 1);
    }
}
