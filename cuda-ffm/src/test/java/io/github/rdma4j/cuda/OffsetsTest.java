// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Copies and fills at offsets change exactly the named bytes, and never go beyond an end. */
@ExtendWith(StandInDriver.class)
class OffsetsTest extends DeviceFixture {
    private static final int SIZE = 64;

    private CudaStream stream;
    private DeviceMemory memory;
    private DeviceMemory other;
    private HostMemory pinned;
    private MemorySegment pageable;

    @BeforeEach
    void prepare() {
        stream = context.createStream();
        memory = context.allocate(SIZE);
        other = context.allocate(SIZE);
        pinned = context.allocateHost(SIZE);
        pageable = arena.allocate(SIZE);
        memory.fill(0, SIZE, (byte) 0);
        for (int i = 0; i < SIZE; i++) {
            pageable.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
        pinned.segment().copyFrom(pageable);
        other.copyFrom(pageable);
    }

    private byte[] zerosWith(int offset, int... bytes) {
        byte[] all = new byte[SIZE];
        for (int i = 0; i < bytes.length; i++) {
            all[offset + i] = (byte) bytes[i];
        }
        return all;
    }

    private void assertMemory(int offset, int... bytes) {
        await(stream);
        assertThat(contents(memory).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(zerosWith(offset, bytes));
        memory.fill(0, SIZE, (byte) 0);
    }

    @Test
    void offsetsOfWritesToTheDevice() {
        stream.copyToDevice(memory, 8, pageable, 3, 2);
        assertMemory(8, 4, 5);
        stream.copyToDevice(memory, 9, pinned, 5, 3);
        assertMemory(9, 6, 7, 8);
        stream.copyOnDevice(memory, 10, other, 7, 2);
        assertMemory(10, 8, 9);
        memory.copyFrom(11, other.slice(20, 2));
        assertMemory(11, 21, 22);
        stream.fill(memory, 12, 2, (byte) 3);
        assertMemory(12, 3, 3);
        stream.fillWords(memory, 16, 1, 0x01010101);
        assertMemory(16, 1, 1, 1, 1);
    }

    @Test
    void offsetsOfReadsFromTheDevice() {
        pageable.fill((byte) 0);
        pinned.segment().fill((byte) 0);
        stream.copyToHost(pageable, 8, other, 3, 2);
        stream.copyToHost(pinned, 9, other, 5, 3);
        await(stream);
        assertThat(pageable.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(zerosWith(8, 4, 5));
        assertThat(pinned.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(zerosWith(9, 6, 7, 8));
    }

    /** One byte too many, at either end of the copy. */
    @Test
    void nothingGoesBeyondAnEnd() {
        for (Runnable call : Arrays.<Runnable>asList(
                () -> stream.copyToDevice(memory, 1, pageable, 0, SIZE),
                () -> stream.copyToDevice(memory, 0, pageable, 1, SIZE),
                () -> stream.copyToDevice(memory, 1, pinned, 0, SIZE),
                () -> stream.copyToDevice(memory, 0, pinned, 1, SIZE),
                () -> stream.copyToHost(pageable, 1, memory, 0, SIZE),
                () -> stream.copyToHost(pageable, 0, memory, 1, SIZE),
                () -> stream.copyToHost(pinned, 1, memory, 0, SIZE),
                () -> stream.copyToHost(pinned, 0, memory, 1, SIZE),
                () -> stream.copyOnDevice(memory, 1, other, 0, SIZE),
                () -> stream.copyOnDevice(memory, 0, other, 1, SIZE),
                () -> stream.fill(memory, 1, SIZE, (byte) 1),
                () -> stream.fillWords(memory, 4, SIZE / 4, 1),
                () -> memory.copyFrom(1, other.slice()))) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
        }
        assertMemory(0);
    }
}
