// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.TestDescriptor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One wait for many sources; here the sources are the test's own, so no device is needed. */
@Timeout(60)
class EventPollerTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private static final class Source implements EventSource, AutoCloseable {
        final TestDescriptor descriptor = new TestDescriptor();
        boolean open = true;

        @Override
        public int fileDescriptor() {
            if (!open) {
                throw new IllegalStateException("source is closed");
            }
            return descriptor.number();
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                descriptor.close();
            }
        }
    }

    private final EventPoller poller = EventPoller.open();
    private final Source a = new Source();
    private final Source b = new Source();

    @AfterEach
    void close() {
        poller.close();
        a.close();
        b.close();
    }

    private List<EventSource> select(Duration timeout) {
        List<EventSource> ready = new ArrayList<>();
        assertThat(poller.select(timeout, ready::add)).isEqualTo(ready.size());
        return ready;
    }

    @Test
    void onlyWhatIsReadyIsHandled() {
        poller.add(a);
        poller.add(b);
        assertThat(poller.size()).isEqualTo(2);
        assertThat(select(Duration.ZERO)).isEmpty();
        b.descriptor.signal();
        assertThat(select(LONG)).containsExactly(b);
        // Until its event is taken.
        assertThat(select(LONG)).containsExactly(b);
        a.descriptor.signal();
        assertThat(select(LONG)).containsExactlyInAnyOrder(a, b);
        b.descriptor.drain();
        a.descriptor.drain();
        assertThat(select(Duration.ofMillis(5))).isEmpty();
    }

    @Test
    void whatWasRemovedOrClosedIsNotHandled() {
        poller.add(a);
        poller.add(b);
        a.descriptor.signal();
        b.descriptor.signal();
        poller.remove(a);
        poller.remove(a);
        assertThat(select(LONG)).containsExactly(b);
        poller.add(a);
        b.close();
        assertThat(select(LONG)).containsExactly(a);
        assertThat(poller.size()).isEqualTo(1);
        poller.remove(b);
    }

    @Test
    void aHandlerMayRemoveWhatComesNext() {
        poller.add(a);
        poller.add(b);
        a.descriptor.signal();
        b.descriptor.signal();
        int called = poller.select(LONG, source -> {
            poller.remove(a);
            poller.remove(b);
        });
        assertThat(called).isEqualTo(1);
    }

    @Test
    void mistakesAreExceptions() {
        poller.add(a);
        assertThatThrownBy(() -> poller.add(a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was added already");
        b.close();
        assertThatThrownBy(() -> poller.add(b)).isInstanceOf(IllegalStateException.class);
        poller.close();
        poller.close();
        assertThat(poller.isOpen()).isFalse();
        for (Runnable use : new Runnable[] {
            () -> poller.add(a), () -> poller.wakeUp(), () -> poller.select(Duration.ZERO, source -> {})
        }) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the event poller is closed");
        }
    }

    @Test
    void aWakeUpBeforeTheSelectCountsToo() {
        poller.wakeUp();
        assertThat(select(LONG)).isEmpty();
        assertThat(select(Duration.ofMillis(5))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anEventAWakeUpAndACloseEndTheSelect(boolean virtual) throws Exception {
        poller.add(a);
        for (Runnable end : new Runnable[] {a.descriptor::signal, poller::wakeUp, poller::close}) {
            AtomicReference<Object> result = new AtomicReference<>();
            Runnable task = () -> {
                try {
                    result.set(poller.select(LONG, source -> a.descriptor.drain()));
                } catch (IllegalStateException e) {
                    result.set(e.getMessage());
                }
            };
            Thread thread = virtual
                    ? Thread.ofVirtual().start(task)
                    : Thread.ofPlatform().start(task);
            Thread.sleep(50);
            assertThat(result).hasValue(null);
            end.run();
            thread.join();
            if (!poller.isOpen()) {
                assertThat(result).hasValue("the event poller is closed");
            } else {
                assertThat(result.get()).isIn(0, 1);
            }
        }
    }

    @Test
    void anInterruptEndsTheSelect() throws Exception {
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                poller.select(LONG, source -> {});
            } catch (WaitInterruptedException e) {
                end.set(e);
            }
        });
        Thread.sleep(50);
        thread.interrupt();
        thread.join();
        assertThat(end.get()).hasMessageContaining("EventPoller.select").hasMessageContaining("EINTR");
    }
}
