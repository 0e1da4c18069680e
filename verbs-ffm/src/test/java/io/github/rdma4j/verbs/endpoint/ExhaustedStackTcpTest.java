// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends with so little stack left that it really overflows, at some depth of the call. */
class ExhaustedStackTcpTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int STACK = 256 << 10;

    private final MemorySegment message = MemorySegment.ofArray(new byte[] {1});
    private int overflows;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50, 80, 120})
    void endpointRemainsUsableOrIsLostByTheError(int framesAboveEnd) throws Exception {
        try (TcpPair pair = new TcpPair(config -> config.spinLimit(Duration.ZERO))) {
            Thread peer = new Thread(() -> receiveForEver(pair.right));
            peer.setDaemon(true);
            peer.start();
            Thread deep = new Thread(null, () -> sendNearEnd(pair.left, framesAboveEnd), "deep", STACK);
            deep.start();
            deep.join();
            assertThat(overflows).isPositive();
            CompletableFuture<Throwable> next = new CompletableFuture<>();
            Thread other = new Thread(() -> next.complete(send(pair.left)));
            other.setDaemon(true);
            other.start();
            Throwable failure = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            if (failure != null) {
                assertThat(failure).isInstanceOf(ConnectionLostException.class).hasCauseInstanceOf(Error.class);
            }
        }
    }

    private Throwable send(Endpoint endpoint) {
        try {
            return endpoint.send(message, PATIENCE) ? null : new AssertionError("no credit");
        } catch (Throwable e) {
            return e;
        }
    }

    private static void receiveForEver(Endpoint endpoint) {
        try {
            while (true) {
                endpoint.receive(got -> {}, PATIENCE);
            }
        } catch (RuntimeException e) {
            // The pair was closed.
        }
    }

    /** Fills the stack, and tries to send from each of the last frames; how many of these are left. */
    private int sendNearEnd(Endpoint endpoint, int frames) {
        int left;
        try {
            left = sendNearEnd(endpoint, frames);
        } catch (StackOverflowError e) {
            return frames;
        }
        if (left > 0) {
            try {
                endpoint.trySend(message);
            } catch (StackOverflowError e) {
                overflows++;
            } catch (ConnectionLostException e) {
                return 0;
            }
        }
        return Math.max(0, left - 1);
    }
}
