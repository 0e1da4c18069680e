// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.MemoryOptions;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the kinds of memory, and the messages when one is not available. */
class RunBufferTest {
    private static MemoryOptions options(String... arguments) {
        return RunParameters.parse(Tool.WRITE_BANDWIDTH, arguments).memory();
    }

    @Test
    void plainMemoryIsAligned() {
        try (RunBuffer buffer = RunBuffer.of(options(), 10_000, 4096)) {
            assertThat(buffer.segment().byteSize()).isEqualTo(10_000);
            assertThat(buffer.segment().address() % 4096).isZero();
        }
    }

    @Test
    void memoryIsGoneAfterClose() {
        RunBuffer buffer = RunBuffer.of(options(), 64, 64);
        buffer.close();
        assertThatThrownBy(() -> buffer.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void noiseHasManyValues() {
        try (RunBuffer buffer = RunBuffer.of(options(), 5000, 4096)) {
            buffer.fill(null);
            byte[] bytes = buffer.segment().toArray(ValueLayout.JAVA_BYTE);
            assertThat(new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1)
                            .chars()
                            .distinct()
                            .count())
                    .isGreaterThan(200);
            assertThat(MemorySegment.ofArray(bytes)
                            .asSlice(4096)
                            .mismatch(MemorySegment.ofArray(bytes).asSlice(0, 904)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void payloadOfAFileRepeats(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("payload.txt"), "0x04030201, 0xaabbccdd\n0x5");
        MemoryOptions options = options("--payload_file_path", file.toString());
        try (RunBuffer buffer = RunBuffer.of(options, 17, 8)) {
            buffer.fill(options.payload());
            assertThat(buffer.segment().toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(1, 2, 3, 4, 0xdd, 0xcc, 0xbb, 0xaa, 5, 0, 0, 0, 1, 2, 3, 4, 0xdd);
        }
    }

    @Test
    void mappedFileIsTheBuffer(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("memory"), new byte[3 * 4096]);
        MemoryOptions options = options("--mmap", file.toString(), "--mmap-offset", "4K");
        try (RunBuffer buffer = RunBuffer.of(options, 8192, 4096)) {
            buffer.segment().set(ValueLayout.JAVA_BYTE, 5, (byte) 42);
        }
        assertThat(Files.readAllBytes(file)[4096 + 5]).isEqualTo((byte) 42);
        assertThatThrownBy(() -> RunBuffer.of(options, 8193, 4096))
                .isInstanceOf(PerftestException.class)
                .hasMessage("--mmap: " + file + " has 12288 bytes; the test needs 8193 behind offset 4096")
                .extracting(failure -> ((PerftestException) failure).remedy())
                .isEqualTo("make it larger: truncate -s 12289 " + file);
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThatThrownBy(() -> RunBuffer.of(options("--mmap", empty.toString()), 4096, 4096))
                .hasMessage("--mmap: " + empty + " has 0 bytes; the test needs 4096 behind offset 0");
        assertThat(empty).isEmptyFile();
    }

    @Test
    void mappedDeviceIsTheBuffer() {
        try (RunBuffer buffer = RunBuffer.of(options("--mmap", "/dev/zero"), 10_000, 4096)) {
            assertThat(buffer.segment().byteSize()).isEqualTo(10_000);
            buffer.segment().set(ValueLayout.JAVA_BYTE, 9_999, (byte) 42);
            assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 9_999)).isEqualTo((byte) 42);
        }
        assertThatThrownBy(() -> RunBuffer.of(options("--mmap", "/dev/null"), 4096, 4096))
                .isInstanceOf(PerftestException.class)
                .hasMessageStartingWith("--mmap: /dev/null cannot be mapped: ENODEV");
    }

    @Test
    void hugePagesAreHadOrTheReserveIsNamed() {
        long reserve = 0;
        try {
            reserve = Long.parseLong(
                    Files.readString(Path.of("/proc/sys/vm/nr_hugepages")).strip());
        } catch (java.io.IOException _) {
            // A kernel without them.
        }
        if (reserve > 0) {
            try (RunBuffer buffer = RunBuffer.of(options("--use_hugepages"), 100, 4096)) {
                buffer.segment().fill((byte) 1);
                assertThat(buffer.segment().address() % (2 << 20)).isZero();
            }
        } else {
            assertThatThrownBy(() -> RunBuffer.of(options("--use_hugepages"), 100, 4096))
                    .isInstanceOf(PerftestException.class)
                    .hasMessageStartingWith("--use_hugepages: 1 huge pages of ")
                    .hasMessageContaining(": ENOMEM (Cannot allocate memory); free are 0")
                    .extracting(failure -> ((PerftestException) failure).remedy())
                    .isEqualTo("have the administrator reserve more: sysctl vm.nr_hugepages=1");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--mmap /no/such/file | --mmap: /no/such/file cannot be read and written",
                "--mmap / | --mmap: / cannot be read and written",
                "--mmap-offset 4096 | --mmap-offset is for mapped files: give --mmap",
                "--mmap-offset 100 --mmap /etc/passwd | --mmap-offset: 100 is not allowed; multiples of the page size",
                "--mmap-offset -1 --mmap /etc/passwd | --mmap-offset: -1 is out of range; allowed is 0 to",
                "--mmap /etc/passwd --use_hugepages | --mmap and --use_hugepages exclude each other",
                "--payload_file_path /no/such/file | --payload_file_path: /no/such/file cannot be read as text",
                "--payload_file_path /proc/version | --payload_file_path: /proc/version has 'Linux' where a word was",
            })
    void invalidArgumentsAreRefused(String arguments, String message) {
        assertThatThrownBy(() -> options(arguments.strip().split(" ")))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith(message);
    }
}
