// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Windows of type 2: bound by a work request, and taken back by this side, by the peer, or by closing them. */
@Tag("device")
class MemoryWindowType2DeviceTest {
    private final ConnectedPair pair = new ConnectedPair(4096);
    private MemoryRegion region;
    private MemoryWindow window;

    @BeforeEach
    void bind() {
        region = pair.domain.allocateMemory(8192, LOCAL_WRITE, MW_BIND);
        window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        int key = window.nextRemoteKey();
        assertThat(pair.peer.tryPostBindMemoryWindow(4, window, key, region.slice(4096, 4096), SIGNALED, REMOTE_WRITE))
                .isTrue();
        WorkCompletion bound = pair.awaitPeer();
        assertThat(bound.isSuccess()).as(bound.describe()).isTrue();
        assertThat(bound.opcode()).isEqualTo(WorkCompletionOpcode.BIND_MEMORY_WINDOW);
        assertThat(window.remoteMemory()).isEqualTo(new RemoteMemory(region.address() + 4096, 4096, key));
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private WorkCompletion write(String text, RemoteMemory target) {
        pair.buffer.segment().setString(0, text);
        assertThat(pair.pair.tryPostWrite(9, pair.buffer.slice(0, 32), target.slice(0, 32), SIGNALED))
                .isTrue();
        return pair.await();
    }

    @Test
    void boundWindowLetsAPeerWrite() {
        assertThat(write("second kind", window.remoteMemory()).isSuccess()).isTrue();
        assertThat(region.segment().getString(4096)).isEqualTo("second kind");
    }

    @Test
    void localInvalidateTakesTheRightBack() {
        RemoteMemory target = window.remoteMemory();
        assertThat(write("still allowed", target).isSuccess()).isTrue();
        assertThat(pair.peer.tryPostLocalInvalidate(5, window.remoteKey(), SIGNALED))
                .isTrue();
        WorkCompletion invalidated = pair.awaitPeer();
        assertThat(invalidated.isSuccess()).as(invalidated.describe()).isTrue();
        window.invalidated();
        assertThatThrownBy(window::remoteMemory).isInstanceOf(IllegalStateException.class);
        assertThat(write("not any more", target).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(region.segment().getString(4096)).isEqualTo("still allowed");
    }

    @Test
    void peersSendTakesTheRightBack() {
        RemoteMemory target = window.remoteMemory();
        assertThat(write("still allowed", target).isSuccess()).isTrue();
        assertThat(pair.peer.tryPostReceive(6, pair.peerBuffer.slice())).isTrue();
        assertThat(pair.pair
                        .startBatch()
                        .sendWithInvalidate(7, pair.buffer.slice(0, 8), target.remoteKey(), SIGNALED)
                        .tryPost())
                .isTrue();
        assertThat(pair.await().isSuccess()).isTrue();
        WorkCompletion received = pair.awaitPeer();
        assertThat(received.isSuccess()).as(received.describe()).isTrue();
        assertThat(received.invalidatedRemoteKey()).isEqualTo(target.remoteKey());
        assertThat(write("not any more", target).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void closedWindowGivesNoAccess() {
        RemoteMemory target = window.remoteMemory();
        assertThat(write("still allowed", target).isSuccess()).isTrue();
        window.close();
        assertThat(write("not any more", target).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void invalidatedWindowIsBoundAgainWithAnotherKey() {
        int first = window.remoteKey();
        MemorySlice slice = region.slice(0, 4096);
        assertThat(pair.peer
                        .startBatch()
                        .localInvalidate(5, first, NONE)
                        .bindMemoryWindow(6, window, window.nextRemoteKey(), slice, SIGNALED, REMOTE_WRITE)
                        .tryPost())
                .isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        assertThat(window.remoteKey()).isEqualTo(MemoryWindow.increment(first));
        assertThat(write("bound again", window.remoteMemory()).isSuccess()).isTrue();
        assertThat(region.segment().getString(0)).isEqualTo("bound again");
    }

    @Test
    void queuePairThatIsClosedClosesItsWindows() {
        pair.peer.close();
        assertThat(window.isOpen()).isFalse();
        assertThat(region.isOpen()).isTrue();
    }

    @Test
    void windowClosedBeforeTheBatchIsNotBound() {
        MemoryWindow other = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        SendBatch batch = pair.peer
                .startBatch()
                .bindMemoryWindow(6, other, other.nextRemoteKey(), region.slice(), SIGNALED, REMOTE_WRITE);
        other.close();
        assertThatThrownBy(batch::tryPost)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThat(pair.peerQueue.poll(pair.completions)).isZero();
    }

    @Test
    void mistakesAreExceptionsBeforeTheAdapterSeesThem() {
        MemoryWindow first = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        assertThatThrownBy(() -> pair.peer.tryPostBindMemoryWindow(
                        1, first, first.nextRemoteKey(), region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MemoryWindow.tryPostBind binds type 1");
        assertThatThrownBy(() -> pair.peer.tryPostBindMemoryWindow(
                        1, window, window.remoteKey() ^ 0x100, region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("low byte only");
        assertThatThrownBy(() -> pair.peer.tryPostBindMemoryWindow(
                        1, window, window.nextRemoteKey(), pair.buffer.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without MW_BIND");
        assertThatThrownBy(() -> pair.peer.tryPostBindMemoryWindow(
                        1, window, window.nextRemoteKey(), region.slice(), SendFlags.INLINE, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("inline");
        assertThat(pair.peerQueue.poll(pair.completions)).isZero();
    }
}
