// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ExamplePrograms;
import java.io.BufferedReader;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Checks the example programs, mostly without running them. */
class ExamplesTest {
    static final Iterable<String> NAMES = ExamplePrograms.NAMES;

    @ParameterizedTest
    @FieldSource("NAMES")
    void eachCompilesWithoutAWarningAndFitsOnAFewScreens(String name) throws Exception {
        assertThat(ExamplePrograms.compile(name)).isEmpty();
        assertThat(Files.readAllLines(ExamplePrograms.source(name))).hasSizeLessThan(200);
    }

    /** The front page shows all of it. */
    @Test
    void firstIsShort() throws Exception {
        assertThat(Files.readAllLines(ExamplePrograms.source("FirstEndpoint"))).hasSizeLessThan(30);
    }

    /** Over TCP even on a machine with RDMA: no device has this address. */
    @Test
    void firstProgramRunsWithoutAnAdapter() throws Exception {
        try (ExamplePrograms programs = new ExamplePrograms()) {
            assertThat(ExamplePrograms.output(programs.start("FirstEndpoint")))
                    .isEqualTo("TCP: read from the server's memory\nvisitors before: 0\ngoodbye\n");
        }
    }

    /** Over TCP even on a machine with RDMA: no device has this address. */
    @Test
    void oneRunsWithoutAnAdapter() throws Exception {
        try (ExamplePrograms programs = new ExamplePrograms();
                BufferedReader server =
                        programs.start("Anywhere", "server", "127.0.0.1", "0").inputReader()) {
            String port = ExamplePrograms.port(server);
            assertThat(ExamplePrograms.output(programs.start("Anywhere", "client", "127.0.0.1", port)))
                    .startsWith("connected over TCP\nwithout RDMA: ")
                    .endsWith("visitors before: 0\n");
            assertThat(server.readLine()).startsWith("over TCP alone: ");
        }
    }

    @Test
    void everyExampleIsCompiled() throws Exception {
        try (var files = Files.list(ExamplePrograms.source("KeyValue").getParent())) {
            // The tests of gpudirect compile AllReduce, GpuTransfer and LoadTensors, the tests of verbs-ffm/netty
            // compile the Netty examples, and the tests of verbs-ffm/micrometer compile Meters.
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "AllReduce.java",
                            "Anywhere.java",
                            "FirstEndpoint.java",
                            "GpuTransfer.java",
                            "GrpcHello.java",
                            "HttpHello.java",
                            "Http2Hello.java",
                            "KeyValue.java",
                            "LoadTensors.java",
                            "Meters.java",
                            "NettyEcho.java",
                            "Publisher.java",
                            "SendFile.java",
                            "WriteToPeer.java");
        }
    }
}
