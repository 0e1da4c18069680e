// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Closing: in any order, twice, and under a thread that is using the object. */
@Tag("device")
class ResourceTreeDeviceTest {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @Test
    void closingTheDeviceClosesEverythingBelowIt() {
        ConnectedPair pair = new ConnectedPair(4096);
        pair.device.close();
        for (Resource resource :
                new Resource[] {pair.pair, pair.peer, pair.buffer, pair.peerBuffer, pair.queue, pair.domain, pair.device
                }) {
            assertThat(resource.isOpen()).as(resource.toString()).isFalse();
            assertThatThrownBy(resource::handle)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
            resource.close();
        }
        pair.close();
    }

    @Test
    void closingACompletionQueueClosesTheQueuePairsThatUseIt() {
        try (ConnectedPair pair = new ConnectedPair(4096)) {
            pair.queue.close();
            assertThat(pair.pair.isOpen()).isFalse();
            assertThat(pair.peer.isOpen()).isTrue();
        }
    }

    @Test
    void dependentsAreClosedBeforeYoungerResources() {
        try (ConnectedPair pair = new ConnectedPair(4096)) {
            CompletionChannel younger = pair.device.createCompletionChannel();
            for (QueuePair one : List.of(pair.pair, pair.peer, pair.peer)) {
                one.underTreeLock(() -> one.dependOn(younger));
            }
            assertThat(younger.childCount()).isEqualTo(2);
            pair.peer.close();
            assertThat(younger.childCount()).isEqualTo(1);
            younger.close();
            assertThat(pair.pair.isOpen()).isFalse();
        }
    }

    @Test
    void attributesAreReadableAfterTheClose() {
        ConnectedPair pair = new ConnectedPair(4096, config -> config.maxInlineData(32));
        int number = pair.pair.number();
        int key = pair.buffer.localKey();
        long address = pair.buffer.address();
        int capacity = pair.queue.capacity();
        pair.close();
        assertThat(pair.pair.number()).isEqualTo(number);
        assertThat(pair.pair.type()).isEqualTo(QueuePairType.RC);
        assertThat(pair.pair.maxInlineData()).isEqualTo(32);
        assertThat(pair.buffer.localKey()).isEqualTo(key);
        assertThat(pair.buffer.address()).isEqualTo(address);
        assertThat(pair.buffer.length()).isEqualTo(4096);
        assertThat(pair.queue.capacity()).isEqualTo(capacity);
        assertThat(pair.pair.protectionDomain()).isSameAs(pair.domain);
    }

    @Test
    void useAfterCloseIsAnException() {
        ConnectedPair pair = new ConnectedPair(4096);
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        MemorySlice slice = pair.buffer.slice();
        SendBatch batch = pair.pair.startBatch();
        pair.close();
        assertClosed(() -> pair.pair.tryPostWrite(1, slice, target, 0));
        assertClosed(() -> pair.pair.tryPostRead(1, slice, target, 0));
        assertClosed(() -> pair.pair.tryPostSend(1, slice, 0));
        assertClosed(() -> pair.pair.tryPostReceive(1, slice));
        assertClosed(() -> batch.write(1, slice, target, 0));
        assertClosed(() -> pair.pair.state());
        assertClosed(() -> pair.queue.poll(pair.completions));
        assertClosed(() -> pair.domain.registerMemory(pair.buffer.segment()));
        assertClosed(() -> pair.device.createCompletionQueue(1));
        assertClosed(() -> pair.device.allocateProtectionDomain());
        assertClosed(() -> pair.device.attributes());
        assertClosed(() -> pair.device.gidTable(1));
    }

    private static void assertClosed(Runnable use) {
        assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @RepeatedTest(20)
    void closeThatRacesAPollAndAPostIsAnException() throws Exception {
        ConnectedPair pair = new ConnectedPair(4096);
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        MemorySlice slice = pair.buffer.slice(0, 8);
        AtomicReference<Throwable> pollEnd = new AtomicReference<>();
        AtomicReference<Throwable> postEnd = new AtomicReference<>();
        CountDownLatch running = new CountDownLatch(2);
        Thread poller = Thread.ofPlatform().start(() -> {
            running.countDown();
            try {
                while (true) {
                    pair.queue.poll(pair.completions);
                }
            } catch (Throwable e) {
                pollEnd.set(e);
            }
        });
        Thread poster = Thread.ofPlatform().start(() -> {
            running.countDown();
            try {
                while (true) {
                    pair.pair.tryPostWrite(1, slice, target, SendFlags.SIGNALED);
                }
            } catch (Throwable e) {
                postEnd.set(e);
            }
        });
        running.await();
        Thread.sleep(5);
        pair.device.close();
        assertThat(poller.join(LIMIT) && poster.join(LIMIT)).as("both end").isTrue();
        assertThat(pollEnd.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(postEnd.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        pair.close();
    }
}
