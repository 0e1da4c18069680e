// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.CProgram;
import io.github.rdma4j.verbs.cm.CmTestNet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program in C speaks the protocol, with no code of ours: what {@code scripts/bench verbs --sums} compares with. */
@Tag("device")
@Tag("checkout")
class EndpointTwinDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static Path twin;

    @BeforeAll
    static void compile() throws Exception {
        twin = folder.resolve("endpoint-twin");
        Path source = Path.of("benchmarks/src/main/c/endpoint-twin.c");
        String headers = "-I" + source.toAbsolutePath().getParent();
        CProgram.program(twin, Files.readString(source), headers, "-O2", "-lrdmacm", "-libverbs", "-lpthread");
    }

    @ParameterizedTest
    @CsvSource({"1000, 64", "300, 20000", "1000, 0"})
    void eachMessageComesBack(int count, int bytes) throws Exception {
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), config -> config.maxMessageSize(32_768))) {
            Process program = new ProcessBuilder(
                            twin.toString(),
                            "echo",
                            server.address().getAddress().getHostAddress(),
                            Integer.toString(server.address().getPort()),
                            Integer.toString(count),
                            Integer.toString(bytes))
                    .redirectErrorStream(true)
                    .start();
            try (Endpoint endpoint = server.accept(PATIENCE).orElseThrow()) {
                for (int i = 0; i < count; i++) {
                    try (HeldMessage message = endpoint.receiveHeld(PATIENCE).orElseThrow()) {
                        assertThat(message.length()).isEqualTo(bytes);
                        endpoint.send(message.segment(), PATIENCE);
                    }
                }
                // It closes first.
                assertThatThrownBy(() -> endpoint.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
            }
            assertThat(program.inputReader().readAllAsString()).isEqualTo(count + " messages came back\n");
            assertThat(program.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(program.exitValue()).isZero();
        }
    }
}
