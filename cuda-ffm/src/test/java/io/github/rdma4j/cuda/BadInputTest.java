// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static io.github.rdma4j.cuda.bindings.CudaHeaders.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong and unsatisfiable requests fail with an error that names cause and remedy. */
@ExtendWith(StandInDriver.class)
class BadInputTest {
    private final Arena arena = Arena.ofConfined();
    private CudaContext context;

    @BeforeEach
    void open() {
        StandInDriver.devices(2);
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void close() {
        StandInDriver.noFailures();
        context.close();
        arena.close();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    @Test
    void pointerThatWasFreed() {
        DeviceMemory memory = context.allocate(4096);
        long pointer = memory.handle();
        memory.close();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.wrap(pointer, 4096))
                .withMessage("pointer 0x%x is not known to CUDA: it was never allocated, has been freed, or is ordinary"
                                .formatted(pointer)
                        + " host memory");
        assertThatIllegalStateException()
                .isThrownBy(() -> memory.fill(0, 1, (byte) 0))
                .withMessage(memory + " is closed");
        assertThatIllegalStateException().isThrownBy(memory::handle);
        assertThatIllegalStateException().isThrownBy(() -> memory.exportDmaBuf(0, 1));
    }

    @Test
    void memoryThatSomebodyElseHasFreedMeanwhile() {
        DeviceMemory theirs = context.allocate(4096);
        DeviceMemory wrapped = context.wrap(theirs.handle(), 4096);
        theirs.close();
        MemorySegment host = arena.allocate(16);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> wrapped.copyFrom(host))
                .withMessageStartingWith("cuMemcpyHtoD(target=0x%x, length=16) failed: CUDA_ERROR_INVALID_VALUE"
                        .formatted(wrapped.handle()))
                .withMessageContaining("is no longer known to CUDA: the library that allocated it has freed it");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.createStream().copyToDevice(wrapped, 0, host, 0, 16))
                .withMessageContaining("has freed it");
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> wrapped.exportDmaBuf(0, 4096))
                .withMessageContaining("has freed it");
    }

    @Test
    void pointerOfAnotherContextOrDevice() {
        try (CudaContext other = Cuda.device(0).createContext();
                CudaContext elsewhere = Cuda.device(1).createContext()) {
            long pointer = other.allocate(4096).handle();
            long distant = elsewhere.allocate(4096).handle();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.wrap(pointer, 4096))
                    .withMessageContaining("belongs to another context of the same device; wrap it in that one");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.wrap(distant, 4096))
                    .withMessageContaining("is memory of CUDA device 1, but this is a context of CUDA device 0");
        }
    }

    @Test
    void pointerOfTheHost() {
        HostMemory pinned = context.allocateHost(4096);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.wrap(pinned.handle(), 4096))
                .withMessageContaining("is pinned host memory, not memory of a device");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.wrap(arena.allocate(64).address(), 64))
                .withMessageContaining("ordinary host memory");
    }

    @Test
    void managedAndPoolMemoryReportTheirKind() {
        DeviceMemory managed = context.allocateManaged(4096);
        CudaStream stream = context.createStream();
        DeviceMemory pool = stream.allocate(4096);
        assertThat(context.wrap(managed.handle(), 4096).kind()).isEqualTo(DeviceMemory.Kind.MANAGED);
        DeviceMemory wrapped = context.wrap(pool.handle(), 4096);
        assertThat(wrapped.kind()).isEqualTo(DeviceMemory.Kind.POOL);
        assertThatIllegalArgumentException().isThrownBy(() -> stream.free(wrapped));
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> managed.exportDmaBuf(0, 4096))
                .withMessageContaining(
                        "memory of kind MANAGED cannot be exported as a dma-buf; use memory of CudaContext.allocate or");
        for (DeviceMemory memory : new DeviceMemory[] {managed, pool}) {
            assertThatExceptionOfType(UnsupportedCudaCallException.class)
                    .isThrownBy(memory::exportHandle)
                    .withMessageContaining("memory of kind %s has no handle".formatted(memory.kind()));
        }
    }

    @Test
    void lengthPastTheAllocation() {
        DeviceMemory memory = context.allocate(1000);
        long pointer = memory.handle();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.wrap(pointer + 900, 101))
                .withMessage("101 bytes from pointer 0x%x: its allocation, of 1000 bytes from 0x%x, ends after 100"
                        .formatted(pointer + 900, pointer));
        MemorySegment host = arena.allocate(2000);
        String words = "do not lie within " + memory + ", which has 1000 bytes";
        assertOutside(() -> memory.copyFrom(host), "2000 bytes from offset 0 " + words);
        assertOutside(() -> memory.copyTo(1000, host.asSlice(0, 1)), "1 bytes from offset 1000 " + words);
        assertOutside(() -> memory.fill(-1, 1, (byte) 0), "1 bytes from offset -1 " + words);
        assertOutside(() -> memory.fill(Long.MAX_VALUE, 2, (byte) 0), words);
        assertOutside(() -> memory.fillWords(996, 2, 0), words);
        assertOutside(() -> memory.fillWords(0, 1L << 62, 0), "words of 4 bytes from offset 0");
        assertOutside(() -> memory.slice(500, 501), words);
        assertOutside(() -> memory.slice(100, 100).slice(50, 51), "which has 100 bytes");
        assertOutside(() -> memory.exportDmaBuf(0, 1001), words);
        CudaStream stream = context.createStream();
        HostMemory pinned = context.allocateHost(500);
        assertOutside(() -> stream.copyToDevice(memory, 1, host, 0, 1000), words);
        assertOutside(() -> stream.copyToHost(pinned, 0, memory, 0, 501), "pinned host memory");
        assertOutside(() -> stream.copyToHost(host, 0, memory, 0, 1001), words);
        assertOutside(() -> stream.copyOnDevice(memory, 0, memory, 990, 11), words);
        assertOutside(() -> stream.fill(memory, 0, -1, (byte) 0), words);
        assertOutside(() -> stream.writeValue(memory, 1000, 0), words);
        assertOutside(() -> KernelArguments.of(1).setPointer(0, memory, 1001), "0 bytes from offset 1001 " + words);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> stream.writeValue(memory, 6, 0))
                .withMessage("offset 6 is not a multiple of 4");
        assertThatIllegalArgumentException().isThrownBy(() -> stream.waitForValue64(memory, 4, 0, WaitCondition.AND));
        assertThatIllegalArgumentException().isThrownBy(() -> memory.fillWords(2, 1, 0));
    }

    private static void assertOutside(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String words) {
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(call)
                .withMessageContaining(words);
    }

    @Test
    void outOfMemory() {
        StandInDriver.memory(1 << 20);
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocate(2 << 20))
                .withMessageStartingWith("cuMemAlloc(size=2097152) failed: CUDA_ERROR_OUT_OF_MEMORY")
                .withMessageContaining("has 1048576 of 1048576 bytes free")
                .withMessageContaining("Free memory of this process, or check in nvidia-smi");
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.createStream().allocate(2 << 20));
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocateGpuDirect(8 << 20));
        StandInDriver.failAt("cuMemHostAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY());
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocateHost(4096))
                .withMessageContaining("this much host memory cannot be pinned")
                .withMessageContaining("see free -h");
        StandInDriver.failAt("cuMemHostRegister", 1, CUDA_ERROR_OUT_OF_MEMORY());
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.registerHost(arena.allocate(4096)))
                .withMessageContaining("this much host memory cannot be pinned");
    }

    /** Sizes that no arithmetic of ours or of the driver may overflow with. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - (2 << 20) + 1, 1L << 62})
    void moreMemoryThanAnyDeviceHas(long size) {
        CudaStream stream = context.createStream();
        assertThatExceptionOfType(OutOfDeviceMemoryException.class)
                .isThrownBy(() -> context.allocateGpuDirect(size))
                .withMessageContaining(" bytes free");
        assertThatExceptionOfType(OutOfDeviceMemoryException.class).isThrownBy(() -> context.allocate(size));
        assertThatExceptionOfType(OutOfDeviceMemoryException.class).isThrownBy(() -> context.allocateManaged(size));
        assertThatExceptionOfType(OutOfDeviceMemoryException.class).isThrownBy(() -> context.allocateHost(size));
        assertThatExceptionOfType(OutOfDeviceMemoryException.class).isThrownBy(() -> stream.allocate(size));
    }

    @Test
    void structThatNoArgumentHolds() {
        MemorySegment huge = MemorySegment.ofAddress(4096).reinterpret(1L << 32);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KernelArguments.of(1).setStruct(0, huge))
                .withMessageContaining("takes 8 bytes, but the value has 4294967296");
    }

    @Test
    void sizesAndFlagsThatMakeNoSense() {
        for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.allocate(size))
                    .withMessage("an allocation of " + size + " bytes; 1 is the least");
            assertThatIllegalArgumentException().isThrownBy(() -> context.allocateHost(size));
            assertThatIllegalArgumentException().isThrownBy(() -> context.allocateGpuDirect(size));
            assertThatIllegalArgumentException().isThrownBy(() -> context.allocateManaged(size));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.createStream().allocate(size));
            assertThatIllegalArgumentException().isThrownBy(() -> context.wrap(1, size));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> context.allocateHost(1, HostMemoryFlag.READ_ONLY));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.registerHost(arena.allocate(8), HostMemoryFlag.WRITE_COMBINED));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.createEvent(EventFlag.TIMING, EventFlag.INTERPROCESS));
        assertThatIllegalStateException()
                .isThrownBy(() -> context.createEvent().exportHandle())
                .withMessageContaining("INTERPROCESS");
    }

    @Test
    void hostMemoryThatCannotBeUsed() {
        DeviceMemory memory = context.allocate(64);
        CudaStream stream = context.createStream();
        MemorySegment heap = MemorySegment.ofArray(new byte[16]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> memory.copyFrom(heap))
                .withMessageContaining("only native memory")
                .withMessageContaining("allocate it from an Arena");
        assertThatIllegalArgumentException().isThrownBy(() -> stream.copyToHost(heap, 0, memory, 0, 16));
        assertThatIllegalArgumentException().isThrownBy(() -> context.registerHost(heap));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> context.registerHost(arena.allocate(8).asSlice(8)));
        MemorySegment readOnly = arena.allocate(16).asReadOnly();
        assertThatIllegalArgumentException().isThrownBy(() -> memory.copyTo(readOnly));
        assertThatIllegalArgumentException().isThrownBy(() -> stream.copyToHost(readOnly, 0, memory, 0, 16));
        Arena other = Arena.ofConfined();
        MemorySegment gone = other.allocate(16);
        other.close();
        assertThatIllegalStateException().isThrownBy(() -> memory.copyFrom(gone));
        assertThatIllegalStateException().isThrownBy(() -> stream.copyToDevice(memory, 0, gone, 0, 16));
        assertThatIllegalStateException().isThrownBy(() -> context.registerHost(gone));
        MemorySegment once = arena.allocate(8192, 4096);
        context.registerHost(once);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> context.registerHost(once.asSlice(4096)))
                .withMessageContaining("CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED")
                .withMessageContaining("registrations cannot overlap");
    }

    @Test
    void objectsOfDifferentContexts() {
        try (CudaContext other = Cuda.device(0).createContext()) {
            CudaEvent event = context.createEvent();
            CudaStream stranger = other.createStream();
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> event.record(stranger))
                    .withMessageContaining("the stream and the event are of different contexts");
            CudaKernel kernel = context.loadModule(Kernels.ptx()).kernel("increment");
            KernelArguments arguments =
                    KernelArguments.of(2).setPointer(0, context.allocate(64)).setInt(1, 1);
            assertThatExceptionOfType(CudaException.class)
                    .isThrownBy(() -> stranger.launch(kernel, 1, 1, arguments))
                    .withMessageContaining("the stream and the kernel are of different contexts");
        }
    }

    @Test
    void devicesThatAreNotThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cuda.device(2))
                .withMessage("no CUDA device 2: there are 2, numbers 0 to 1");
        assertThatIllegalArgumentException().isThrownBy(() -> Cuda.device(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cuda.deviceByPciAddress("ffff:ff:1f.0"))
                .withMessageStartingWith("no CUDA device at PCI address 'ffff:ff:1f.0': there are [CUDA device 0");
        assertThatIllegalArgumentException().isThrownBy(() -> Cuda.deviceByPciAddress("nonsense"));
    }

    @Test
    void missingDeviceFeaturesAreRefused() {
        DeviceMemory memory = context.allocate(4096);
        CudaStream stream = context.createStream();
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), 0);
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED(), 0);
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED(), 0);
        assertUnsupported(
                () -> memory.exportDmaBuf(0, 4096), "cannot export dma-bufs: this needs the open kernel modules");
        assertUnsupported(() -> stream.allocate(16), "has no memory pools");
        assertUnsupported(
                () -> context.allocateGpuDirect(16),
                "does not let other PCI devices access memory of the virtual-memory API");
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED(), 0);
        assertUnsupported(() -> context.allocateGpuDirect(16), "has no virtual-memory API");
        StandInDriver.deny("cuStreamWaitValue32");
        StandInDriver.deny("cuStreamWriteValue32");
        StandInDriver.deny("cuStreamWaitValue64");
        StandInDriver.deny("cuStreamWriteValue64");
        String words = "the device does not support this memory operation in stream order";
        assertUnsupported(() -> stream.waitForValue(memory, 0, 1, WaitCondition.EQUAL), words);
        assertUnsupported(() -> stream.waitForValueAndFlush(memory, 0, 1, WaitCondition.EQUAL), words);
        assertUnsupported(() -> stream.waitForValue64(memory, 0, 1, WaitCondition.EQUAL), words);
        assertUnsupported(() -> stream.writeValue(memory, 0, 1), words);
        assertUnsupported(() -> stream.writeValue64(memory, 0, 1), words);
        StandInDriver.deny("cuFlushGPUDirectRDMAWrites");
        assertUnsupported(() -> context.flushGpuDirectWrites(FlushScope.ALL_DEVICES), "cannot be flushed by the host");
        StandInDriver.deny("cuMemHostRegister");
        assertUnsupported(
                () -> context.registerHost(arena.allocate(16), HostMemoryFlag.READ_ONLY),
                "does not register such memory");
        StandInDriver.deny("cuPointerSetAttribute");
        assertUnsupported(memory::synchronizeMemoryOperations, "memory of kind ALLOCATED has no such attribute");
        StandInDriver.deny("cuMemGetHandleForAddressRange");
        StandInDriver.attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED(), 1);
        assertUnsupported(() -> memory.exportDmaBuf(0, 16), "the driver cannot export " + memory);
    }

    private static void assertUnsupported(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String words) {
        assertThatExceptionOfType(UnsupportedCudaCallException.class)
                .isThrownBy(call)
                .withMessageContaining(words);
    }

    @Test
    void handlesThatAreNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IpcMemoryHandle.fromBytes(new byte[64]))
                .withMessage("these 64 bytes are not a handle of CUDA memory");
        assertThatIllegalArgumentException().isThrownBy(() -> IpcEventHandle.fromBytes(new byte[76]));
        IpcMemoryHandle own = context.allocate(4096).exportHandle();
        assertThat(IpcMemoryHandle.fromBytes(own.toBytes())).isEqualTo(own).hasSameHashCodeAs(own);
        assertThatExceptionOfType(CudaException.class)
                .isThrownBy(() -> own.open(context))
                .withMessageContaining("this process exported the handle itself");
        byte[] bytes = own.toBytes();
        // The first byte of the offset.
        bytes[28] = -1;
        assertThatIllegalArgumentException().isThrownBy(() -> IpcMemoryHandle.fromBytes(bytes));
    }
}
