// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A queue pair that could overrun its completion queue is refused at its creation. */
@Tag("device")
@Timeout(600)
class CompletionBudgetDeviceTest {
    private final DeviceContext device = TestDevice.open();
    private final ProtectionDomain domain = device.allocateProtectionDomain();
    private final CompletionQueue queue = device.createCompletionQueue(64);
    private final int room = queue.capacity();

    @AfterEach
    void close() {
        device.close();
    }

    private QueuePair create(Consumer<QueuePairConfig> configuration) {
        return domain.createQueuePair(QueuePairType.RC, config -> configuration.accept(config.completionQueue(queue)));
    }

    private static Consumer<QueuePairConfig> depths(int sends, int receives) {
        return config -> config.maxSendWorkRequests(sends).maxReceiveWorkRequests(receives);
    }

    @Test
    void oversizedRequestIsRefusedWithBothNumbersAndTheRemedies() {
        assertThatThrownBy(() -> create(depths(room, 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("this queue pair, with %d sends and 1 receives, can have %d completions"
                        .formatted(room, room + 1))
                .hasMessageContaining(queue + ", where 0 can come from others")
                .hasMessageContaining("make it %d entries long".formatted(room + 1))
                .hasMessageContaining("maxSendWorkRequests, maxReceiveWorkRequests")
                .hasMessageContaining("oversubscribeCompletionQueue");
        assertThat(queue.childCount()).isZero();
        assertThatCode(() -> create(depths(room - 1, 1))).doesNotThrowAnyException();
    }

    @Test
    void queuePairsCountAsLongAsTheyAreOpen() {
        QueuePair first = create(depths(room - 10, 5));
        assertThatThrownBy(() -> create(depths(3, 3)))
                .hasMessageContaining("can have 6 completions")
                .hasMessageContaining("where %d can come from others".formatted(room - 5));
        create(depths(3, 2));
        assertThatThrownBy(() -> create(config -> {}))
                .hasMessageContaining("with %1$d sends and %1$d receives".formatted(room / 4));
        first.close();
        assertThatCode(() -> create(depths(room - 10, 5))).doesNotThrowAnyException();
    }

    @Test
    void twoQueuesCountEachForItself() {
        CompletionQueue receives = device.createCompletionQueue(8);
        int few = receives.capacity();
        assertThatThrownBy(
                        () -> create(config -> depths(room, few + 1).accept(config.receiveCompletionQueue(receives))))
                .hasMessageContaining("can have %d completions in a %s".formatted(few + 1, receives));
        assertThatCode(() -> create(config -> depths(room, few).accept(config.receiveCompletionQueue(receives))))
                .doesNotThrowAnyException();
    }

    @Test
    void unsetDepthsDoNotDependOnOtherQueuePairs() {
        MemoryRegion region = domain.allocateMemory(64, AccessFlag.LOCAL_WRITE);
        for (int count = 0; count < 2; count++) {
            PreparedQueuePair pair = domain.prepareQueuePair(QueuePairType.RC, config -> config.completionQueue(queue));
            for (int i = 0; i < room / 4; i++) {
                assertThat(pair.tryPostReceive(i, region.slice(0, 64))).isTrue();
            }
        }
        assertThatThrownBy(() -> create(config -> {}))
                .hasMessageContaining("this queue pair, with %1$d sends and %1$d receives".formatted(room / 4));
        CompletionQueue longQueue = device.createCompletionQueue(4096);
        QueuePair usual = domain.createQueuePair(QueuePairType.RC, config -> config.completionQueue(longQueue));
        assertThat(usual.queryInitial().capabilities().maxSendWorkRequests()).isGreaterThanOrEqualTo(128);
    }

    @Test
    void selfBoundedQueuePairIsNotCounted() {
        create(config -> depths(1000, 1000).accept(config.oversubscribeCompletionQueue(true)));
        assertThatCode(() -> create(depths(room - 1, 1))).doesNotThrowAnyException();
    }

    @Test
    void sharedReceiveQueueCountsOnce() {
        SharedReceiveQueue shared = domain.createSharedReceiveQueue(config -> config.maxWorkRequests(room - 10));
        create(config -> depths(4, 1).accept(config.sharedReceiveQueue(shared)));
        create(config -> depths(4, 1).accept(config.sharedReceiveQueue(shared)));
        assertThatThrownBy(() -> create(config -> depths(4, 1).accept(config.sharedReceiveQueue(shared))))
                .hasMessageContaining("with 4 sends, can have 4 completions")
                .hasMessageContaining("where %d can come from others".formatted(room - 2));
        assertThatThrownBy(() -> shared.resize(room))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the longer shared receive queue can have 10 completions");
        SharedReceiveQueue tooLong = domain.createSharedReceiveQueue(config -> config.maxWorkRequests(room));
        assertThatThrownBy(() -> create(config -> depths(1, 1).accept(config.sharedReceiveQueue(tooLong))))
                .hasMessageContaining("with 1 sends and the %d receives of its shared queue, can have".formatted(room))
                .hasMessageContaining("(maxSendWorkRequests, SharedReceiveQueueConfig.maxWorkRequests)");
    }

    @Test
    void queueIsNotMadeShorterThanWhatCanCompleteThere() {
        create(depths(20, 20));
        assertThatThrownBy(() -> queue.resize(39))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("39 entries")
                .hasMessageContaining("40 completions");
        assertThatCode(() -> queue.resize(40)).doesNotThrowAnyException();
    }
}
