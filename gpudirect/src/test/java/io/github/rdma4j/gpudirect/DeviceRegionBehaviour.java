// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static io.github.rdma4j.gpudirect.GpuPath.PEER_MEMORY;
import static io.github.rdma4j.gpudirect.GpuPath.STAGED;
import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.ZERO_BASED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DmaBuf;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the registration of GPU memory with the verbs device: the chosen path, and the exceptions for bad memory. */
abstract class DeviceRegionBehaviour {
    static final int SIZE = 1 << 16;

    static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    DeviceContext device;

    ProtectionDomain domain;

    CudaContext context;

    @BeforeEach
    void open() {
        device = DeviceContext.open(Device.list().getFirst());
        domain = device.allocateProtectionDomain();
        context = Cuda.device(0).createContext();
    }

    @AfterEach
    void close() {
        context.close();
        device.close();
    }

    GpuDirect withModule(Consumer<GpuDirectConfig> configuration) {
        Path root = GpuSide.rootWithModule(folder);
        return GpuDirect.on(domain, context, config -> {
            config.fileSystemRoot(root);
            configuration.accept(config);
        });
    }

    GpuDirect withModule() {
        return withModule(config -> {});
    }

    static Reason against(DeviceRegion region, GpuPath path) {
        return region.decision().refusal(path).map(PathRefusal::reason).orElse(null);
    }

    /** An adapter that takes dma-bufs; it registers the memory by its address. */
    final class DmaBufAdapter implements Registrar {
        final List<String> calls = new ArrayList<>();
        DmaBuf last;
        int errno;
        DataDirectSupport engine = new DataDirectSupport(Optional.empty(), "no Data Direct engine belongs to it");
        int engineErrno;

        @Override
        public DataDirectSupport dataDirect() {
            return engine;
        }

        @Override
        public MemoryRegion dmaBufByDataDirect(DmaBuf exported, long address, AccessFlag... access) {
            calls.add("by Data Direct");
            if (engineErrno != 0) {
                throw new VerbsException("mlx5dv_reg_dmabuf_mr()", engineErrno, "", "");
            }
            return addresses(address, exported.length(), access);
        }

        @Override
        public boolean supportsDmaBuf() {
            return true;
        }

        @Override
        public MemoryRegion dmaBuf(DmaBuf exported, long address, AccessFlag... access) {
            last = exported;
            calls.add("%s offset %d length %d address 0x%x %s"
                    .formatted(
                            Files.exists(Path.of("/proc/self/fd/" + exported.fileDescriptor())) ? "open" : "closed",
                            exported.offset(),
                            exported.length(),
                            address,
                            List.of(access)));
            if (errno != 0) {
                throw new VerbsException("ibv_reg_dmabuf_mr()", errno, "", "");
            }
            return addresses(address, exported.length(), access);
        }

        @Override
        public MemoryRegion addresses(long first, long length, AccessFlag... access) {
            return domain.registerMemory(config -> config.address(first, length).access(access));
        }
    }

    /** The driver reports only the first segment, which is shorter. */
    @Test
    void memoryOfSeveralSegmentsIsRegisteredAsAWhole() {
        DeviceMemory memory = TwoSegments.make(context, true);
        DeviceRegion region = withModule().register(memory, LOCAL_WRITE);
        assertThat(region.path()).isEqualTo(PEER_MEMORY);
        assertThat(region.memoryRegion().length()).isEqualTo(2 * TwoSegments.SIZE);
        DeviceMemory half = TwoSegments.make(context, false);
        DeviceRegion staged = withModule().register(half, LOCAL_WRITE);
        assertThat(staged.path()).isEqualTo(STAGED);
        assertThat(against(staged, PEER_MEMORY)).isEqualTo(Reason.MEMORY_NOT_CAPABLE);
    }

    @Test
    void memoryOfEachKindTakesItsPath() {
        GpuDirect gpu = withModule();
        DeviceRegion managed = gpu.register(context.allocateManaged(SIZE), LOCAL_WRITE);
        assertThat(managed.path()).isEqualTo(STAGED);
        assertThat(against(managed, PEER_MEMORY)).isEqualTo(Reason.MANAGED_MEMORY);
        try (CudaStream stream = context.createStream()) {
            DeviceMemory pooled = stream.allocate(SIZE);
            DeviceRegion ofPool = gpu.register(pooled, LOCAL_WRITE);
            assertThat(ofPool.path()).isEqualTo(STAGED);
            assertThat(against(ofPool, PEER_MEMORY)).isEqualTo(Reason.POOL_MEMORY);
            ofPool.close();
            stream.free(pooled);
        }
        DeviceRegion virtual = gpu.register(context.allocateGpuDirect(SIZE), LOCAL_WRITE);
        assertThat(virtual.path()).isEqualTo(PEER_MEMORY);
        assertThat(virtual.hasSynchronousMemoryOperations()).isTrue();
        DeviceMemory plain = context.allocate(SIZE);
        assertThat(gpu.register(context.wrap(plain.handle() + 256, 1000), LOCAL_WRITE)
                        .path())
                .isEqualTo(PEER_MEMORY);
    }

