// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.device.TransportType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests behaviour that differs on iWARP. Tests tagged "iwarp" in other classes cover the rest. */
@Tag("device")
@Tag("iwarp-only")
class IwarpDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofMinutes(5);

    @Test
    void deviceReportsIwarp() {
        try (EndpointPair pair = new EndpointPair(config -> {})) {
            assertThat(pair.device.device().transportType()).isEqualTo(TransportType.IWARP);
            assertThat(pair.device.device().nodeType()).isEqualTo(NodeType.RNIC);
        }
    }

    @Test
    void framesLieBehindMessagesOfEachLength() {
        try (EndpointPair pair =
                new EndpointPair(config -> config.maxMessageSize(200).maxInlineData(0))) {
            for (int length = 0; length <= 200; length++) {
                byte[] message = new byte[length];
                Arrays.fill(message, (byte) (length + 1));
                assertThat(pair.left.send(MemorySegment.ofArray(message), PATIENCE))
                        .isTrue();
                assertThat(pair.right.receive(PATIENCE)).hasValue(message);
                assertThat(pair.right.send(MemorySegment.ofArray(message), PATIENCE))
                        .isTrue();
                assertThat(pair.left.receive(PATIENCE)).hasValue(message);
            }
            pair.left.close();
            assertThatThrownBy(() -> pair.right.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
        }
    }

    /** It ends when TCP has it: the peer's adapter refuses it later. */
    @Test
    void writeWithoutTheRightMayEndWellAndChangesNothing() {
        try (EndpointPair pair = new EndpointPair(config -> {});
                MemoryRegion local = pair.left.protectionDomain().allocateMemory(64, LOCAL_WRITE)) {
            local.segment().fill((byte) 7);
            ExposedMemory readOnly = pair.right.expose(64, REMOTE_READ);
            MemoryHandle forged = new MemoryHandle(readOnly.handle().memory(), Set.of(REMOTE_WRITE));
            try {
                pair.left.transfers().write(local.slice(0, 8), forged, PATIENCE);
            } catch (TransferException | ConnectionLostException e) {
                assertThat(e).hasMessageContaining("connection");
            }
            assertThatThrownBy(() -> pair.left.receive(PATIENCE)).isInstanceOf(ConnectionLostException.class);
            assertThatThrownBy(() -> pair.right.receive(PATIENCE)).isInstanceOf(ConnectionLostException.class);
            assertThat(readOnly.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        }
    }

    /** It has the ports of TCP, where the server's socket is the first. */
    @Test
    void serverOverBothHasClientsOverTcpAlone() {
        Consumer<EndpointConfig> both =
                config -> config.transport(Transport.RDMA_OR_TCP).rdmaTimeout(LONG);
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), both)) {
            assertThat(server.rdmaFailure().orElseThrow())
                    .hasMessageContaining("EADDRINUSE")
                    .hasMessageContaining("on iWARP, TCP sockets also use ports");
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            long start = System.nanoTime();
            try (Endpoint client = Endpoint.connect(server.address(), both, LONG);
                    Endpoint atServer = accepted.join()) {
                // The server refuses the data of an iWARP client at once, or RDMA would take half of the timeout.
                assertThat(System.nanoTime() - start)
                        .isLessThan(LONG.dividedBy(3).toNanos());
                assertThat(client.transport()).isEqualTo(atServer.transport()).isEqualTo(Transport.TCP);
                assertThat(client.rdmaFailure()).isPresent();
                assertThat(client.send(new byte[] {3}, PATIENCE)).isTrue();
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[] {3});
            }
        }
    }

    @Test
    void atomicOperationsAreRefusedWithTheReason() {
        try (EndpointPair pair = new EndpointPair(config -> {})) {
            MemoryHandle handle = pair.right
                    .expose(64, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC)
                    .handle();
            assertThatThrownBy(() -> pair.left.transfers().fetchAndAdd(handle.slice(0, 8), 1, PATIENCE))
                    .hasMessageContaining("iWARP has no atomic operations");
        }
    }
}
