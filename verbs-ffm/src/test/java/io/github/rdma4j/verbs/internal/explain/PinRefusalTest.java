// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exception for EFAULT names the memory that the kernel refuses, and advises only what the kernel accepts. */
class PinRefusalTest {
    private static final List<String> MOUNTS = List.of(
            "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
            "25 22 0:23 / /dev/shm rw - tmpfs tmpfs rw",
            "26 22 0:5 / /dev rw - devtmpfs udev rw",
            "27 22 0:30 / /dev/hugepages rw - hugetlbfs hugetlbfs rw");
    private static final long START = 0x10000;
    private static final long SIZE = 0x2000;

    private static Explanation of(String release, boolean writes, String... lines) {
        return new PinRefusal(List.of(lines), MOUNTS, release).of(START, SIZE, writes);
    }

    private static String line(String rights, String device, String path) {
        return "10000-12000 %s 00000000 %s 77                 %s".formatted(rights, device, path);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        6.1.0-50-amd64 | r--s | 08:01 | /data/file      | false | from Linux 6.2 on; this is 6.1.0-50-amd64 | READ_WRITE or PRIVATE
        6.1.0-50-amd64 | r--s | 00:17 | /dev/shm/file   | false | from Linux 6.2 on; this is 6.1.0-50-amd64 | READ_WRITE or PRIVATE
        6.12.9         | rw-s | 08:01 | /data/file      | true  | a file on ext4, which the kernel does not pin for writing from Linux 6.5 on | tmpfs or hugetlbfs, map the file with MapMode.PRIVATE, or register it without write access
        6.1.0-50-amd64 | r--s | 08:01 | /data/file      | true  | mapped read-only, and the access lets the device write | map the file with MapMode.READ_WRITE or PRIVATE
        6.12.9         | r--s | 08:01 | /data/file      | true  | mapped read-only, and the access lets the device write | map the file with MapMode.PRIVATE, or register it without write access
        6.12.9         | r--s | 00:17 | /dev/shm/a file | true  | /dev/shm/a file is mapped read-only | map the file with MapMode.READ_WRITE or PRIVATE, or register it without write access
        6.12.9         | r--p | 08:01 | /data/file      | true  | mapped read-only | MapMode.PRIVATE
        6.12.9         | r--p | 00:00 |                 | true  | 0x10000 to 0x12000 is mapped read-only | map it for writing
        6.12.9         | ---p | 00:00 |                 | false | without read access | map it for reading
        6.12.9         | rw-s | 00:05 | /dev/nvidia0    | true  | maps the memory of a device | dma-buf
        """)
    void mappingIsExplainedByWhatItsKernelDoes(
            String release, String rights, String device, String path, boolean writes, String cause, String remedy) {
        Explanation explanation = of(release, writes, line(rights, device, path == null ? "" : path));
        assertThat(explanation.cause()).contains(cause);
        assertThat(explanation.remedy()).contains(remedy);
    }

    /** A mapping that the kernel can pin must not be blamed. */
    @ParameterizedTest
    @CsvSource({
        "6.1.0, rw-s, 00:17, /dev/shm/file, true",
        "6.12.9, rw-s, 00:17, /dev/shm/file, true",
        "6.12.9, rw-s, 00:1e, /dev/hugepages/file, true",
        "6.12.9, rw-s, 00:01, /memfd:rings (deleted), true",
        "6.12.9, rw-s, 08:01, /data/file, false",
        "6.12.9, r--s, 08:01, /data/file, false",
        "6.1.0, rw-p, 08:01, /data/file, true",
        "6.1.0, r--p, 08:01, /data/file, false",
        "6.1.0, rw-p, 00:00, [heap], true"
    })
    void mappingThatCanBePinnedIsNotBlamed(String release, String rights, String device, String path, boolean writes) {
        assertThat(of(release, writes, line(rights, device, path)).isEmpty()).isTrue();
    }

    /** A read-only mapping of a file cannot be helped by another access before Linux 6.2. */
    @Test
    void adviceIsNothingThatTheKernelRefusesToo() {
        assertThat(of("6.1.0", true, line("r--s", "08:01", "/data/file")).remedy())
                .doesNotContain("without write access");
        assertThat(of("6.12.9", true, line("r--s", "08:01", "/data/file")).remedy())
                .doesNotContain("READ_WRITE");
    }

    @Test
    void unmappedPartIsNamed() {
        assertThat(of("6.12.9", true, "11000-12000 rw-p 00000000 00:00 0").cause())
                .isEqualTo("0x10000 to 0x11000 is not mapped");
        assertThat(of("6.12.9", true, "10000-11000 rw-p 00000000 00:00 0", "13000-14000 rw-p 00000000 00:00 0")
                        .cause())
                .isEqualTo("0x11000 to 0x12000 is not mapped");
        assertThat(of("6.12.9", true, "1000-2000 rw-p 00000000 00:00 0").cause())
                .isEqualTo("0x10000 to 0x12000 is not mapped");
    }

    @Test
    void mappingBeyondTheEndOfItsFileIsNamed(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("short"), new byte[100]);
        assertThat(of("6.12.9", true, line("rw-s", "00:17", file.toString())).cause())
                .isEqualTo("the range extends beyond the end of %s, which has 100 bytes".formatted(file));
        Files.write(file, new byte[4097]);
        assertThat(of("6.12.9", true, line("rw-s", "00:17", file.toString())).isEmpty())
                .isTrue();
    }

    @Test
    void unreadableMappingsExplainNothing() {
        assertThat(new PinRefusal(List.of(), List.of(), "")
                        .of(START, SIZE, true)
                        .isEmpty())
                .isTrue();
    }
}
