// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each method of a device and its queues that waits: an interrupt and a close by another thread end it, and after an
 * interrupt the same object works.
 */
@Tag("device")
@Tag("parallel")
@Timeout(600)
class WaitEndsDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final DeviceContext device = TestDevice.open();
    private final CompletionChannel channel = device.createCompletionChannel();
    private final ExtendedCompletionQueue queue =
            device.createExtendedCompletionQueue(16, config -> config.channel(channel));
    private final EventPoller poller = EventPoller.open();

    /** A method that waits for an event that does not come at first. For the second call, the test makes it come. */
    enum Wait {
        NEXT_EVENT {
            @Override
            boolean call(WaitEndsDeviceTest test, Duration limit) {
                return test.channel.nextEvent(limit).isPresent();
            }

            @Override
            AutoCloseable waitedOn(WaitEndsDeviceTest test) {
                return test.channel;
            }

            @Override
            void before(WaitEndsDeviceTest test) {
                test.queue.requestNotification(false);
            }
        },
        AWAIT_COMPLETIONS {
            @Override
            boolean call(WaitEndsDeviceTest test, Duration limit) {
                return test.queue.awaitCompletions(WorkCompletions.allocate(1), limit) != 0;
            }

            @Override
            AutoCloseable waitedOn(WaitEndsDeviceTest test) {
                return test.queue;
            }
        },
        AWAIT_CURSOR {
            @Override
            boolean call(WaitEndsDeviceTest test, Duration limit) {
                boolean found = test.queue.awaitCursor(limit);
                if (found) {
                    test.queue.cursor().end();
                }
                return found;
            }

            @Override
            AutoCloseable waitedOn(WaitEndsDeviceTest test) {
                return test.queue;
            }
        },
        NEXT_ASYNC_EVENT {
            @Override
            boolean call(WaitEndsDeviceTest test, Duration limit) {
                return test.device.nextAsyncEvent(limit).isPresent();
            }

            @Override
            AutoCloseable waitedOn(WaitEndsDeviceTest test) {
                return test.device;
            }

            @Override
            void come(WaitEndsDeviceTest test) {
                test.pair()
                        .pair
                        .modify(config -> config.state(QueuePairState.SQD).notifySendQueueDrained(true));
            }
        },
        SELECT {
            @Override
            boolean call(WaitEndsDeviceTest test, Duration limit) {
                return test.poller.select(limit, source -> {}) != 0;
            }

            @Override
            AutoCloseable waitedOn(WaitEndsDeviceTest test) {
                return test.poller;
            }

            @Override
            void before(WaitEndsDeviceTest test) {
                test.poller.add(test.channel);
                test.queue.requestNotification(false);
            }
        };

        abstract boolean call(WaitEndsDeviceTest test, Duration limit);

        abstract AutoCloseable waitedOn(WaitEndsDeviceTest test);

        void before(WaitEndsDeviceTest test) {}

        /** Makes the event come that ends the wait without an exception. */
        void come(WaitEndsDeviceTest test) {
            LoopbackPair pair = test.pair();
            pair.receive(1);
            pair.send(1, SendFlags.SIGNALED);
        }
    }

    private LoopbackPair pair() {
        CompletionQueue peerQueue = device.createCompletionQueue(16);
        return new LoopbackPair(device.allocateProtectionDomain(), queue, peerQueue);
    }

    @AfterEach
    void close() {
        poller.close();
        device.close();
    }

    @ParameterizedTest
    @EnumSource
    void interruptEndsTheWaitAndTheNextOneFindsWhatComes(Wait wait) throws Exception {
        wait.before(this);
        WaitingThread.in(wait.ordinal() % 2 == 0, () -> wait.call(this, LONG)).interrupt();
        wait.come(this);
        assertThat(wait.call(this, LONG)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void closeEndsTheWait(Wait wait) throws Exception {
        wait.before(this);
        WaitingThread.in(wait.ordinal() % 2 != 0, () -> wait.call(this, LONG)).close(wait.waitedOn(this));
    }
}
