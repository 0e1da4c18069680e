// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Atomic writes, which SoftRoCE has in newer kernels only. */
@Tag("device")
@Tag("kernel612")
class AtomicWriteDeviceTest {
    private final PostingPair pair =
            new PostingPair(QueuePairType.RC, SendOperation.ATOMIC_WRITE, SendOperation.RDMA_WRITE);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void eightBytesArriveAtOnceAndInOrder() {
        pair.buffer.segment().setString(0, "payload");
        RemoteMemory target = pair.peerBuffer.remoteMemory();
        SendBatch batch = pair.pair
                .startBatch()
                .write(1, pair.buffer.slice(0, 8), target.slice(64, 8), NONE)
                .atomicWrite(2, 0x0123456789abcdefL, target.slice(128, 8), NONE)
                .atomicWrite(3, Long.MIN_VALUE, target.slice(136, 8), SIGNALED);
        assertThat(batch.tryPost()).isTrue();
        WorkCompletion done = pair.await();
        assertThat(done.isSuccess()).as(done.describe()).isTrue();
        assertThat(done.workRequestId()).isEqualTo(3);
        assertThat(done.opcode()).isEqualTo(WorkCompletionOpcode.ATOMIC_WRITE);
        assertThat(pair.peerBuffer.segment().getString(64)).isEqualTo("payload");
        assertThat(pair.peerBuffer.segment().asSlice(128, 16).toArray(ValueLayout.JAVA_LONG))
                .containsExactly(0x0123456789abcdefL, Long.MIN_VALUE);
    }

    @Test
    void placeThatIsNotAMultipleOfEightIsRefused() {
        RemoteMemory odd = pair.peerBuffer.remoteMemory().slice(4, 8);
        assertThatThrownBy(() -> pair.pair.startBatch().atomicWrite(1, 1, odd, SIGNALED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8 bytes at a multiple of 8");
    }
}
