// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.device.TransportType;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link GrantsContract} on a device: by windows, where it has them. */
@Tag("device")
class GrantsDeviceTest extends GrantsContract {
    @Override
    InetSocketAddress address() {
        return CmTestNet.ipv4();
    }

    @Override
    void configure(EndpointConfig config) {
        config.receiveBuffers(4).sendDepth(4).ackTimeout(19);
    }

    @Override
    boolean isExclusive() {
        return !isIwarp();
    }

    @Override
    boolean isIwarp() {
        return TestDevice.first().transportType() == TransportType.IWARP;
    }

    /** With a full send queue, and behind a message that waits for a credit. */
    @Test
    void windowIsBoundInItsTurnOrNotAtAll() throws Exception {
        try (EndpointPair pair =
                        new EndpointPair(config -> config.receiveBuffers(1).sendDepth(2));
                MemoryRegion memory = pair.domain.allocateMemory(4096, LOCAL_WRITE, MW_BIND)) {
            var first = pair.left.sendAsync(MemorySegment.ofArray(new byte[] {1}));
            var second = pair.left.sendAsync(MemorySegment.ofArray(new byte[] {2}));
            assertThatThrownBy(() -> pair.left.grant(memory.slice(), Duration.ofMillis(50), REMOTE_READ))
                    .isInstanceOf(TransferTimeoutException.class)
                    .hasMessageContaining("binding a memory window over");
            assertThat(pair.domain.isOpen()).isTrue();
            assertThat(pair.right.receive(PATIENCE)).hasValue(new byte[] {1});
            first.get();
            try (GrantedMemory granted = pair.left.grant(memory.slice(), PATIENCE, REMOTE_READ, REMOTE_WRITE)) {
                second.get();
                pair.right.transfers().putLong(granted.handle(), 8, 77, PATIENCE);
                assertThat(pair.right.transfers().getLong(granted.handle(), 8, PATIENCE))
                        .isEqualTo(77);
            }
            assertThat(pair.right.receive(PATIENCE)).hasValue(new byte[] {2});
        }
    }

    @Test
    void endpointOfAGroupAndOneThatMovesGiveMemoryToo() {
        try (EndpointGroup group = EndpointGroup.open(2)) {
            for (Transport transport : new Transport[] {Transport.RDMA, Transport.RDMA_WITH_FAILOVER}) {
                boolean moves = transport != Transport.RDMA;
                try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), config -> {
                    configure(config.transport(transport));
                    if (!moves) {
                        config.group(group);
                    }
                })) {
                    var accepted = CompletableFuture.supplyAsync(
                            () -> server.accept(PATIENCE).orElseThrow());
                    try (Endpoint client = Endpoint.connect(
                                    server.address(), config -> configure(config.transport(transport)), PATIENCE);
                            Endpoint atServer = accepted.join()) {
                        EndpointPair.awaitRdma(client, atServer);
                        Thread.ofVirtual().start(atServer::progressLoop);
                        try (GrantedMemory granted = atServer.grant(64, PATIENCE, REMOTE_READ, REMOTE_WRITE)) {
                            client.transfers().putLong(granted.handle(), 0, 9, PATIENCE);
                            assertThat(client.transfers().getLong(granted.handle(), 0, PATIENCE))
                                    .isEqualTo(9);
                            assertThat(granted.isExclusive()).isEqualTo(!moves && isExclusive());
                            assertThat(granted.whyNotExclusive().orElse("moves"))
                                    .contains(isExclusive() ? "move" : "no memory windows");
                        }
                    }
                }
            }
        }
    }
}
