// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which memory can be registered, and the exceptions for memory that cannot. */
@Tag("device")
class MemoryRegionDeviceTest {
    private static final int MAPPED = 8192;

    private DeviceContext context;
    private ProtectionDomain domain;
    private Arena arena;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        arena = Arena.ofConfined();
    }

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    @Test
    void regionHasKeysAndRange() {
        MemorySegment segment = arena.allocate(10_000);
        MemoryRegion region = domain.registerMemory(segment, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        assertThat(region.segment()).isSameAs(segment);
        assertThat(region.address()).isEqualTo(segment.address());
        assertThat(region.length()).isEqualTo(10_000);
        assertThat(region.localKey()).isNotZero();
        assertThat(region.remoteMemory()).isEqualTo(new RemoteMemory(segment.address(), 10_000, region.remoteKey()));
        assertThat(region.handle()).isNotZero();
    }

    @Test
    void moreMemoryThanThereIsIsRefusedBeforeItIsTouched() {
        assertThatThrownBy(() -> domain.allocateMemory(1L << 40, AccessFlag.LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("allocating 1099511627776 bytes to register failed: ENOMEM")
                .hasMessageContaining("registered memory stays in the machine's memory, which has")
                .hasMessageContaining("Register less at a time");
        assertThatThrownBy(() -> RegistrationFailures.allocate(arena, 1L << 60, 4096))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ENOMEM")
                .hasMessageContaining("the C library has no room for them")
                .hasCauseInstanceOf(OutOfMemoryError.class);
    }

    @Test
    // Half a million small pages take User-Mode Linux forty seconds.
    @Tag("huge-pages")
    void regionCanBeLongerThanTwoGibibytes() {
        long size = (2L << 30) + (1 << 20);
        try (ConnectedPair pair = new ConnectedPair(4096)) {
            MemoryRegion region;
            try {
                region = pair.domain.allocateMemory(size, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            } catch (VerbsException tooLong) {
                // SoftRoCE of Linux 6.12.117 has 16 bytes for each page in one piece of the kernel's memory: at most 4
                // MiB.
                assertThat(KernelVersion.isAtLeast(6, 12)).isTrue();
                assertThat(tooLong).hasMessageContaining("ENOMEM");
                assertThat(pair.domain.allocateMemory(1L << 30).length()).isEqualTo(1L << 30);
                return;
            }
            assertThat(region.length()).isEqualTo(size);
            pair.buffer.segment().setString(0, "far behind");
            RemoteMemory end = region.remoteMemory().slice(size - 16, 16);
            assertThat(pair.pair.tryPostWrite(1, pair.buffer.slice(0, 16), end, SendFlags.SIGNALED))
                    .isTrue();
            assertThat(pair.await().isSuccess()).isTrue();
            assertThat(region.segment().getString(size - 16)).isEqualTo("far behind");
        }
    }

    @Test
    void regionCanOwnItsMemory() {
        MemoryRegion region = domain.allocateMemory(10_000, AccessFlag.LOCAL_WRITE);
        MemorySegment memory = region.segment();
        assertThat(memory.byteSize()).isEqualTo(10_000);
        assertThat(memory.address() % 4096).isZero();
        memory.set(ValueLayout.JAVA_INT, 0, 1);
        region.close();
        assertThat(memory.scope().isAlive()).isFalse();
        assertThatThrownBy(() -> domain.allocateMemory(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> domain.allocateMemory(16, AccessFlag.REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(domain.childCount()).isZero();
    }

    @Test
    void lengthBeyondTheDeviceIsExplained() {
        MemorySegment huge = MemorySegment.ofAddress(4096).reinterpret(1L << 62);
        assertThatThrownBy(() -> domain.registerMemory(huge, AccessFlag.LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("length=" + (1L << 62))
                .hasMessageMatching("(?s).*(EINVAL.*maximum of \\d+ bytes|ENOMEM|EFAULT).*");
    }

    /** {@code folder} is on tmpfs in a guest. */
    @Test
    void mappedFileCanBeRegistered(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("memory");
        MemorySegment mapped = map(file, FileChannel.MapMode.READ_WRITE);
        mapped.set(ValueLayout.JAVA_LONG, 0, 42);
        assertThat(domain.registerMemory(mapped, AccessFlag.LOCAL_WRITE).length())
                .isEqualTo(MAPPED);
        MemorySegment copy = map(file, FileChannel.MapMode.PRIVATE);
        assertThat(domain.registerMemory(copy, AccessFlag.LOCAL_WRITE).length()).isEqualTo(MAPPED);
    }

    @Test
    void sharedReadOnlyMappingIsRefusedBeforeLinux62(@TempDir Path folder) throws Exception {
        assumeThat(KernelVersion.isAtLeast(6, 2)).isFalse();
        MemorySegment mapped = map(folder.resolve("memory"), FileChannel.MapMode.READ_ONLY);
        assertThatThrownBy(() -> domain.registerMemory(mapped, AccessFlag.REMOTE_READ))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("from Linux 6.2 on")
                .hasMessageContaining("Map the file with MapMode.READ_WRITE or PRIVATE");
    }

    /** The project's folder is on 9p in a guest. */
    @Test
    @Tag("kernel612")
    void sharedMappingOfADiskFileIsPinnedForReadingOnly(@TempDir Path folder) throws Exception {
        Path file = Files.createTempFile(Path.of("target"), "mapped", null);
        try {
            MemorySegment mapped = map(file, FileChannel.MapMode.READ_WRITE);
            assertThat(domain.registerMemory(mapped, AccessFlag.REMOTE_READ).length())
                    .isEqualTo(MAPPED);
            assertThatThrownBy(() -> domain.registerMemory(mapped, AccessFlag.LOCAL_WRITE))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EFAULT")
                    .hasMessageContaining(file.getFileName() + " is a shared mapping of a file on ")
                    .hasMessageContaining("MapMode.PRIVATE, or register it without write access");
        } finally {
            Files.delete(file);
        }
        MemorySegment readOnly = map(folder.resolve("memory"), FileChannel.MapMode.READ_ONLY);
        assertThat(domain.registerMemory(readOnly, AccessFlag.REMOTE_READ).length())
                .isEqualTo(MAPPED);
    }

    private MemorySegment map(Path file, FileChannel.MapMode mode) throws IOException {
        Files.write(file, new byte[MAPPED]);
        try (FileChannel channel = mode == FileChannel.MapMode.READ_ONLY
                ? FileChannel.open(file, StandardOpenOption.READ)
                : FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(mode, 0, MAPPED, arena);
        }
    }

    @Test
    void memoryThatCannotBeRegisteredIsRefusedBeforeTheCall() {
        assertThatThrownBy(() -> domain.registerMemory(MemorySegment.ofArray(new byte[10])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("on the heap");
        assertThatThrownBy(() -> domain.registerMemory(arena.allocate(16).asSlice(0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("empty");
        assertThatThrownBy(() -> domain.registerMemory(arena.allocate(16).asReadOnly(), AccessFlag.LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        assertThatThrownBy(() -> domain.registerMemory(arena.allocate(16), AccessFlag.REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("REMOTE_WRITE also needs LOCAL_WRITE");
        Arena closed = Arena.ofConfined();
        MemorySegment gone = closed.allocate(16);
        closed.close();
        assertThatThrownBy(() -> domain.registerMemory(gone)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void unmappedRangeIsExplained() {
        MemorySegment nowhere = MemorySegment.ofAddress(4096).reinterpret(4096);
        assertThatThrownBy(() -> domain.registerMemory(nowhere, AccessFlag.LOCAL_WRITE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EFAULT")
                .hasMessageContaining("not mapped")
                .hasMessageMatching("(?s).*\\. \\p{Lu}.*");
    }

    @Test
    void slicesAreBoundsChecked() {
        MemoryRegion region = domain.registerMemory(arena.allocate(100), AccessFlag.LOCAL_WRITE);
        assertThat(region.slice(100, 0).length()).isZero();
        assertThatThrownBy(() -> region.slice(0, 101)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.slice(10, 10).slice(5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.slice(Long.MAX_VALUE, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> region.remoteMemory().slice(50, 51)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