    @Test
    void streamAndAdapterSeeEachOthersWrites() {
        for (GpuPath path : List.of(STAGED, PEER_MEMORY)) {
            GpuDirect gpu = withModule(config -> config.only(path));
            DeviceMemory memory = context.allocate(SIZE);
            DeviceRegion region = gpu.register(memory, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
            MemoryRegion far = domain.allocateMemory(4096, LOCAL_WRITE);
            try (CudaStream stream = context.createStream();
                    PreparedChannel mine = gpu.prepareChannel();
                    PreparedChannel theirs = gpu.prepareChannel();
                    DeviceChannel peer = theirs.connect(mine.endpoint());
                    DeviceChannel self = mine.connect(theirs.endpoint())) {
                far.segment().fill((byte) 0x51);
                assertThat(peer.write(far.slice(), region.remoteMemory().slice(100, 4096))
                                .await(PATIENCE))
                        .isTrue();
                region.absorb(100, 4096, stream);
                stream.copyOnDevice(memory, 20_000, memory, 100, 4096);
                stream.fill(memory, 20_000, 1, (byte) 0x52);
                region.publish(20_000, 4096, stream);
                assertThat(stream.await(PATIENCE)).isTrue();
                far.segment().fill((byte) 0);
                assertThat(peer.read(far.slice(), region.remoteMemory().slice(20_000, 4096))
                                .await(PATIENCE))
                        .isTrue();
                assertThat(far.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 0x52);
                assertThat(far.segment().asSlice(1).toArray(ValueLayout.JAVA_BYTE))
                        .containsOnly(0x51);
                assertThat(self.failure()).isEmpty();
                assertThatThrownBy(() -> region.absorb(SIZE - 1, 2, stream))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    /** These rules must hold on every path, or a program would fail only on the one machine that nobody has tried. */
    @Test
    void absorbingMoreThanTheAdapterWroteChangesNothingElse() {
        for (GpuPath path : List.of(STAGED, PEER_MEMORY)) {
            GpuDirect gpu = withModule(config -> config.only(path));
            DeviceMemory memory = context.allocate(SIZE);
            memory.fill(0, SIZE, (byte) 0x33);
            DeviceRegion region = gpu.register(memory.slice(8, SIZE - 8), LOCAL_WRITE, REMOTE_WRITE);
            MemoryRegion far = domain.allocateMemory(16, LOCAL_WRITE);
            far.segment().fill((byte) 0x51);
            try (CudaStream stream = context.createStream();
                    PreparedChannel mine = gpu.prepareChannel();
                    PreparedChannel theirs = gpu.prepareChannel();
                    DeviceChannel peer = theirs.connect(mine.endpoint());
                    DeviceChannel self = mine.connect(theirs.endpoint())) {
                assertThat(peer.write(far.slice(), region.remoteMemory().slice(100, 16))
                                .await(PATIENCE))
                        .isTrue();
                region.absorb(0, region.length(), stream);
                assertThat(stream.await(PATIENCE)).isTrue();
                byte[] bytes = new byte[SIZE];
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment copy = arena.allocate(SIZE);
                    memory.copyTo(0, copy);
                    MemorySegment.copy(copy, ValueLayout.JAVA_BYTE, 0, bytes, 0, SIZE);
                }
                assertThat(Arrays.copyOfRange(bytes, 108, 124)).as(path.name()).containsOnly(0x51);
                assertThat(Arrays.copyOfRange(bytes, 0, 108)).as(path.name()).containsOnly(0x33);
                assertThat(Arrays.copyOfRange(bytes, 124, SIZE)).as(path.name()).containsOnly(0x33);
                assertThat(self.failure()).isEmpty();
            }
        }
    }

    @Test
    void badMemoryIsAnErrorInWords() {
        GpuDirect gpu = withModule();
        DeviceMemory closed = context.allocate(SIZE);
        closed.close();
        assertThatThrownBy(() -> gpu.register(closed, LOCAL_WRITE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        DeviceMemory freed = context.allocate(SIZE);
        DeviceMemory wrapped = context.wrap(freed.handle(), SIZE);
        freed.close();
        assertThatThrownBy(() -> gpu.register(wrapped, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the library that allocated it has freed it");
        DeviceMemory shorter = context.allocate(4096);
        assertThatThrownBy(() -> context.wrap(shorter.handle(), SIZE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ends after");
        try (CudaContext other = Cuda.device(0).createContext()) {
            DeviceMemory foreign = other.allocate(SIZE);
            assertThatThrownBy(() -> gpu.register(foreign, LOCAL_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("create a GpuDirect on its context");
        }
        DeviceMemory memory = context.allocate(SIZE);
        assertThatThrownBy(() -> gpu.register(memory.slice(0, 0), LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> gpu.register(memory, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("LOCAL_WRITE");
        assertThatThrownBy(() -> gpu.register(memory, LOCAL_WRITE, ZERO_BASED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ZERO_BASED");
        assertThatThrownBy(() -> withModule(config -> config.order(STAGED, STAGED)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingTheContextOrTheAdapterLeavesNothing() {
        DeviceRegion region = GpuDirect.on(domain, context, config -> config.only(STAGED))
                .register(context.allocate(SIZE), LOCAL_WRITE);
        MemoryRegion mirror = region.memoryRegion();
        context.close();
        assertThat(mirror.isOpen()).isFalse();
        assertThat(region.isOpen()).isFalse();
        assertThatThrownBy(region::remoteMemory).isInstanceOf(IllegalStateException.class);
        context = Cuda.device(0).createContext();
        DeviceRegion direct = withModule().register(context.allocate(SIZE), LOCAL_WRITE);
        domain.close();
        assertThat(direct.isOpen()).isFalse();
        direct.close();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(16);
            direct.memory().memory().copyTo(segment);
        }
    }
}
