// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The events of a group's queues, on which a selector and a waiting thread may rely at once. */
@Tag("device")
class SharedQueuesDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The selector takes an event while a thread begins to wait, which finds the queues armed for that event. */
    @Test
    void threadThatBeginsToWaitGetsTheNextEventBesideASelector() throws Exception {
        try (EndpointGroup group = EndpointGroup.open(2);
                EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), config -> config.group(group));
                EventPoller channel = EventPoller.open()) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(server.address(), config -> {}, PATIENCE);
                    Endpoint atServer = accepted.join()) {
                SharedQueues queues = GroupAccess.ACCESS.queues(
                        group, atServer.protectionDomain().context());
                channel.add(queues.channel());
                queues.armAndTakeIn();
                assertThat(client.send(new byte[1], PATIENCE)).isTrue();
                assertThat(channel.select(PATIENCE, source -> {})).isEqualTo(1);
                ReentrantLock polling = polling(queues);
                Thread selecting = new Thread(queues::takeEventsForSelector);
                polling.lock();
                selecting.start();
                while (!polling.hasQueuedThread(selecting)) {
                    Thread.onSpinWait();
                }
                // The end of the wait is asked for a first time before the thread leads, and again after it has armed.
                int[] asked = {0};
                Sleepers.Sleeper waiting = new Sleepers.Sleeper(() -> {
                    if (asked[0]++ == 1) {
                        polling.unlock();
                        join(selecting);
                    }
                    return asked[0] > 1;
                });
                queues.sleepers().sleep(waiting, PATIENCE.toNanos());
                assertThat(client.send(new byte[2], PATIENCE)).isTrue();
                assertThat(channel.select(PATIENCE, source -> {})).isEqualTo(1);
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[1]);
                assertThat(atServer.receive(PATIENCE)).hasValue(new byte[2]);
            }
        }
    }

    private static ReentrantLock polling(SharedQueues queues) throws ReflectiveOperationException {
        Field field = SharedQueues.class.getDeclaredField("polling");
        field.setAccessible(true);
        return (ReentrantLock) field.get(queues);
    }

    private static void join(Thread thread) {
        try {
            assertThat(thread.join(PATIENCE)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
