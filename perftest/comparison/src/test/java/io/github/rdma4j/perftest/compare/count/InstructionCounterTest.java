// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.compare.count.InstructionRecord.Block;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstructionCounterTest {
    @TempDir
    private Path folder;

    private Path file;
    private int marks;

    @BeforeEach
    void makeTheFile() throws IOException {
        file = Files.createFile(folder.resolve("counts"));
    }

    /** Appends to the file as the emulator does. */
    private void append(String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.APPEND);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private InstructionCounter counter() throws IOException {
        BufferedReader reader = Files.newBufferedReader(file);
        return new InstructionCounter(reader, () -> append("mark %d\nuser 0\nkernel 0\nend\n".formatted(++marks)));
    }

    @Test
    void givesTheRecordsOfAnActionAndNoOthers() throws IOException {
        append("writes 100\nuser 1\nkernel 2\nend\n");
        try (InstructionCounter counter = counter()) {
            List<InstructionRecord> records = counter.count(() -> append("""
                    writes 200
                    user 1000
                    kernel 20000
                    block 7fffe0076794 4 100
                    block ffff 3 50
                    block 7fffe0076794 4 20
                    end
                    writes 300
                    user 1100
                    kernel 21000
                    end
                    """));

            assertThat(records)
                    .containsExactly(
                            new InstructionRecord(
                                    false,
                                    200,
                                    1000,
                                    20_000,
                                    Map.of(new Block(0x7fffe0076794L, 4), 120L, new Block(0xffff, 3), 50L)),
                            new InstructionRecord(false, 300, 1100, 21_000, Map.of()));
            assertThat(counter.count(() -> {})).isEmpty();
        }
    }

    @Test
    void missingMarkIsReported() throws IOException {
        try (InstructionCounter counter = new InstructionCounter(Files.newBufferedReader(file), () -> {})) {
            assertThatThrownBy(() -> counter.count(() -> {}))
                    .isInstanceOf(CompareException.class)
                    .hasMessageContaining("has not counted this moment");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "mark", "mark x", "user", "block 1 2", "block x 1 1", "block 1 2 3x"})
    void lineOfAnotherFileIsReported(String line) throws IOException {
        append(line + "\n");
        try (InstructionCounter counter = counter()) {
            assertThatThrownBy(() -> counter.count(() -> {}))
                    .isInstanceOf(CompareException.class)
                    .hasMessage("'" + line + "' is no line of a file of scripts/softroce --count");
        }
    }

    @Test
    void machineWithoutCountsIsReported() {
        assertThatThrownBy(() -> InstructionCounter.open(Map.of()))
                .isInstanceOfSatisfying(CompareException.class, failure -> {
                    assertThat(failure).hasMessageContaining("nothing counts the instructions of this machine");
                    assertThat(failure.remedy()).contains("scripts/bench instructions");
                });
    }

    @Test
    void missingFileIsReported() {
        Map<String, String> environment =
                Map.of(InstructionCounter.VARIABLE, folder.resolve("none").toString());

        assertThatThrownBy(() -> InstructionCounter.open(environment))
                .isInstanceOf(CompareException.class)
                .hasMessageContaining("cannot be read");
    }

    @Test
    void signIsACallThatTheCLibraryHas() throws IOException {
        try (InstructionCounter counter =
                InstructionCounter.open(Map.of(InstructionCounter.VARIABLE, file.toString()))) {
            // No emulator answers here, so the sign was given in vain.
            assertThatThrownBy(() -> counter.count(() -> {})).isInstanceOf(CompareException.class);
        }
    }
}
