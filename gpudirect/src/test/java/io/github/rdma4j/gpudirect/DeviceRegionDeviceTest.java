// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.gpudirect.GpuPath.DMA_BUF;
import static io.github.rdma4j.gpudirect.GpuPath.PEER_MEMORY;
import static io.github.rdma4j.gpudirect.GpuPath.STAGED;
import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.CaptureMode;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceAttribute;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DmaBuf;
import io.github.rdma4j.cuda.OutOfDeviceMemoryException;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.cuda.UnsupportedCudaCallException;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the registration of the stand-in's memory, and the reasons that are reported for the paths not taken. */
@Tag("device")
@ExtendWith(StandInDriver.class)
class DeviceRegionDeviceTest extends DeviceRegionBehaviour {
    private static final int EFAULT = 14;

    private static final int EINVAL = 22;

    private static final int OUT_OF_MEMORY = 2;

    private static final int DEINITIALIZED = 4;

    private GpuDirect with(Registrar adapter, Consumer<GpuDirectConfig> configuration) {
        return GpuDirect.on(domain, adapter, context, configuration);
    }

    @Test
    void memoryIsStagedHereAndTheReasonsAreReported() {
        GpuDirect gpu = GpuDirect.on(domain, context, config -> config.fileSystemRoot(folder));
        DeviceRegion region = gpu.register(context.allocate(SIZE), LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(STAGED);
        assertThat(against(region, DMA_BUF)).isEqualTo(Reason.DMA_BUF_UNSUPPORTED_BY_ADAPTER);
        assertThat(against(region, PEER_MEMORY)).isEqualTo(Reason.PEER_MEMORY_MODULE_ABSENT);
        assertThat(region.decision().toString())
                .contains("staged; not by dma-buf: the adapter's driver")
                .contains("; not by peer memory: no peer-memory module is loaded");
        // The mirror is not there before somebody asks for it.
        assertThat(StandInDriver.get("allocations.host")).isZero();
        assertThat(region.memoryRegion().length()).isEqualTo(SIZE);
        assertThat(StandInDriver.get("allocations.host")).isEqualTo(1);
        region.close();
        region.close();
        assertThat(StandInDriver.get("allocations.host")).isZero();
        assertThatThrownBy(region::memoryRegion)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    /** Of the copy to the mirror, and then of the stream that made it. */
    @Test
    void firstFailureIsReportedWhenAnotherOneFollows() {
        DeviceRegion region = GpuDirect.on(domain, context, config -> config.fileSystemRoot(folder))
                .register(context.allocate(SIZE), LOCAL_WRITE);
        StandInDriver.failAt("cuMemcpyDtoHAsync", 1, OUT_OF_MEMORY);
        StandInDriver.failAt("cuStreamDestroy", 1, DEINITIALIZED);
        assertThatThrownBy(region::memoryRegion)
                .isInstanceOf(CudaException.class)
                .hasMessageStartingWith("cuMemcpyDtoHAsync")
                .satisfies(e ->
                        assertThat(e.getSuppressed()).singleElement().asString().contains("cuStreamDestroy"));
        assertThat(StandInDriver.get("allocations.host")).isZero();
    }

    @Test
    void withTheModuleTheAdapterHasTheMemoryItself() {
        DeviceMemory memory = context.allocate(SIZE);
        DeviceRegion region = withModule().register(memory.slice(4096, 8192), LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
        assertThat(region.path()).isEqualTo(PEER_MEMORY);
        assertThat(region.path().isDirect()).isTrue();
        assertThat(region.hasSynchronousMemoryOperations()).isTrue();
        assertThat(StandInDriver.calls("cuPointerSetAttribute")).isEqualTo(1);
        assertThat(region.memoryRegion().hasSegment()).isFalse();
        assertThat(region.remoteMemory().address()).isEqualTo(memory.handle() + 4096);
        assertThat(region.remoteMemory().length()).isEqualTo(8192);
        assertThat(region.slice(8, 16).length()).isEqualTo(16);
        // Closing the memory takes the registration away first.
        memory.close();
        assertThat(region.isOpen()).isFalse();
        assertThat(region.toString()).contains("peer memory region");
    }

    @Test
    void moduleThatTheKernelDoesNotAskIsRefusedByItsErrno() {
        StandInDriver.peerMemory(false);
        DeviceMemory memory = context.allocate(SIZE);
        DeviceRegion region = withModule().register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(STAGED);
        PathRefusal refusal = region.decision().refusal(PEER_MEMORY).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.REGISTRATION_REFUSED);
        assertThat(refusal.errno()).isEqualTo(EFAULT);
        assertThat(refusal.explanation())
                .contains("ibv_reg_mr(address=0x")
                .contains("EFAULT")
                .contains("no peer-memory module accepted the address");
        assertThatThrownBy(() -> withModule(config -> config.only(PEER_MEMORY)).register(memory, LOCAL_WRITE))
                .isInstanceOf(GpuPathUnavailableException.class)
                .hasMessageContaining("no peer-memory module accepted the address")
                .hasMessageContaining("The path 'staged' works everywhere");
    }

    @Test
    void dmaBufCoversWholePagesIsNamedByDeviceAddressesAndClosedAfterwards() {
        DmaBufAdapter adapter = new DmaBufAdapter();
        DeviceMemory memory = context.allocate(SIZE);
        DeviceRegion region = with(adapter, config -> {}).register(memory.slice(5000, 100), LOCAL_WRITE, REMOTE_READ);
        assertThat(region.path()).isEqualTo(DMA_BUF);
        assertThat(region.decision().refusals()).isEmpty();
        assertThat(adapter.calls)
                .containsExactly("open offset %d length 100 address 0x%x [LOCAL_WRITE, REMOTE_READ]"
                        .formatted((memory.handle() + 5000) % 4096, memory.handle() + 5000));
        assertThat(adapter.last.startAddress()).isEqualTo(memory.handle() + 5000 & -4096);
        assertThatThrownBy(adapter.last::fileDescriptor).isInstanceOf(IllegalStateException.class);
        assertThat(region.remoteMemory().address()).isEqualTo(memory.handle() + 5000);
        assertThat(StandInDriver.calls("cuPointerSetAttribute")).isEqualTo(1);
    }

    @Test
    void dmaBufThatIsRefusedGivesWayToPeerMemory() {
        DmaBufAdapter adapter = new DmaBufAdapter();
        adapter.errno = EINVAL;
        Path root = GpuSide.rootWithModule(folder);
        DeviceMemory memory = context.allocate(SIZE);
        DeviceRegion region =
                with(adapter, config -> config.fileSystemRoot(root)).register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(PEER_MEMORY);
        PathRefusal refusal = region.decision().refusal(DMA_BUF).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.REGISTRATION_REFUSED);
        assertThat(refusal.errno()).isEqualTo(EINVAL);
        assertThat(refusal.explanation()).contains("the GPU's driver refuses this adapter");
        assertThatThrownBy(adapter.last::fileDescriptor).isInstanceOf(IllegalStateException.class);
        // And the export itself.
        StandInDriver.deny("cuMemGetHandleForAddressRange");
        region = with(adapter, config -> config.fileSystemRoot(root)).register(memory, LOCAL_WRITE);
        assertThat(against(region, DMA_BUF)).isEqualTo(Reason.EXPORT_REFUSED);
        assertThat(region.path()).isEqualTo(PEER_MEMORY);
    }

    @Test
    void ofMemoryOfAPoolTheDriverIsAsked() {
        DmaBufAdapter adapter = new DmaBufAdapter();
        GpuDirect gpu = with(adapter, config -> config.fileSystemRoot(GpuSide.rootWithModule(folder)));
        try (CudaStream stream = context.createStream()) {
            DeviceMemory pooled = stream.allocate(SIZE);
            try (DeviceRegion region = gpu.register(pooled, LOCAL_WRITE)) {
                assertThat(region.path()).as(region.decision().toString()).isEqualTo(DMA_BUF);
            }
            StandInDriver.deny("cuMemGetHandleForAddressRange");
            try (DeviceRegion region = gpu.register(pooled, LOCAL_WRITE)) {
                assertThat(region.path()).isEqualTo(GpuPath.STAGED);
                assertThat(against(region, DMA_BUF)).isEqualTo(Reason.EXPORT_REFUSED);
                assertThat(against(region, PEER_MEMORY)).isEqualTo(Reason.POOL_MEMORY);
            }
            stream.free(pooled);
        }
    }

    @Test
    void dataDirectIsTriedOnRequestAndItsAbsenceReported() {
        DmaBufAdapter adapter = new DmaBufAdapter();
        DeviceMemory memory = context.allocate(SIZE);
        GpuDirect gpu = with(adapter, GpuDirectConfig::dataDirect);
        DeviceRegion region = gpu.register(memory, LOCAL_WRITE, AccessFlag.RELAXED_ORDERING);
        assertThat(region.path()).isEqualTo(DMA_BUF);
        assertThat(region.decision().toString())
                .startsWith(
                        "dma-buf; not by Data Direct: no Data Direct engine belongs to it (remedy: use a ConnectX-8");
        assertThat(against(region, GpuPath.DATA_DIRECT)).isEqualTo(Reason.DATA_DIRECT_UNSUPPORTED);

        adapter.engine = new DataDirectSupport(Optional.of(Path.of("/sys/devices/engine")), "");
        adapter.calls.clear();
        region = gpu.register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(GpuPath.DATA_DIRECT);
        assertThat(region.path().isDirect()).isTrue();
        assertThat(adapter.calls).containsExactly("by Data Direct");
        // The adapter's own way is ordered apart: a flush on every GPU.
        long flushes = StandInDriver.get("flushes");
        try (CudaStream stream = context.createStream()) {
            region.absorb(0, 1, stream);
            // A graph would do without it at each launch.
            DeviceRegion direct = region;
            stream.capture(
                            CaptureMode.THREAD_LOCAL,
                            captured -> assertThatThrownBy(() -> direct.absorb(0, 1, captured))
                                    .isInstanceOf(IllegalStateException.class)
                                    .hasMessageContaining("which no graph repeats. Absorb before each launch"))
                    .close();
        }
        assertThat(StandInDriver.get("flushes")).isEqualTo(flushes + 1);

        adapter.engineErrno = EINVAL;
        region = gpu.register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(DMA_BUF);
        PathRefusal refusal = region.decision().refusal(GpuPath.DATA_DIRECT).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.REGISTRATION_REFUSED);
        assertThat(refusal.explanation()).startsWith("mlx5dv_reg_dmabuf_mr() failed with EINVAL");
        // Nobody asked: it is not tried.
        adapter.engineErrno = 0;
        assertThat(with(adapter, config -> {}).register(memory, LOCAL_WRITE).path())
                .isEqualTo(DMA_BUF);
    }

