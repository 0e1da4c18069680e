// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that commands are given and cannot read. */
class UnreadableTest {
    @TempDir
    private Path folder;

    static Stream<String> commands() {
        return Stream.of("report ", "predict --calibrate ");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void faultOfAFileIsReported(String command) throws Exception {
        Path missing = folder.resolve("missing.json");
        assertThat(Program.run(command + missing))
                .returns(1, CommandRun::status)
                .extracting(CommandRun::err)
                .asString()
                .contains(missing + " does not exist");
        assertThat(Program.run(command + folder).err()).contains(folder + " cannot be read: it is a folder");
        Path bytes = Files.write(folder.resolve("bytes.json"), new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThat(Program.run(command + bytes))
                .returns(1, CommandRun::status)
                .extracting(CommandRun::err)
                .asString()
                .startsWith(command.substring(0, command.indexOf(' ')) + ": " + bytes);
    }
}
