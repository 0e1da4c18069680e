// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Devices, contexts and memory: on a GPU and on the stand-in alike. */
abstract class MemoryBehaviour extends DeviceFixture {
    private static final int SIZE = 1 << 20;

    @Test
    void deviceReportsItsAttributes() {
        assertThat(Cuda.isAvailable()).isTrue();
        assertThat(Cuda.unavailability()).isEmpty();
        assertThat(Cuda.driverVersion().isAtLeast(CudaVersion.of(11, 3))).isTrue();
        assertThat(Cuda.devices()).first().isEqualTo(device).hasSameHashCodeAs(device);
        assertThat(device.name()).isNotBlank();
        assertThat(device.pciAddress()).matches("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-9a-f]");
        assertThat(Cuda.deviceByPciAddress(device.pciAddress())).isEqualTo(device);
        assertThat(device.uuid()).isEqualTo(Cuda.device(0).uuid());
        assertThat(device.totalMemory()).isGreaterThan(SIZE);
        assertThat(device.computeCapability()).isGreaterThanOrEqualTo(50);
        assertThat(device.attribute(DeviceAttribute.WARP_SIZE)).isEqualTo(32);
        assertThat(device.attribute(9_999)).as("one that no driver knows yet").isZero();
        assertThat(device).hasToString("CUDA device 0, " + device.name() + ", " + device.pciAddress());
    }

    @Test
    void ownContextIsNotThePrimaryOne() {
        try (CudaContext primary = device.retainPrimaryContext();
                CudaContext again = device.retainPrimaryContext()) {
            assertThat(primary.isPrimary()).isTrue();
            assertThat(context.isPrimary()).isFalse();
            assertThat(primary.handle()).isEqualTo(again.handle()).isNotEqualTo(context.handle());
            primary.makeCurrent();
            assertThat(context.freeMemory()).isBetween(1L, device.totalMemory());
        }
    }

    @Test
    void bytesGoToTheDeviceAndComeBack() {
        MemorySegment sent = pattern(SIZE);
        try (DeviceMemory memory = context.allocate(SIZE)) {
            memory.copyFrom(sent);
            assertThat(contents(memory).mismatch(sent)).isEqualTo(-1);
            MemorySegment part = arena.allocate(1000);
            memory.copyTo(12_345, part);
            assertThat(part.mismatch(sent.asSlice(12_345, 1000))).isEqualTo(-1);
            memory.copyFrom(SIZE - 1000, part);
            memory.copyTo(SIZE - 1000, part);
            assertThat(part.mismatch(sent.asSlice(12_345, 1000))).isEqualTo(-1);
        }
    }

    @Test
    void bytesGoFromDeviceMemoryToDeviceMemoryAndWithinOne() {
        MemorySegment sent = pattern(4096);
        DeviceMemory first = context.allocate(4096);
        DeviceMemory second = context.allocate(8192);
        first.copyFrom(sent);
        second.fill(0, 8192, (byte) 0x5a);
        second.copyFrom(4096, first.slice());
        second.copyFrom(0, second.slice(4096, 100));
        MemorySegment there = contents(second);
        assertThat(there.asSlice(4096).mismatch(sent)).isEqualTo(-1);
        assertThat(there.asSlice(0, 100).mismatch(sent.asSlice(0, 100))).isEqualTo(-1);
        assertThat(there.asSlice(100, 3996).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0x5a);
    }

    @Test
    void bytesAndWordsAreFilled() {
        DeviceMemory memory = context.allocate(4096);
        memory.fill(0, 4096, (byte) 1);
        memory.fillWords(400, 100, 0x01020304);
        int[] words = contents(memory).toArray(ValueLayout.JAVA_INT);
        assertThat(words[99]).isEqualTo(0x01010101);
        assertThat(words[100]).isEqualTo(0x01020304);
        assertThat(words[199]).isEqualTo(0x01020304);
        assertThat(words[200]).isEqualTo(0x01010101);
    }

    @Test
    void pinnedMemoryIsReachedByTheDevice() {
        HostMemory pinned = context.allocateHost(8192);
        MemorySegment pageable = arena.allocate(8192, 4096);
        HostMemory registered = context.registerHost(pageable);
        assertThat(pinned.deviceAddress()).isNotZero();
        assertThat(registered.deviceAddress()).isNotZero();
        assertThat(registered.segment()).isEqualTo(pageable);
        assertThat(context.pointerAttributes(pinned.handle()).type()).isEqualTo(PointerAttributes.Type.HOST);
        DeviceMemory memory = context.allocate(8192);
        pinned.segment().fill((byte) 9);
        memory.copyFrom(pinned.segment());
        memory.copyTo(registered.segment());
        assertThat(pageable.toArray(ValueLayout.JAVA_BYTE)).containsOnly(9);
        MemorySegment gone = pinned.segment();
        pinned.close();
        assertThatIllegalStateException().isThrownBy(() -> gone.get(ValueLayout.JAVA_BYTE, 0));
        registered.close();
        assertThat(pageable.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 9);
    }

