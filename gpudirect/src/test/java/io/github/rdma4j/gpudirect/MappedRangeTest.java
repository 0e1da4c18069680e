// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.StandInDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests which ranges the driver has mapped from end to end, in one piece or several. */
@ExtendWith(StandInDriver.class)
class MappedRangeTest {
    private CudaContext context;

    @BeforeEach
    void open() {
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void close() {
        context.close();
        assertThat(StandInDriver.open()).isEmpty();
    }

    private boolean isCapable(DeviceMemory memory) {
        return MappedRange.of(context, memory.slice()).gpuDirectCapable();
    }

    @Test
    void rangeMayHaveSeveralSegments() {
        DeviceMemory memory = TwoSegments.make(context, true);
        assertThat(context.pointerAttributes(memory.handle()).rangeSize()).isEqualTo(TwoSegments.SIZE);
        MappedRange range = MappedRange.of(context, memory.slice());
        assertThat(range.segments()).isEqualTo(2);
        assertThat(range.gpuDirectCapable()).isTrue();
        assertThat(MappedRange.of(context, memory.slice(TwoSegments.SIZE - 1, 2))
                        .segments())
                .isEqualTo(2);
        assertThat(MappedRange.of(context, memory.slice(0, TwoSegments.SIZE)).segments())
                .isEqualTo(1);
        assertThat(MappedRange.of(context, memory.slice(TwoSegments.SIZE, 1)).segments())
                .isEqualTo(1);
    }

    @Test
    void itIsForOtherDevicesIfEachSegmentIs() {
        DeviceMemory memory = TwoSegments.make(context, false);
        assertThat(isCapable(memory)).isFalse();
        assertThat(MappedRange.of(context, memory.slice(0, TwoSegments.SIZE)).gpuDirectCapable())
                .isTrue();
        assertThat(isCapable(context.allocate(4096))).isTrue();
        assertThat(isCapable(context.allocateManaged(4096))).isFalse();
    }

    @Test
    void memoryOfAFrameworkIsWrappedOverItsSegments() {
        DeviceMemory memory = TwoSegments.make(context, false);
        DeviceMemory wrapped = context.wrap(memory.handle() + 8, 2 * TwoSegments.SIZE - 8);
        assertThat(wrapped.kind()).isEqualTo(DeviceMemory.Kind.VIRTUAL);
        assertThat(wrapped.isGpuDirectCapable()).isFalse();
        assertThat(MappedRange.of(context, wrapped.slice()).segments()).isEqualTo(2);
        assertThat(context.wrap(memory.handle(), TwoSegments.SIZE).isGpuDirectCapable())
                .isTrue();
        assertThatThrownBy(() -> context.wrap(memory.handle(), 2 * TwoSegments.SIZE + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("its allocation, of %d bytes from 0x%x"
                        .formatted(TwoSegments.SIZE, memory.handle() + TwoSegments.SIZE));
        TwoSegments.cutOff(memory);
        assertThatThrownBy(() -> context.wrap(memory.handle(), 2 * TwoSegments.SIZE))
                .isInstanceOf(IllegalArgumentException.class);
        TwoSegments.map(memory.handle() + TwoSegments.SIZE, true);
    }

    @Test
    void holeIsRefusedWithItsPlace() {
        DeviceMemory memory = TwoSegments.make(context, true);
        TwoSegments.cutOff(memory);
        assertThatThrownBy(() -> MappedRange.of(context, memory.slice()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no memory is mapped at 0x%x".formatted(memory.handle() + TwoSegments.SIZE))
                .hasMessageContaining("register what is mapped");
        assertThat(MappedRange.of(context, memory.slice(0, TwoSegments.SIZE)).segments())
                .isEqualTo(1);
        TwoSegments.map(memory.handle() + TwoSegments.SIZE, true);
    }
}
