// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.allreduce.choice.RecordedLogs;
import io.github.rdma4j.perftest.environment.NativeVariables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LogFileTest {
    private static final String VARIABLE = "NCCL_DEBUG_FILE";

    /** A process that is killed deletes nothing. */
    @Test
    void aLogThatIsNotKeptHasNoName() throws IOException {
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
}