    @Test
    void dmaBufIsMappedOverPciWhereThatIsWantedAndADriverWithoutItRefuses() {
        DmaBufAdapter adapter = new DmaBufAdapter();
        DeviceMemory memory = context.allocate(SIZE);
        with(adapter, config -> {}).register(memory, LOCAL_WRITE);
        assertThat(StandInDriver.get("exports.pcie")).isZero();
        GpuDirect gpu = with(
                adapter, config -> config.dmaBufMapping(DmaBuf.Mapping.PCIE).fileSystemRoot(folder));
        assertThat(gpu.register(memory, LOCAL_WRITE).path()).isEqualTo(DMA_BUF);
        assertThat(StandInDriver.get("exports.pcie")).isEqualTo(1);

        StandInDriver.driverVersion(12070);
        DeviceRegion region = gpu.register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(STAGED);
        PathRefusal refusal = region.decision().refusal(DMA_BUF).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.EXPORT_REFUSED);
        assertThat(refusal.explanation()).contains("DMA_BUF_FD, PCIE)", "CUDA_ERROR_NOT_SUPPORTED");
    }

    /** A driver without such mappings is not asked for one. */
    @Test
    void olderDriverExportsForDataDirectAsEver() {
        StandInDriver.driverVersion(12070);
        DmaBufAdapter adapter = new DmaBufAdapter();
        adapter.engine = new DataDirectSupport(Optional.of(Path.of("/sys/devices/engine")), "");
        DeviceMemory memory = context.allocate(SIZE);
        assertThat(with(adapter, GpuDirectConfig::dataDirect)
                        .register(memory, LOCAL_WRITE)
                        .path())
                .isEqualTo(GpuPath.DATA_DIRECT);
        assertThatThrownBy(() -> memory.exportDmaBuf(0, SIZE, DmaBuf.Mapping.PCIE))
                .isInstanceOf(UnsupportedCudaCallException.class);
    }

    /** The errors of NVIDIA's driver for an adapter that the GPU cannot reach, and for a full BAR1. */
    @Test
    void refusalsOfTheMappingAreNamed() {
        DmaBufAdapter adapter = new DmaBufAdapter();
        adapter.errno = 524;
        DeviceMemory memory = context.allocate(SIZE);
        DeviceRegion region =
                with(adapter, config -> config.fileSystemRoot(folder)).register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(STAGED);
        PathRefusal refusal = region.decision().refusal(DMA_BUF).orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.REGISTRATION_REFUSED);
        assertThat(refusal.errno()).isEqualTo(524);
        assertThat(refusal.explanation()).contains("ENOTSUPP", "no peer-to-peer path over PCI");
        assertThat(refusal.remedy()).contains("an adapter below the GPU's PCIe switch");
        adapter.errno = 12;
        refusal = with(adapter, config -> config.fileSystemRoot(folder))
                .register(memory, LOCAL_WRITE)
                .decision()
                .refusal(DMA_BUF)
                .orElseThrow();
        assertThat(refusal.explanation())
                .contains("ENOMEM", "it could not be mapped: the GPU's BAR1", " registered by this process");
    }

    @Test
    void deviceWithoutDmaBufsOrGpuDirectIsReported() {
        StandInDriver.dmaBuf(StandInDriver.DmaBufWay.REFUSED);
        StandInDriver.attribute(DeviceAttribute.GPU_DIRECT_RDMA_SUPPORTED.code(), 0);
        DmaBufAdapter adapter = new DmaBufAdapter();
        Path root = GpuSide.rootWithModule(folder);
        DeviceRegion region =
                with(adapter, config -> config.fileSystemRoot(root)).register(context.allocate(SIZE), LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(STAGED);
        assertThat(against(region, DMA_BUF)).isEqualTo(Reason.DMA_BUF_UNSUPPORTED_BY_GPU);
        assertThat(against(region, PEER_MEMORY)).isEqualTo(Reason.GPU_DIRECT_UNSUPPORTED);
    }

    @Test
    void writesAreFlushedWhereTheDeviceDoesNotOrderThem() {
        try (CudaStream stream = context.createStream()) {
            withModule().register(context.allocate(SIZE), LOCAL_WRITE).absorb(0, 8, stream);
            assertThat(StandInDriver.calls("cuFlushGPUDirectRDMAWrites")).isZero();
            StandInDriver.capability(80);
            StandInDriver.attribute(DeviceAttribute.GPU_DIRECT_RDMA_WRITES_ORDERING.code(), 0);
            StandInDriver.attribute(DeviceAttribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS.code(), 1);
            DeviceRegion region = withModule().register(context.allocate(SIZE), LOCAL_WRITE);
            assertThat(region.path()).isEqualTo(PEER_MEMORY);
            region.absorb(0, 8, stream);
            region.absorb(0, 0, stream);
            assertThat(StandInDriver.calls("cuFlushGPUDirectRDMAWrites")).isEqualTo(1);
            StandInDriver.attribute(DeviceAttribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS.code(), 0);
            assertThat(against(withModule().register(context.allocate(SIZE), LOCAL_WRITE), PEER_MEMORY))
                    .isEqualTo(Reason.WRITES_UNORDERED);
        }
    }

    @Test
    void driverThatFailsIsNoReasonForStaging() {
        GpuDirect gpu = withModule();
        DeviceMemory memory = context.allocate(SIZE);
        StandInDriver.failFrom("*", 1, DEINITIALIZED);
        assertThatThrownBy(() -> gpu.register(memory, LOCAL_WRITE))
                .isInstanceOfSatisfying(
                        CudaException.class, e -> assertThat(e.result()).isEqualTo(DEINITIALIZED));
        StandInDriver.noFailures();
        DeviceRegion region =
                GpuDirect.on(domain, context, config -> config.only(STAGED)).register(memory, LOCAL_WRITE);
        StandInDriver.failAt("cuMemHostAlloc", 1, OUT_OF_MEMORY);
        assertThatThrownBy(region::memoryRegion)
                .isInstanceOf(OutOfDeviceMemoryException.class)
                .hasMessageContaining("cannot be pinned");
        assertThat(region.slice().length()).isEqualTo(SIZE);
    }

    @Override
    @AfterEach
    void close() {
        super.close();
        assertThat(StandInDriver.open()).isEmpty();
    }
}
