// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.rdma4j.perftest.allreduce.choice.RecordedLogs;
import io.github.rdma4j.perftest.environment.NativeVariables;
import io.github.rdma4j.perftest.exit.PerftestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFileTest {
    private static final String VARIABLE = "NCCL_DEBUG_FILE";

    /** A process that is killed deletes nothing. */
    @Test
    void logThatIsNotKeptHasNoName() throws IOException {
        try (LogFile log = new LogFile(Optional.empty())) {
            Path ofNccl = Path.of(NativeVariables.get(VARIABLE).orElseThrow());
            assertThat(Files.readSymbolicLink(ofNccl).toString())
                    .contains("rdma4j-nccl-")
                    .endsWith(" (deleted)");
            Files.writeString(ofNccl, RecordedLogs.ONE_MACHINE);
            assertThat(log.read().version()).isEqualTo("2.27.3+cuda12.9");
        }
        assertThat(NativeVariables.get(VARIABLE)).isEmpty();
    }

    /** If NCCL cannot create the file, it writes to standard output without a message. */
    @Test
    void logThatCannotBeKeptIsRefused(@TempDir Path folder) {
        Path file = folder.resolve("missing/nccl.log");
        assertThatExceptionOfType(PerftestException.class)
                .isThrownBy(() -> new LogFile(Optional.of(file)).close())
                .withMessageContaining(file.toString())
                .satisfies(e -> assertThat(e.remedy()).startsWith("give --log a file in a folder"));
        assertThat(NativeVariables.get(VARIABLE)).isEmpty();
    }

    @Test
    void logThatIsKeptTakesThePlaceOfAnOlderOne(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("nccl.log"), RecordedLogs.ONE_MACHINE);
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        try (LogFile log = new LogFile(Optional.of(link))) {
            assertThat(NativeVariables.get(VARIABLE)).contains(link.toString());
            assertThat(log.read().version()).isEmpty();
        }
        assertThat(file).isEmptyFile();
        // As root one could take /dev/null away.
        assertThat(link).isSymbolicLink();
    }
}
