// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ExamplePrograms;
import io.github.rdma4j.verbs.cm.CmTestNet;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example programs, each side in a separate process. */
@Tag("device")
@Tag("checkout")
class ExamplesDeviceTest {
    private static final String ADDRESS = CmTestNet.ipv4().getAddress().getHostAddress();

    @Test
    void firstProgramTakesRdma() throws Exception {
        try (ExamplePrograms programs = new ExamplePrograms()) {
            assertThat(ExamplePrograms.output(programs.start("FirstEndpoint", ADDRESS)))
                    .isEqualTo("RDMA: read from the server's memory\nvisitors before: 0\ngoodbye\n");
        }
    }

    @Test
    void whereThereIsRdmaItIsTaken() throws Exception {
        try (ExamplePrograms programs = new ExamplePrograms();
                BufferedReader server =
                        programs.start("Anywhere", "server", ADDRESS, "0").inputReader()) {
            String port = ExamplePrograms.port(server);
            assertThat(ExamplePrograms.output(programs.start("Anywhere", "client", ADDRESS, port)))
                    .isEqualTo("connected over RDMA\nvisitors before: 0\n");
        }
    }

    @Test
    void keyValueStoreIsReadByOneSidedReads() throws Exception {
        try (ExamplePrograms programs = new ExamplePrograms()) {
            try (BufferedReader server =
                    programs.start("KeyValue", "server", ADDRESS, "0").inputReader()) {
                String port = ExamplePrograms.port(server);
                ExamplePrograms.run("KeyValue", "put", ADDRESS, port, "colour", "green");
                assertThat(ExamplePrograms.run("KeyValue", "get", ADDRESS, port, "colour"))
                        .isEqualTo("green\n");
                assertThat(ExamplePrograms.run("KeyValue", "hammer", ADDRESS, port, "200"))
                        .contains("200 puts")
                        .contains(" 0 wrong");
                assertThat(server.readLine()).isEqualTo("a client has gone");
            }
        }
    }

    @Test
    void oneThreadPublishesToManySubscribers() throws Exception {
        try (ExamplePrograms programs = new ExamplePrograms()) {
            try (BufferedReader publisher = programs.start("Publisher", "publish", ADDRESS, "0", "25", "40")
                    .inputReader()) {
                String port = ExamplePrograms.port(publisher);
                String seen = ExamplePrograms.run("Publisher", "subscribe", ADDRESS, port, "25");
                Matcher numbers = Pattern.compile("25 subscribers received (\\d+) numbers in order and missed (\\d+)\n")
                        .matcher(seen);
                assertThat(numbers.matches()).as(seen).isTrue();
                // A subscriber cannot notice that it has missed the last numbers.
                assertThat(Long.parseLong(numbers.group(1)) + Long.parseLong(numbers.group(2)))
                        .isBetween(25L * 16, 25L * 40);
                assertThat(publisher.readLine()).startsWith("40 numbers to 25 subscribers, ");
            }
        }
    }

    @Test
    void fileArrivesAsItWas(@TempDir Path files) throws Exception {
        byte[] content = new byte[(1 << 23) + 12_345];
        new Random(7).nextBytes(content);
        Path source = Files.write(files.resolve("source"), content);
        Path target = files.resolve("target");
        try (ExamplePrograms programs = new ExamplePrograms()) {
            Process receiver = programs.start("SendFile", "receive", ADDRESS, "0", target.toString());
            try (BufferedReader output = receiver.inputReader()) {
                String port = ExamplePrograms.port(output);
                assertThat(ExamplePrograms.run("SendFile", "send", ADDRESS, port, source.toString()))
                        .contains("sent " + content.length + " bytes");
                assertThat(output.readLine()).startsWith("received, checksum right, " + content.length + " bytes");
            }
        }
        assertThat(target).hasSameBinaryContentAs(source);
    }
}
