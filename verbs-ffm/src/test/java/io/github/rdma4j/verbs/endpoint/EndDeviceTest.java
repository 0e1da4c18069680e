// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.WaitingThread;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link EndContract} on a device, and ends of a connection that only an adapter can cause. */
@Tag("device")
@Tag("parallel")
class EndDeviceTest extends EndContract {
    private EndpointPair devices;

    @Override
    Ends pair(Consumer<EndpointConfig> both) {
        devices = new EndpointPair(both);
        return devices;
    }

    @Test
    void queuePairThatFailsIsALostConnectionAndNoClose() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(devices.left.send(MESSAGE, PATIENCE)).isTrue();
            assertThat(devices.right.receive(PATIENCE)).isPresent();
        }
        WaitingThread waiting = WaitingThread.in(false, () -> devices.right.receive(PATIENCE));
        devices.rightLink.queuePair().toError();
        assertThat(waiting.end()).isInstanceOf(ConnectionLostException.class).hasMessageContaining("flushed");
        assertThatThrownBy(() -> devices.right.poll(message -> {})).isInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> devices.right.trySend(MESSAGE)).isInstanceOf(ConnectionLostException.class);
        assertThatThrownBy(() -> devices.right.sendAsync(MESSAGE).join())
                .hasCauseInstanceOf(ConnectionLostException.class);
    }

    @Test
    void disconnectEventEndsWaitsAndTransfers() {
        ExposedMemory exposed = devices.left.expose(64, REMOTE_READ);
        CompletableFuture<byte[]> requested = devices.right.receiveAsync();
        devices.rightLink.lost = "the cable was cut";
        assertThatThrownBy(() -> {
                    while (true) {
                        devices.right.poll(message -> {});
                    }
                })
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("the cable was cut")
                .hasMessageContaining("Connect again");
        assertThatThrownBy(requested::join).hasCauseInstanceOf(ConnectionLostException.class);
        assertThat(exposed.handle().length()).isEqualTo(64);
    }

    /** SoftRoCE tries for ever to reach a queue pair that does not answer, so this is a wire that loses everything. */
    @Test
    @Tag("waiting")
    void peerThatAcknowledgesNothingIsReportedToSendersAndToThoseWhoOnlyWait() throws Exception {
        try (EndpointPair silent = new EndpointPair(config -> config.silenceTimeout(Duration.ofSeconds(4)));
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            // As long as the peer's adapter answers, its program may be silent for long.
            assertThat(silent.left.receive(Duration.ofSeconds(6))).isEmpty();
            assertThat(silent.left.send(MESSAGE, PATIENCE)).isTrue();
            silent.rightLink.queuePair().toError();
            Future<?> waiting = executor.submit(() -> silent.left.receive(PATIENCE));
            assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("silenceTimeout")
                    .hasMessageContaining("Connect again");
            assertThatThrownBy(() -> silent.left.trySend(MESSAGE)).isInstanceOf(ConnectionLostException.class);
        }
        try (EndpointPair silent = new EndpointPair(config -> config.silenceTimeout(Duration.ofSeconds(2)))) {
            silent.rightLink.queuePair().toError();
            assertThatThrownBy(() -> silent.left.sendAsync(MESSAGE).get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("silenceTimeout");
        }
    }

    @Test
    void peerThatWritesWithAnImmediateValueDoesNotKeepToTheProtocol() {
        ExposedMemory exposed = devices.right.expose(4096, REMOTE_WRITE);
        MemorySlice local = devices.left.allocateMemory(4096).slice();
        assertThat(devices.left.send(MESSAGE, PATIENCE)).isTrue();
        boolean posted = devices.leftLink
                .queuePair()
                .tryPostWriteWithImmediate(
                        Protocol.PROBE, local, exposed.handle().memory(), Frame.of(Frame.MESSAGE, 0), SIGNALED);
        assertThat(posted).isTrue();
        assertThat(devices.right.receive(PATIENCE)).isPresent();
        assertThatThrownBy(() -> devices.right.receive(PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("does not keep to the endpoint protocol");
    }
}
