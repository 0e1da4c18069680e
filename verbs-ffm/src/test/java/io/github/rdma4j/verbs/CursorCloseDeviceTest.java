// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.PortState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Closes queue pairs while a cursor iterates over their completions. SoftRoCE's library would allow it, but the
 * libraries of adapters hold the queue's lock during the iteration, so a close would never return.
 */
@Tag("device")
@Timeout(600)
class CursorCloseDeviceTest {
    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final ExtendedCompletionQueue queue =
            device.createExtendedCompletionQueue(64, config -> config.channel(device.createCompletionChannel()));
    private final CompletionCursor cursor = queue.cursor();
    private final LoopbackPair pair = new LoopbackPair(domain, queue, device.createCompletionQueue(64));

    @AfterEach
    void close() {
        device.close();
    }

    private void startCursor() {
        pair.receive(7);
        pair.send(7, SendFlags.SIGNALED);
        assertThat(queue.awaitCursor(Duration.ofSeconds(60))).isTrue();
    }

    @Test
    void closeOnOnesOwnWayIsAnExceptionAndTheWayGoesOn() {
        startCursor();
        for (Runnable close : List.<Runnable>of(
                pair.pair::close,
                domain::close,
                () -> pair.pair.modify(attributes -> attributes.state(QueuePairState.RESET)))) {
            assertThatThrownBy(close::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("this thread has started the cursor of " + queue)
                    .hasMessageContaining("Call CompletionCursor.end() first");
        }
        assertThat(pair.pair.isOpen()).isTrue();
        assertThat(cursor.workRequestId()).isEqualTo(7);
        assertThat(cursor.next()).isFalse();
        cursor.end();
        pair.pair.close();
        assertThat(pair.pair.isOpen()).isFalse();
    }

    @Test
    void closeOfTheQueueEndsOnesOwnWay() {
        startCursor();
        queue.close();
        assertThat(pair.pair.isOpen()).isFalse();
        assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
        assertThatCode(cursor::end).doesNotThrowAnyException();
    }

    @Test
    void closeWaitsForTheWayOfAnotherThreadAndHoldsItUpInNothing() throws Exception {
        startCursor();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(pair.pair::close);
        Thread.sleep(200);
        assertThat(closed).isNotDone();
        // A waiting close must not keep the device's lock.
        device.allocateProtectionDomain().close();
        assertThat(device.port(1).state()).isEqualTo(PortState.ACTIVE);
        assertThat(cursor.workRequestId()).isEqualTo(7);
        assertThat(cursor.next()).isFalse();
        cursor.end();
        closed.get(60, TimeUnit.SECONDS);
        assertThat(pair.pair.isOpen()).isFalse();
    }

    @Test
    void wayThatIsNeverEndedMakesTheCloseAnException() {
        startCursor();
        CompletableFuture<Void> closed = CompletableFuture.runAsync(pair.pair::close);
        assertThatThrownBy(() -> closed.get(60, TimeUnit.SECONDS))
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the cursor of " + queue + " has been with " + Thread.currentThread())
                .hasMessageContaining("Have it call CompletionCursor.end()");
        assertThat(pair.pair.isOpen()).isTrue();
        cursor.end();
    }

    @Test
    void pollWaitsWhileAQueuePairIsClosedAndDoesNotSayThatTheQueueIsEmpty() throws Exception {
        pair.receive(7);
        pair.send(7, SendFlags.SIGNALED);
        assertThat(queue.awaitCursor(Duration.ofSeconds(60))).isTrue();
        cursor.end();
        pair.receive(8);
        pair.send(8, SendFlags.SIGNALED);
        assertThat(cursor.pause()).isTrue();
        WorkCompletions completions = WorkCompletions.allocate(1);
        CompletableFuture<Integer> polled =
                CompletableFuture.supplyAsync(() -> queue.awaitCompletions(completions, Duration.ofSeconds(60)));
        Thread.sleep(200);
        assertThat(polled).isNotDone();
        cursor.resume();
        assertThat(polled.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(completions.get(0).workRequestId()).isEqualTo(8);
    }
}
