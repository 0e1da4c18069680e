// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Asynchronous events: what they name, and that none of them keeps an object from being closed. */
@Tag("device")
@Timeout(600)
class AsyncEventDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionQueue queue = device.createCompletionQueue(64);
    private final CompletionQueue peerQueue = device.createCompletionQueue(64);

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void quietDeviceHasNoEvents() {
        assertThat(device.nextAsyncEvent(Duration.ZERO)).isEmpty();
        assertThat(device.nextAsyncEvent(Duration.ofMillis(5))).isEmpty();
    }

    @Test
    void drainedSendQueueIsReportedWithItsQueuePair() {
        LoopbackPair pair = new LoopbackPair(domain, queue, peerQueue);
        pair.pair.modify(config -> config.state(QueuePairState.SQD).notifySendQueueDrained(true));
        AsyncEvent event = device.nextAsyncEvent(LONG).orElseThrow();
        assertThat(event.type()).isEqualTo(AsyncEventType.SQ_DRAINED);
        assertThat(event.resource()).contains(pair.pair);
        assertThat(event.port()).isEmpty();
        pair.pair.close();
    }

    @Test
    void typesThatThisLibraryDoesNotKnowKeepTheirNumber() {
        assertThat(AsyncEventType.ofCode(999)).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(AsyncEventType.ofCode(-1)).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(AsyncEventType.ofCode(20)).isEqualTo(AsyncEventType.DEVICE_SPEED_CHANGE);
        // The kernel leaves its port 0: it is no port's number.
        assertThat(AsyncEventType.DEVICE_SPEED_CHANGE.subject()).isEqualTo(AsyncEventType.Subject.DEVICE);
        assertThat(new AsyncEvent(AsyncEventType.UNKNOWN, 999, Optional.empty(), OptionalInt.empty()))
                .hasToString("event 999");
    }

    @Test
    @Tag("changes-machine")
    void portThatGoesDownAndComesUpAgainIsReported() throws Exception {
        var link = new TestLink(device.device());
        link.down();
        try {
            assertThat(awaitPortEvent(AsyncEventType.PORT_ERR).port()).hasValue(1);
        } finally {
            link.up();
        }
        AsyncEvent active = awaitPortEvent(AsyncEventType.PORT_ACTIVE);
        assertThat(active.resource()).isEmpty();
        assertThat(active.toString()).isEqualTo("PORT_ACTIVE of port 1");
        link.awaitSameTable();
    }

    /** Others (GID_CHANGE) may come before it. */
    private AsyncEvent awaitPortEvent(AsyncEventType type) {
        List<AsyncEvent> seen = new ArrayList<>();
        while (true) {
            AsyncEvent event = device.nextAsyncEvent(LONG)
                    .orElseThrow(() -> new AssertionError("no %s, but %s".formatted(type, seen)));
            if (event.type() == type) {
                return event;
            }
            seen.add(event);
        }
    }
}
