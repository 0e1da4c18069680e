// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.Mlx5StandIn;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.failover.RoceDialer;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Endpoints on InfiniBand: librdmacm and libmlx5 themselves, on a kernel that seems to have a port with the address
 * 10.77.0.1. A peer that dies is another process, the port with the address 10.77.0.2.
 */
@Timeout(120)
public class EndpointsOnLibmlx5 {
    /** A property: what runs a command on a port of its own. */
    public static final String RUN = "rdma4j.test.mlx5.run";

    /** Eight tries of 4.096 us x 2^12, which count once the peer's process is gone. */
    private static final Consumer<EndpointConfig> ATTENTIVE = config -> config.ackTimeout(12);

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int SIZE = 64;

    @AfterEach
    void close() {
        Mlx5StandIn.set("SUBNET_MANAGER", 1);
        Mlx5StandIn.set("HOP_LIMIT", 0);
        // librdmacm keeps a protection domain while somebody has its list of devices.
        assertThat(Mlx5StandIn.objects()).as("objects that the kernel has left").isLessThanOrEqualTo(1);
    }

    static InetSocketAddress at(int lid, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("10.77.0." + lid), port);
    }

    private static Endpoint accept(EndpointServer server) {
        return server.accept(LONG).orElseThrow();
    }

    private static void talk(Consumer<EndpointConfig> configuration) {
        try (EndpointServer server = EndpointServer.bind(at(1, 0), configuration)) {
            CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(() -> accept(server));
            try (Endpoint client = Endpoint.connect(server.address(), configuration, LONG);
                    Endpoint peer = accepted.join()) {
                client.send("there".getBytes(), LONG);
                assertThat(peer.receive(LONG)).hasValue("there".getBytes());
                peer.send("and back".getBytes(), LONG);
                assertThat(client.receive(LONG)).hasValue("and back".getBytes());
                transfer(client, peer);
                client.close();
                assertThatThrownBy(() -> peer.receive(LONG)).isInstanceOf(ClosedByPeerException.class);
            }
        }
    }

    private static void transfer(Endpoint client, Endpoint peer) {
        try (ExposedMemory shared = peer.expose(SIZE, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
                var local = client.allocateMemory(SIZE)) {
            MemoryHandle there = shared.handle();
            local.segment().setString(8, "written");
            client.transfers().write(local.slice(), there, LONG);
            assertThat(shared.segment().getString(8)).isEqualTo("written");
            shared.segment().setString(8, "to be read");
            client.transfers().read(local.slice(), there, LONG);
            assertThat(local.segment().getString(8)).isEqualTo("to be read");
            assertThat(client.transfers().fetchAndAdd(there.slice(0, 8), 3, LONG))
                    .isZero();
            assertThat(shared.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3);
        }
    }

    @Test
    void messagesAndTransfersGoByLids() {
        talk(config -> {});
    }

    @Test
    void theyGoThroughARouterWithAGlobalRoute() {
        Mlx5StandIn.set("HOP_LIMIT", 64);
        talk(config -> config.integrity(true));
    }

    @Test
    void serverAtTheWildcardAddressIsFound() {
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress(0))) {
            CompletableFuture<Endpoint> accepted = CompletableFuture.supplyAsync(() -> accept(server));
            try (Endpoint client = Endpoint.connect(at(1, server.address().getPort()), LONG);
                    Endpoint peer = accepted.join()) {
                client.send("there".getBytes(), LONG);
                assertThat(peer.receive(LONG)).hasValue("there".getBytes());
            }
        }
    }

    @Test
    void severalConnectionsAreServedByOneThread() {
        List<Endpoint> clients = new ArrayList<>();
        List<Endpoint> peers = new ArrayList<>();
        try (EndpointServer server = EndpointServer.bind(at(1, 0));
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(
                    server,
                    ready -> ready.accept(Duration.ZERO).ifPresent(peer -> {
                        peers.add(peer);
                        selector.add(peer, from -> from.poll(message -> from.trySend(message.segment())));
                    }));
            CompletableFuture<Void> answered = CompletableFuture.runAsync(() -> {
                for (byte i = 0; i < 5; i++) {
                    clients.add(Endpoint.connect(server.address(), LONG));
                    clients.get(i).send(new byte[] {i}, LONG);
                }
                for (byte i = 0; i < 5; i++) {
                    assertThat(clients.get(i).receive(LONG)).hasValue(new byte[] {i});
                }
            });
            while (!answered.isDone()) {
                selector.select(Duration.ofMillis(20));
            }
            answered.join();
        } finally {
            clients.forEach(Endpoint::abort);
            peers.forEach(Endpoint::abort);
        }
    }

    /** No kernel reports the end of its connections, as when a machine is switched off. */
    @Test
    void peerThatIsSwitchedOffIsALostConnection() throws Exception {
        try (EndpointServer server = EndpointServer.bind(at(1, 0), ATTENTIVE)) {
            List<String> command = new ArrayList<>(List.of(
                    "sh",
                    System.getProperty(RUN),
                    System.getenv("LD_PRELOAD"),
                    System.getenv("SYSFS_PATH") + "-of-peer"));
            command.addAll(ChildJvm.command(SilentClient.class.getName(), List.of()));
            command.add(Integer.toString(server.address().getPort()));
            ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            builder.environment().put("RDMA4J_MLX5_LID", "2");
            Process process = builder.start();
            try (Endpoint peer = server.accept(Duration.ofMinutes(1)).orElseThrow()) {
                assertThat(peer.receive(LONG)).hasValue("here".getBytes());
                process.destroyForcibly();
                process.waitFor();
                assertThatThrownBy(() -> {
                            peer.send("to nobody".getBytes(), LONG);
                            peer.receive(LONG);
                        })
                        .isInstanceOf(ConnectionLostException.class);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Announces itself and then stays silent. */
    static final class SilentClient {
        private SilentClient() {}

        public static void main(String[] arguments) throws InterruptedException {
            Endpoint endpoint = Endpoint.connect(at(1, Integer.parseInt(arguments[0])), ATTENTIVE, LONG);
            endpoint.send("here".getBytes(), LONG);
            Thread.sleep(Duration.ofMinutes(2));
        }
    }

    @Test
    void subnetManagerThatDoesNotAnswerIsNamed() {
        Mlx5StandIn.set("SUBNET_MANAGER", 0);
        try (EndpointServer server = EndpointServer.bind(at(1, 0))) {
            assertThatThrownBy(() -> Endpoint.connect(server.address(), Duration.ofMillis(300)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("the subnet administrator did not answer")
                    .hasMessageContaining("A subnet manager must run");
        }
    }

    /** RDMA_WITH_FAILOVER needs the IP address of a RoCE GID for its moves, and no port here has one. */
    @Test
    void movingToTcpAndBackIsForRoce() {
        assertThatThrownBy(() -> RoceDialer.at(at(1, 0)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("mlx5_0 is InfiniBand")
                .hasMessageContaining("RDMA_OR_TCP");
    }

    @Test
    void connectFailsWithoutAListener() {
        assertThatThrownBy(() -> Endpoint.connect(at(1, 4711), LONG))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("nobody listens for RDMA at this address and port");
    }
}
