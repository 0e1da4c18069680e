// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the list of commands, their help and version, and the refusal of unknown ones. */
class CommandsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_write_bw",
                "ib_send_lat",
                "compare",
                "compare --serve",
                "report",
                "doctor",
                "watch",
                "predict",
                "gpu",
                "gpu gds_bw",
                "gpu gpu_ordered_lat",
                "gpu nccl_allreduce_bw"
            })
    void usageLineIsWhatAUserTypes(String command) {
        assertThat(Program.run(command + " --help").out()).containsPattern("^Usage:\\s+rdma4j " + command + " ");
    }

    @Test
    void helpListsCommands() {
        CommandRun run = Program.run("--help");
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .startsWith("Usage: rdma4j [-hV] COMMAND")
                .containsPattern("\\n +ib_write_lat +\\w+")
                .containsPattern("\\n +gpu +\\w+");
        assertThat(Program.run("help")).isEqualTo(run);
        assertThat(Program.run("gpu --help").out())
                .startsWith("Usage: rdma4j gpu ")
                .contains("gds_bw");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ib_write_lat", "doctor", "gpu", "gpu gds_bw"})
    void helpOfCommandIsItsHelp(String command) {
        assertThat(Program.run("help " + command)).isEqualTo(Program.run(command + " --help"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-V", "--version", "gpu --version"})
    void versionIsPrinted(String arguments) {
        CommandRun run = Program.run(arguments);
        assertThat(run.status()).isZero();
        assertThat(run.out()).startsWith("rdma4j ");
    }

    @Test
    void emptyArgumentIsRefused() {
        for (List<String> words : List.of(List.of("ib_write_lat", ""), List.of("compare", "--tools", ""))) {
            CommandRun run = Program.run(words);
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.err()).contains("an argument is empty: leave it out, or give the value that was meant");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "raw_ethernet_lat doctor | rdma4j: there is no command 'raw_ethernet_lat'; the commands are ib_wr",
                "-x doctor               | rdma4j: there is no option '-x'; the commands are ib_write_lat, ib_wr",
                "help frobnicate         | rdma4j: there is no command 'frobnicate'; the commands are ib_write_lat",
                "gpu ib_write_lat        | rdma4j gpu: there is no command 'ib_write_lat'; the commands are gds_bw, gp",
                "gpu                     | rdma4j gpu: which command? One of gds_bw, gpu_ordered_lat, nccl",
            })
    void unknownCommandIsRefused(String arguments, String message) {
        CommandRun run = Program.run(arguments);
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith(message).containsPattern("\nTry 'rdma4j( gpu)? --help'\\.");
    }

    @Test
    void missingCommandIsRefused() {
        CommandRun run = Program.run(List.of());
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("rdma4j: which command? One of ib_write_lat, ib_write_bw, ");
        assertThat(Program.run(List.of("")).err()).startsWith("rdma4j: there is no command ''; ");
    }
}
