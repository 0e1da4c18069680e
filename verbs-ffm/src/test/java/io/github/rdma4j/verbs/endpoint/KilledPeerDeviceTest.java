// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.cm.CmTestNet;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client in a separate process, which is killed. */
@Tag("device")
class KilledPeerDeviceTest {
    /** A process that starts and loads its classes on an emulated processor takes its time. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final Consumer<EndpointConfig> SMALL =
            config -> config.receiveBuffers(4).sendDepth(4).ackTimeout(19);

    @Test
    void peerWhoseProcessIsKilledIsALostConnection() throws Exception {
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), SMALL)) {
            List<String> command = ChildJvm.command(SilentClient.class.getName(), List.of());
            command.add(server.address().getHostString());
            command.add(Integer.toString(server.address().getPort()));
            Process process = new ProcessBuilder(command).inheritIO().start();
            try (Endpoint atServer = server.accept(PATIENCE).orElseThrow()) {
                assertThat(atServer.receive(PATIENCE)).isPresent();
                CompletableFuture<byte[]> requested = atServer.receiveAsync();
                process.destroyForcibly();
                assertThatThrownBy(() -> atServer.receive(PATIENCE)).isInstanceOf(ConnectionLostException.class);
                assertThatThrownBy(requested::join).hasCauseInstanceOf(ConnectionLostException.class);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Announces itself and then stays silent. */
    static final class SilentClient {
        private SilentClient() {}

        public static void main(String[] arguments) throws Exception {
            InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
            Endpoint endpoint = Endpoint.connect(server, SMALL, PATIENCE);
            endpoint.send(MemorySegment.ofArray("here".getBytes()), PATIENCE);
            Thread.sleep(PATIENCE);
        }
    }
}