    @Test
    void writeCombinedMemoryIsMemoryToo() {
        HostMemory pinned = context.allocateHost(4096, HostMemoryFlag.WRITE_COMBINED);
        pinned.segment().fill((byte) 3);
        DeviceMemory memory = context.allocate(4096);
        memory.copyFrom(pinned.segment());
        assertThat(contents(memory).toArray(ValueLayout.JAVA_BYTE)).containsOnly(3);
    }

    @Test
    void pointerReportsItsAttributes() {
        DeviceMemory memory = context.allocate(5000);
        PointerAttributes attributes = context.pointerAttributes(memory.handle() + 100);
        assertThat(attributes.type()).isEqualTo(PointerAttributes.Type.DEVICE);
        assertThat(attributes.context()).isEqualTo(context.handle());
        assertThat(attributes.deviceOrdinal()).isEqualTo(device.ordinal());
        assertThat(attributes.isManaged()).isFalse();
        assertThat(attributes.isOfPool()).isFalse();
        assertThat(attributes.isPlain()).isTrue();
        assertThat(attributes.rangeStart()).isEqualTo(memory.handle());
        assertThat(attributes.rangeSize()).isGreaterThanOrEqualTo(5000);
        assertThat(attributes.bufferId())
                .isNotZero()
                .isNotEqualTo(context.pointerAttributes(context.allocate(5000).handle())
                        .bufferId());
        DeviceMemory managed = context.allocateManaged(5000);
        assertThat(managed.kind()).isEqualTo(DeviceMemory.Kind.MANAGED);
        assertThat(managed.isGpuDirectCapable()).isFalse();
        assertThat(context.pointerAttributes(managed.handle()).isManaged()).isTrue();
    }

    @Test
    void memoryOfSomebodyElseIsUsedAndNotFreed() {
        DeviceMemory theirs = context.allocate(8192);
        MemorySegment sent = pattern(4096);
        try (DeviceMemory wrapped = context.wrap(theirs.handle() + 4096, 4096)) {
            assertThat(wrapped.kind()).isEqualTo(DeviceMemory.Kind.ALLOCATED);
            wrapped.copyFrom(sent);
        }
        assertThat(contents(theirs).asSlice(4096).mismatch(sent)).isEqualTo(-1);
    }

    @Test
    void memoryForAdaptersIsMemory() {
        if (!device.has(DeviceAttribute.GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)) {
            assertThatThrownBy(() -> context.allocateGpuDirect(5000)).isInstanceOf(UnsupportedCudaCallException.class);
            return;
        }
        try (DeviceMemory memory = context.allocateGpuDirect(5000)) {
            assertThat(memory.kind()).isEqualTo(DeviceMemory.Kind.VIRTUAL);
            assertThat(memory.size()).isGreaterThanOrEqualTo(65536);
            assertThat(memory.isGpuDirectCapable()).isTrue();
            MemorySegment sent = pattern(memory.size());
            memory.copyFrom(sent);
            assertThat(contents(memory).mismatch(sent)).isEqualTo(-1);
            assertThat(context.wrap(memory.handle(), memory.size()).kind()).isEqualTo(DeviceMemory.Kind.VIRTUAL);
        }
    }

    @Test
    void memoryIsExportedAsADmaBufWhereTheDeviceCan() {
        DeviceMemory memory = context.allocate(SIZE);
        if (!device.has(DeviceAttribute.DMA_BUF_SUPPORTED)) {
            assertThatThrownBy(() -> memory.exportDmaBuf(0, SIZE))
                    .isInstanceOf(UnsupportedCudaCallException.class)
                    .hasMessageContaining("open kernel modules");
            return;
        }
        DmaBuf exported = memory.exportDmaBuf(5000, 10_000);
        assertThat(exported.fileDescriptor()).isPositive();
        assertThat(exported.startAddress() + exported.offset()).isEqualTo(memory.handle() + 5000);
        assertThat(exported.startAddress() % 4096).isZero();
        assertThat(exported.offset()).isBetween(0L, 4095L);
        assertThat(exported.length()).isEqualTo(10_000);
        exported.close();
        exported.close();
        assertThatIllegalStateException().isThrownBy(exported::fileDescriptor).withMessageContaining("is closed");
    }

    @Test
    void synchronousOperationsCanBeMadeToEndForOtherDevicesToo() {
        context.allocate(4096).synchronizeMemoryOperations();
        if (Cuda.driverVersion().isAtLeast(CudaVersion.of(12, 1))) {
            context.synchronizeMemoryOperations();
            context.synchronizeMemoryOperations();
            assertThat(context.has(ContextFlag.SYNC_MEMOPS)).isTrue();
            try (CudaContext other = device.createContext(ContextFlag.SCHED_YIELD, ContextFlag.SYNC_MEMOPS)) {
                assertThat(other.has(ContextFlag.SYNC_MEMOPS)).isTrue();
                assertThat(other.has(ContextFlag.SCHED_YIELD)).isTrue();
            }
        }
    }

    @Test
    void writesOfOtherDevicesAreFlushedWhereTheHostCan() {
        if ((device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS) & 1) != 0) {
            context.flushGpuDirectWrites(FlushScope.OWNER);
        } else {
            assertThatThrownBy(() -> context.flushGpuDirectWrites(FlushScope.OWNER))
                    .isInstanceOf(UnsupportedCudaCallException.class);
        }
    }
}
