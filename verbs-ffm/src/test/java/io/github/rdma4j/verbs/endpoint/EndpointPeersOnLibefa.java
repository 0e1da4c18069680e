// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.ExamplePrograms;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Endpoints over SRD of two processes, of which each has an adapter of its own. */
@Timeout(180)
public class EndpointPeersOnLibefa {
    /** A property: what runs a command on a port of its own. */
    public static final String RUN = "rdma4j.test.efa.run";

    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Starts a program on another port. */
    private static Process start(String program, List<Path> classes, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "sh", System.getProperty(RUN), System.getenv("LD_PRELOAD"), System.getenv("SYSFS_PATH") + "-of-peer"));
        command.addAll(ChildJvm.command(program, List.of(), classes.toArray(Path[]::new)));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("RDMA4J_EFA_LID", "2");
        return builder.start();
    }

    @Test
    void killedPeerIsALostConnection() throws Exception {
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress(HERE, 0))) {
            Process process = start(
                    SilentClient.class.getName(),
                    List.of(),
                    Integer.toString(server.address().getPort()));
            try (Endpoint peer = server.accept(LONG).orElseThrow()) {
                assertThat(peer.transport()).isEqualTo(Transport.RDMA);
                assertThat(peer.receive(LONG)).hasValue("here".getBytes());
                process.destroyForcibly();
                assertThatThrownBy(() -> peer.receive(LONG))
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("its process ended, or it aborted");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void killedPeerDoesNotHarmTheOthersOfItsGroup() throws Exception {
        try (EndpointGroup group = EndpointGroup.open();
                EndpointServer server =
                        EndpointServer.bind(new InetSocketAddress(HERE, 0), config -> config.group(group))) {
            Process process = start(
                    SilentClient.class.getName(),
                    List.of(),
                    Integer.toString(server.address().getPort()));
            try (Endpoint killed = server.accept(LONG).orElseThrow()) {
                CompletableFuture<Endpoint> accepted =
                        CompletableFuture.supplyAsync(() -> server.accept(LONG).orElseThrow());
                try (Endpoint client = Endpoint.connect(server.address(), LONG);
                        Endpoint peer = accepted.join()) {
                    assertThat(group.queues()).isEqualTo(1);
                    assertThat(killed.receive(LONG)).hasValue("here".getBytes());
                    killed.send("answer".getBytes(), LONG);
                    process.destroyForcibly();
                    for (byte i = 0; i < 20; i++) {
                        client.send(new byte[] {i}, LONG);
                        assertThat(peer.receive(LONG)).hasValue(new byte[] {i});
                        peer.send(new byte[] {i}, LONG);
                        assertThat(client.receive(LONG)).hasValue(new byte[] {i});
                    }
                    assertThatThrownBy(() -> killed.receive(LONG)).isInstanceOf(ConnectionLostException.class);
                }
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Says that it is there, and then nothing. */
    static final class SilentClient {
        private SilentClient() {}

        public static void main(String[] arguments) throws InterruptedException {
            Endpoint endpoint = Endpoint.connect(new InetSocketAddress(HERE, Integer.parseInt(arguments[0])), LONG);
            endpoint.send("here".getBytes(), LONG);
            Thread.sleep(Duration.ofMinutes(2));
        }
    }

    /** The program of the examples, as it is for every other adapter. */
    @Test
    void keyValueStoreIsReadByOneSidedReads() throws Exception {
        String address = HERE.getHostAddress();
        Process process = start("KeyValue", List.of(ExamplePrograms.classes("KeyValue")), "server", address, "0");
        try (BufferedReader server = process.inputReader()) {
            String port = ExamplePrograms.port(server);
            ExamplePrograms.run("KeyValue", "put", address, port, "colour", "green");
            assertThat(ExamplePrograms.run("KeyValue", "get", address, port, "colour"))
                    .isEqualTo("green\n");
            assertThat(ExamplePrograms.run("KeyValue", "hammer", address, port, "50"))
                    .contains("50 puts")
                    .contains(" 0 wrong");
            assertThat(server.readLine()).isEqualTo("a client has gone");
        } finally {
            process.destroyForcibly();
        }
    }
}
