// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.cm.CmTestNet;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link EndpointSelectorContract} on a device, and tests that depend on its events. */
@Tag("device")
@Tag("parallel")
class EndpointSelectorDeviceTest extends EndpointSelectorContract {
    @Override
    Ends pair(Consumer<EndpointConfig> both) {
        return new EndpointPair(both);
    }

    @Override
    EndpointServer bind() {
        return EndpointServer.bind(CmTestNet.ipv4());
    }

    @Override
    Endpoint connect(InetSocketAddress server) {
        return Endpoint.connect(server, PATIENCE);
    }

    /** Each event costs some system calls, a thread of the kernel's on SoftRoCE, and whoever sleeps a wake-up. */
    @Test
    void sendMakesNoEventAndAnswerMakesOne() {
        try (EndpointPair pair = new EndpointPair(config -> {});
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            AtomicInteger got = new AtomicInteger();
            selector.add(pair.left, ready -> ready.poll(message -> got.incrementAndGet()));
            for (int i = 0; i < 10; i++) {
                assertThat(selector.select(SHORT)).isZero();
                assertThat(pair.left.trySend(number(i))).isEqualTo(Endpoint.OK);
                assertThat(pair.leftLink.channel().nextEvent(SHORT)).isEmpty();
                assertThat(pair.right.receive(PATIENCE)).isPresent();
                assertThat(pair.right.trySend(number(i))).isEqualTo(Endpoint.OK);
                assertThat(selector.select(PATIENCE)).isEqualTo(1);
                assertThat(pair.leftLink.channel().nextEvent(SHORT)).isEmpty();
            }
            assertThat(got).hasValue(10);
        }
    }

    @Test
    void transferIsReadyWhenItIsDone() {
        try (EndpointPair pair = new EndpointPair(config -> {});
                EndpointSelector selector = EndpointSelector.open()) {
            ExposedMemory exposed = pair.right.expose(64, REMOTE_READ);
            exposed.segment().set(ValueLayout.JAVA_LONG, 0, 42);
            var local = pair.left.allocateMemory(64);
            AtomicInteger done = new AtomicInteger();
            selector.add(
                    pair.left,
                    ready -> ready.transfers().pollTransfers((id, original, failure) -> {
                        assertThat(failure).isNull();
                        done.addAndGet((int) id);
                    }));
            assertThat(pair.left.transfers().tryRead(7, local.slice(), exposed.handle()))
                    .isEqualTo(Endpoint.OK);
            assertThat(selector.select(PATIENCE)).isEqualTo(1);
            assertThat(done).hasValue(7);
            assertThat(local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        }
    }

    @Test
    @Tag("waiting")
    void selectDetectsADeadWire() {
        try (EndpointPair pair = new EndpointPair(config -> config.silenceTimeout(Duration.ofSeconds(4)));
                EndpointSelector selector = EndpointSelector.open()) {
            selector.add(pair.left, ready -> ready.poll(message -> {}));
            // As long as the peer's adapter answers, its program may be silent.
            long start = System.nanoTime();
            while (System.nanoTime() - start < Duration.ofSeconds(5).toNanos()) {
                assertThat(selector.select(Duration.ofSeconds(1))).isZero();
            }
            pair.rightLink.queuePair().close();
            assertThatThrownBy(() -> selector.select(PATIENCE))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("silenceTimeout");
        }
    }

    @Test
    void clientsThatSayNothingAreForgotten() throws Exception {
        try (EndpointServer server = EndpointServer.bind(
                        CmTestNet.ipv4(), config -> config.handshakeTimeout(Duration.ofSeconds(1)));
                EndpointSelector selector = EndpointSelector.open()) {
            AtomicInteger accepted = new AtomicInteger();
            selector.add(
                    server,
                    ready -> ready.accept(Duration.ZERO).ifPresent(client -> {
                        accepted.incrementAndGet();
                        client.close();
                    }));
            try (RawClient silent =
                    new RawClient(TestSettings.of(config -> {}).hello().toBytes())) {
                silent.ask(server.address());
                long start = System.nanoTime();
                while (server.counters().gaveUp() == 0 && System.nanoTime() - start < PATIENCE.toNanos()) {
                    selector.select(Duration.ofMillis(100));
                }
                assertThat(server.counters()).isEqualTo(new ServerCounters(0, 0, 0, 1));
                assertThat(server.acceptor().awaitsTime()).isFalse();
                assertThat(accepted).hasValue(0);
            }
        }
    }
}
