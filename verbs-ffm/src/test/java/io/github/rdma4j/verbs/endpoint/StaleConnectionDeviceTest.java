// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.RejectReason;
import io.github.rdma4j.verbs.cm.StaleNumbers;
import io.github.rdma4j.verbs.cm.SynchronousId;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The peer's kernel still has a connection of the same queue pair number. */
@Tag("device")
class StaleConnectionDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static void assertStale(ThrowingCallable connect) {
        assertThatThrownBy(connect)
                .isInstanceOfSatisfying(
                        ConnectionRejectedException.class,
                        rejected -> assertThat(rejected.reason()).isEqualTo(RejectReason.STALE_CONNECTION))
                .hasMessageContaining("STALE_CONNECTION (reason 10): the peer still has an older connection of this"
                        + " queue pair number")
                .hasMessageContaining("Connect again, which takes another queue pair")
                .hasMessageNotContaining("listens");
    }

    @Test
    void rdmaCmReportsTheReason() {
        try (SynchronousId listener = SynchronousId.create(PortSpace.TCP);
                SynchronousId first = SynchronousId.create(PortSpace.TCP);
                SynchronousId second = SynchronousId.create(PortSpace.TCP)) {
            listener.listen(CmTestNet.ipv4(), 2);
            InetSocketAddress address = listener.id().localAddress().orElseThrow();
            first.resolve(address, PATIENCE);
            first.id().connect(config -> config.queuePairNumber(0x7ffff1));
            try (SynchronousId request = listener.getRequest(PATIENCE).orElseThrow()) {
                assertThat(request.isOpen()).isTrue();
                second.resolve(address, PATIENCE);
                assertStale(() -> second.connect(config -> config.queuePairNumber(0x7ffff1), PATIENCE));
            }
        }
    }

    @Test
    void endpointReportsTheReason() {
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            try (StaleNumbers numbers = new StaleNumbers()) {
                assertThat(numbers).isNotNull();
                assertStale(() -> Endpoint.connect(server.address(), PATIENCE));
            }
        }
    }
}
