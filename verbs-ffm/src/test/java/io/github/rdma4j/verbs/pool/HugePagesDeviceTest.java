// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.internal.PageSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A pool gets the huge pages that the machine has, or reports why it has none. The tests set the kernel's settings,
 * which needs root, and put them back.
 */
@Tag("device")
@Tag("huge-pages")
class HugePagesDeviceTest {
    private static final Path RESERVED = Path.of("/proc/sys/vm/nr_hugepages");
    private static final Path TRANSPARENT = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");
    private static final int CHUNK = 4 << 20;

    private final String reservedBefore = read(RESERVED);
    private final String transparentBefore = chosen();
    private final DeviceContext device = DeviceContext.open(TestDevice.name());

    @AfterEach
    void restore() throws IOException {
        device.close();
        write(RESERVED, reservedBefore);
        write(TRANSPARENT, transparentBefore);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void write(Path file, String value) throws IOException {
        Files.writeString(file, value);
    }

    private static String chosen() {
        Matcher matcher = CHOSEN.matcher(read(TRANSPARENT));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    private String pages(HugePages wish) {
        try (RegisteredMemoryPool pool = RegisteredMemoryPool.create(
                device.allocateProtectionDomain(),
                config -> config.chunkSize(CHUNK).hugePages(wish))) {
            pool.reserve(1);
            pool.allocate(1 << 20).close();
            return pool.statistics().pages();
        }
    }

    @Test
    void reservedPagesAreTaken() throws IOException {
        write(RESERVED, Integer.toString(Integer.parseInt(reservedBefore) + 8));
        assertThat(pages(HugePages.EXPLICIT)).matches("huge pages of \\d+ bytes");
    }

    @Test
    void transparentPagesReplaceMissingReservedPagesWithAReason() throws IOException {
        write(RESERVED, "0");
        write(TRANSPARENT, "madvise");
        assertThat(pages(HugePages.EXPLICIT))
                .matches("transparent huge pages for [1-9]\\d* of 4194304 bytes"
                        + " \\(no 2 huge pages of \\d+ bytes are free \\(ENOMEM\\): see /proc/sys/vm/nr_hugepages\\)");
    }

    @Test
    void transparentPagesAreReallyThere() throws IOException {
        write(TRANSPARENT, "madvise");
        assertThat(pages(HugePages.TRANSPARENT)).matches("transparent huge pages for [1-9]\\d* of 4194304 bytes");
    }

    @Test
    void disabledTransparentPagesAreReported() throws IOException {
        write(TRANSPARENT, "never");
        assertThat(pages(HugePages.TRANSPARENT))
                .isEqualTo(PageSize.BYTES + "-byte pages (transparent huge pages are switched off: " + TRANSPARENT
                        + " says never)");
    }
}
