// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.ReceiveRequests;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The functions of a provider that is not the first of its JVM: the same addresses in other objects, which is how
 * {@link HotCalls} tells the two apart. All other tests go the first one's way.
 */
@Tag("device")
class SecondProviderDeviceTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void messageIsSentReceivedAndFoundThroughItsFunctions() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC);
                Arena arena = Arena.ofConfined()) {
            DeviceContext device = pair.device;
            MemorySlice source = pair.buffer.slice(0, Long.BYTES);
            pair.buffer.segment().set(ValueLayout.JAVA_LONG, 0, 42);
            ReceiveRequests receives = new ReceiveRequests(arena, 1, 1);
            MemorySlice room = pair.peerBuffer.slice(0, Long.BYTES);
            receives.fill(0, 7, room.address(), room.lengthAndKey());
            SendRequests sends = new SendRequests(arena, 1, 1);
            sends.fill(0, SendOpcode.SEND, 8, source.address(), source.lengthAndKey(), 0, SendFlags.SIGNALED);

            int received = HotCalls.postReceive(
                    another(device.functions().postReceive()),
                    device.driver().postsInUserSpace(),
                    pair.peer.handle(),
                    receives.address(),
                    receives.badRequestAddress());
            int sent = HotCalls.postSend(
                    another(device.functions().postSend()),
                    device.driver().postsInUserSpace(),
                    pair.pair.handle(),
                    sends.address(),
                    sends.badRequestAddress());

            assertThat(received).isZero();
            assertThat(sent).isZero();
            assertThat(awaitOne(pair.queue, device, pair.completions).workRequestId())
                    .isEqualTo(8);
            assertThat(awaitOne(pair.peerQueue, device, pair.completions).workRequestId())
                    .isEqualTo(7);
            assertThat(pair.peerBuffer.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        }
    }

    private static WorkCompletion awaitOne(CompletionQueue queue, DeviceContext device, WorkCompletions completions) {
        MemorySegment function = another(device.functions().pollCompletions());
        long deadline = System.nanoTime() + LONG.toNanos();
        int found = 0;
        while (found == 0 && System.nanoTime() < deadline) {
            found = HotCalls.poll(
                    function, device.driver().pollsInUserSpace(), queue.handle(), 1, completions.address());
        }
        assertThat(found).isEqualTo(1);
        completions.size(1);
        assertThat(completions.get(0).status()).isEqualTo(WorkCompletionStatus.SUCCESS);
        return completions.get(0);
    }

    private static MemorySegment another(MemorySegment function) {
        MemorySegment other = MemorySegment.ofAddress(function.address());
        assertThat(other).isEqualTo(function).isNotSameAs(function);
        return other;
    }
}
