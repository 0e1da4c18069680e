// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.WaitingThread;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When an id with an unfetched event moves to another channel, every kind of wait on that channel gets the event. */
@Tag("device")
@Timeout(600)
class MigrationDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final EventChannel from = EventChannel.create();
    private final EventChannel to = EventChannel.create();
    private ConnectionId id;

    /** An id with an event that is there and not fetched. */
    @BeforeEach
    void resolve() {
        id = from.createId(PortSpace.TCP);
        id.resolveAddress(CmTestNet.withPort(CmTestNet.ipv4(), 7471), Duration.ofSeconds(10));
        try (EventPoller poller = EventPoller.open()) {
            poller.add(from);
            assertThat(poller.select(LONG, source -> {})).isEqualTo(1);
        }
    }

    @AfterEach
    void close() {
        from.close();
        to.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threadThatWaitsForAnEventOfTheTargetGetsIt(boolean virtual) throws Exception {
        AtomicReference<CmEvent> event = new AtomicReference<>();
        WaitingThread waiting =
                WaitingThread.in(virtual, () -> event.set(to.nextEvent(LONG).orElseThrow()));
        id.migrate(to);
        assertThat(waiting.end()).isNull();
        assertThat(event.get().type()).isEqualTo(CmEventType.ADDR_RESOLVED);
        assertThat(event.get().id()).isSameAs(id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pollerOfTheTargetFindsItReady(boolean virtual) throws Exception {
        try (EventPoller poller = EventPoller.open()) {
            poller.add(to);
            AtomicInteger selected = new AtomicInteger();
            WaitingThread waiting = WaitingThread.in(virtual, () -> selected.set(poller.select(LONG, source -> {})));
            id.migrate(to);
            assertThat(waiting.end()).isNull();
            assertThat(selected).hasValue(1);
            assertThat(to.poll()).isPresent();
        }
    }

    /** The last step of a migrate, when another thread has closed the target meanwhile, and the id with it. */
    @Test
    void idMovedToAClosedChannelNotifiesNoChannel() {
        try (EventPoller poller = EventPoller.open()) {
            poller.add(from);
            id.migrate(to);
            to.close();
            to.announce();
            assertThat(id.isOpen()).isFalse();
        }
    }

    @Test
    void synchronousIdDoesNotMoveToItsOwnChannel() {
        try (SynchronousId synchronous = SynchronousId.create(PortSpace.TCP)) {
            assertThatThrownBy(() -> synchronous.migrate(synchronous.id().channel()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("cannot move to its own channel");
            assertThat(synchronous.isOpen()).isTrue();
            assertThat(synchronous.migrate(to).isOpen()).isTrue();
        }
    }
}
