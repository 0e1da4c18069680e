// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link EndContract} over TCP, and tests of the parts where the peer's kernel acts instead of an adapter. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndTcpTest extends EndContract {
    @Override
    Ends pair(Consumer<EndpointConfig> both) {
        return new TcpPair(both);
    }

    @Test
    void abortIsALostConnectionAfterWhatHadArrived() {
        assertThat(pair.left().send(MESSAGE, PATIENCE)).isTrue();
        pair.left().abort();
        assertThat(pair.right().receive(PATIENCE)).isPresent();
        assertThatThrownBy(() -> pair.right().receive(PATIENCE))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("without closing its endpoint");
    }

    /** The end comes after the bytes of a message, and one poll finds both. */
    @Test
    void pollSeesAnAbortAfterAMessage() throws Exception {
        assertThat(pair.right().isConnected()).isTrue();
        int local = pair.right().localAddress().orElseThrow().getPort();
        int peer = pair.right().peerAddress().orElseThrow().getPort();
        assertThat(isEstablished(local, peer)).isTrue();
        assertThat(pair.left().send(MESSAGE, PATIENCE)).isTrue();
        pair.left().abort();
        // The end is on its way, be it in one machine.
        long start = System.nanoTime();
        while (isEstablished(local, peer) && System.nanoTime() - start < PATIENCE.toNanos()) {
            Thread.sleep(1);
        }
        assertThat(pair.right().isConnected()).isFalse();
        assertThat(pair.right().receive(PATIENCE)).isPresent();
    }

    /** Whether the kernel has not received the end of that connection yet. */
    private static boolean isEstablished(int local, int peer) throws IOException {
        String line = " *\\d+: \\p{XDigit}+:%04X \\p{XDigit}+:%04X 01 .*".formatted(local, peer);
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            if (Files.exists(Path.of(table))
                    && Files.readAllLines(Path.of(table)).stream().anyMatch(each -> each.matches(line))) {
                return true;
            }
        }
        return false;
    }

    /** As with an adapter: nobody is inside the right endpoint, and its kernel has the message. */
    @Test
    void peerWhoseProgramCallsNothingHoldsUpNeitherAFutureNorAClose() {
        pair.left().sendAsync(MESSAGE).join();
        long start = System.nanoTime();
        pair.left().close(PATIENCE);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
        assertThat(pair.right().receive(PATIENCE)).isPresent();
        assertThat(pair.right().poll(message -> {})).isEqualTo(Endpoint.CLOSED_BY_PEER);
    }

    /** With unread data, this side's kernel ends the connection with a reset. */
    @Test
    void closeBeforeEverythingIsReadTakesNothingFromThePeer() {
        for (int i = 0; i < 4; i++) {
            assertThat(pair.right().send(MESSAGE, PATIENCE)).isTrue();
            assertThat(pair.left().send(MESSAGE, PATIENCE)).isTrue();
        }
        pair.left().close();
        for (int i = 0; i < 4; i++) {
            assertThat(pair.right().receive(PATIENCE)).isPresent();
        }
        assertThat(pair.right().poll(message -> {})).isEqualTo(Endpoint.CLOSED_BY_PEER);
    }

    @Test
    void silenceMayBeAsLongAsADurationIs() {
        try (Ends patient = pair(config -> config.silenceTimeout(Duration.ofSeconds(Long.MAX_VALUE)))) {
            CompletableFuture<Void> sent = patient.left().sendAsync(MESSAGE);
            assertThat(patient.right().receive(PATIENCE)).isPresent();
            sent.join();
        }
    }

    @Test
    void peerWhoseProgramCallsNothingIsNotDead() {
        try (Ends silent = pair(config -> config.silenceTimeout(Duration.ofMillis(200)))) {
            CompletableFuture<Void> sent = silent.left().sendAsync(MESSAGE);
            MemoryHandle memory = silent.right().expose(8, REMOTE_READ).handle();
            CompletableFuture<Long> read = silent.left().transfers().getLongAsync(memory, 0);
            assertThat(silent.left().receive(Duration.ofMillis(900))).isEmpty();
            assertThat(sent).isCompleted();
            assertThat(read).isNotDone();
            assertThat(silent.left().isConnected()).isTrue();
        }
    }
}
