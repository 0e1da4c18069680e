// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.PageMapping.Wish;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageMappingTest {
    @ParameterizedTest
    @ValueSource(longs = {65_536, 2 << 20, 8 << 20, (4 << 20) + 65_536})
    void memoryIsZeroedAlignedAndGivenBack(long size) {
        PageMapping mapping = PageMapping.map(size, Wish.ORDINARY);
        MemorySegment memory = mapping.memory();
        assertThat(memory.byteSize()).isEqualTo(size);
        assertThat(memory.address() % Math.min(Long.highestOneBit(size), PageMapping.TRANSPARENT_HUGE_PAGE))
                .isZero();
        assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isZero();
        memory.fill((byte) 1);
        assertThat(mapping.pages()).isEqualTo(PageSize.BYTES + "-byte pages");
        assertThat(mapping.refusal()).isEmpty();
        mapping.unmap();
        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void pageSizeIsTheKernels(@TempDir Path folder) throws Exception {
        Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
        assertThat(getconf.inputReader().readLine()).isEqualTo(String.valueOf(PageSize.BYTES));
        Path vector = Files.write(folder.resolve("auxv"), new byte[32]);
        assertThat(PageSize.of(vector)).isEqualTo(65_536);
        assertThat(PageSize.of(folder.resolve("nothing"))).isEqualTo(65_536);
    }

    @Test
    void onePageIsMapped() {
        PageMapping mapping = PageMapping.map(PageSize.BYTES, Wish.ORDINARY);
        assertThat(mapping.memory().address() % PageSize.BYTES).isZero();
        mapping.memory().fill((byte) 1);
        mapping.unmap();
    }

    /** Which it is depends on the machine, which is asked here in another way; HugePagesDeviceTest sets it. */
    @ParameterizedTest
    @EnumSource(
            value = Wish.class,
            names = {"TRANSPARENT", "EXPLICIT"})
    void hugePagesAreThereOrTheReasonIs(Wish wish) throws IOException {
        Path setting = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        boolean transparent =
                Files.exists(setting) && !Files.readString(setting).contains("[never]");
        long free = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("HugePages_Free:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
        PageMapping mapping = PageMapping.map(2 * PageMapping.HUGE_PAGE, wish);
        mapping.memory().fill((byte) 7);
        if (wish == Wish.EXPLICIT && free >= 2) {
            assertThat(mapping.pages()).isEqualTo("huge pages of " + PageMapping.HUGE_PAGE + " bytes");
            assertThat(mapping.refusal()).isEmpty();
        } else {
            assertThat(mapping.pages())
                    .isEqualTo(transparent ? "transparent huge pages" : PageSize.BYTES + "-byte pages");
            assertThat(mapping.huge()).isEqualTo(transparent);
            assertThat(mapping.refusal().contains("are free (ENOMEM)")).isEqualTo(wish == Wish.EXPLICIT);
            assertThat(mapping.refusal().contains("switched off")).isEqualTo(!transparent);
        }
        assertThat(mapping.transparentBytes()).isBetween(0L, mapping.memory().byteSize());
        mapping.unmap();
    }

    /**
     * The administrator's reserve may have pages of 1 GiB; transparent ones are of the size of a page directory's
     * entry.
     */
    @Test
    void twoKindsOfHugePagesHaveSizesOfTheirOwn(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("hpage_pmd_size"), "33554432\n");
        assertThat(PageMapping.transparentHugePageSize(file)).isEqualTo(32 << 20);
        assertThat(PageMapping.transparentHugePageSize(folder.resolve("none"))).isEqualTo(2 << 20);
        MemoryInformation machine =
                new MemoryInformation("MemTotal:       16314256 kB\nHugepagesize:    1048576 kB\nHugetlb:  0 kB\n");
        assertThat(machine.bytes("Hugepagesize")).hasValue(1L << 30);
        assertThat(machine.bytes("MemTotal")).hasValue(16314256L * 1024);
        assertThat(machine.bytes("Mem")).isEmpty();
        assertThat(MemoryInformation.machine().bytes("MemTotal")).isPresent();
    }

    @Test
    void namesOfMappedFilesThatAreNoUtf8HideNoMemory(@TempDir Path folder) throws IOException {
        Path smaps = Files.writeString(folder.resolve("smaps"), """
                7f0000000000-7f0000001000 r--p 00000000 08:01 42 /home/M\u00fcller/x.jar
                AnonHugePages:         0 kB
                7f0000400000-7f0000800000 rw-p 00000000 00:00 0
                Size:               4096 kB
                AnonHugePages:      2048 kB
                """, StandardCharsets.ISO_8859_1);
        assertThat(PageMapping.transparentBytes(smaps, 0x7f0000400000L, 4 << 20))
                .isEqualTo(2 << 20);
        assertThat(PageMapping.transparentBytes(smaps, 0x7f0000400000L, 1 << 20))
                .isEqualTo(1 << 20);
        assertThat(PageMapping.transparentBytes(smaps, 0x7f0000000000L, 4096)).isZero();
        assertThat(PageMapping.transparentBytes(folder.resolve("none"), 0, 4096))
                .isZero();
    }

    @Test
    void memoryThatAThreadStillUsesIsUnmappedLater() throws Exception {
        PageMapping mapping = PageMapping.map(1 << 20, Wish.ORDINARY);
        MemorySegment memory = mapping.memory();
        BlockedWrite write = new BlockedWrite(memory);
        assertThatThrownBy(mapping::unmap)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a native call of another thread");
        write.end();
        mapping.unmap();
        mapping.unmap();
        assertThat(memory.scope().isAlive()).isFalse();
    }

    @Test
    void sizeBelowAHugePageIsReported() {
        PageMapping mapping = PageMapping.map(4096, Wish.TRANSPARENT);
        assertThat(mapping.huge()).isFalse();
        assertThat(mapping.refusal()).isEqualTo("4096 bytes are less than a huge page");
        mapping.unmap();
    }

    @Test
    void tooMuchIsRefusedWithTheCauseAndARemedy() {
        assertThatThrownBy(() -> PageMapping.map(1L << 60, Wish.ORDINARY))
                .isInstanceOf(VerbsException.class)
                .hasMessageContainingAll("mmap(", "ENOMEM", "Ask for less");
    }
}
