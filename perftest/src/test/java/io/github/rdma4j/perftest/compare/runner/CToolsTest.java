// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CToolsTest {
    @TempDir
    private Path folder;

    private Path program(String text) throws IOException {
        Path file = folder.resolve("ib_write_bw");
        Files.writeString(file, "#!/bin/sh\n" + text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void namesTheMissingToolAndItsPackage() {
        assertThatThrownBy(() -> CTools.find(List.of(Tool.WRITE_LATENCY), List.of(folder)))
                .isInstanceOfSatisfying(PerftestException.class, failure -> {
                    assertThat(failure).hasMessage("C's ib_write_lat is not in " + folder);
                    assertThat(failure.remedy()).contains("package perftest");
                });
    }

    @Test
    void takesTheFirstOnThePath() throws IOException {
        Path program = program("exit 0\n");

        CTools tools = CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder.resolve("none"), folder));

        assertThat(tools.program(Tool.WRITE_BANDWIDTH)).isEqualTo(program);
    }

    @Test
    void asksForTheVersion() throws IOException {
        program("echo 'Version: 6.06'; exit 1\n");

        try (ChildProcesses children = new ChildProcesses()) {
            assertThat(CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder))
                            .version(children))
                    .isEqualTo("6.06");
        }
    }

    @Test
    void doesWithoutAVersion() throws IOException {
        program("echo nothing\n");

        try (ChildProcesses children = new ChildProcesses()) {
            assertThat(CTools.find(List.of(Tool.WRITE_BANDWIDTH), List.of(folder))
                            .version(children))
                    .isEqualTo("unknown");
        }
    }
}
