// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link ReconnectorContract} over RDMA. */
@Tag("device")
@Tag("iwarp")
class ReconnectorDeviceTest extends ReconnectorContract {
    @Override
    InetSocketAddress anyPort() {
        return CmTestNet.ipv4();
    }

    @Override
    Transport transport() {
        return Transport.RDMA;
    }

    /** Its group's device does not answer; the new connection is made without. */
    @Test
    void lostEndpointThatCannotBeClosedCostsNoNewConnection() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        BlockingQueue<Endpoint> accepted = new LinkedBlockingQueue<>();
        Thread accepting = Thread.ofPlatform().start(() -> {
            try {
                while (true) {
                    server.accept(PATIENCE).ifPresent(accepted::add);
                }
            } catch (IllegalStateException e) {
                // The test is over.
            }
        });
        try (EndpointGroup group = EndpointGroup.open()) {
            Reconnector reconnector = Reconnector.open(address, config -> {
                if (attempts.getAndIncrement() == 0) {
                    config.group(group);
                }
            });
            Endpoint first = reconnector.endpoint(PATIENCE);
            SharedQueues queues = group.on(first.protectionDomain().context());
            try (BrokenDescriptor broken = BrokenDescriptor.of(queues.events())) {
                accepted.take().abort();
                assertThatThrownBy(() -> first.receive(PATIENCE)).isInstanceOf(VerbsException.class);
                Endpoint second = reconnector.endpoint(PATIENCE);
                assertThat(attempts).hasValue(2);
                assertThat(second.send(new byte[1], PATIENCE)).isTrue();
                Endpoint atServer = accepted.take();
                assertThat(atServer.receive(PATIENCE)).isPresent();
                assertThatThrownBy(reconnector::close).hasMessageContaining("EBADF");
                assertThat(second.isOpen()).isFalse();
                atServer.abort();
            }
            assertThat(queues.events().ids()).hasSize(1);
            reconnector.close();
            assertThat(queues.events().ids()).isEmpty();
            assertThat(group.size()).isZero();
        } finally {
            server.close();
            accepting.join();
        }
    }
}
