// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Atomic operations that may not be: where the right is missing, the peer's memory stays as it was. */
@Tag("device")
class AtomicErrorsDeviceTest {
    private static void assertRefused(PostingPair pair, RemoteMemory target, WorkCompletionStatus... expected) {
        pair.peerBuffer.segment().set(ValueLayout.JAVA_LONG, 0, 40L);
        assertThat(pair.pair.tryPostFetchAndAdd(1, pair.buffer.slice(0, 8), target, 2, SIGNALED))
                .isTrue();
        assertThat(pair.await().status()).isIn((Object[]) expected);
        assertThat(pair.peerBuffer.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40);
    }

    @Test
    void memoryWithoutTheRightIsNotTouched() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC, config -> {}, LOCAL_WRITE)) {
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
            assertRefused(pair, target, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void queuePairWithoutTheRightRefuses() {
        try (PostingPair pair =
                new PostingPair(QueuePairType.RC, config -> config.remoteAccess(), LOCAL_WRITE, REMOTE_ATOMIC)) {
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
            assertRefused(pair, target, WorkCompletionStatus.REM_ACCESS_ERR, WorkCompletionStatus.REM_INV_REQ_ERR);
        }
    }

    @Test
    void wrongKeyIsRefused() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            RemoteMemory right = pair.peerBuffer.remoteMemory();
            assertRefused(
                    pair,
                    new RemoteMemory(right.address(), 8, right.remoteKey() + 1),
                    WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void placeThatIsNotAMultipleOfEightIsRefused() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC)) {
            RemoteMemory odd = pair.peerBuffer.remoteMemory().slice(1, 8);
            assertThatThrownBy(() -> pair.pair.tryPostFetchAndAdd(1, pair.buffer.slice(0, 8), odd, 2, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("8 bytes at a multiple of 8");
        }
    }

    /** A slice has its region's key, so a wrong key can only belong to another domain. */
    @Test
    void regionOfAnotherDomainIsRefused() {
        try (PostingPair pair = new PostingPair(QueuePairType.RC);
                PostingPair other = new PostingPair(QueuePairType.RC)) {
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(0, 8);
            assertThatThrownBy(() -> pair.pair.tryPostFetchAndAdd(1, other.buffer.slice(0, 8), target, 2, SIGNALED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is registered in another protection domain");
        }
    }
}
