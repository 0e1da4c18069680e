// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.MW_BIND;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.DeviceDriver;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests windows of type 1: the accesses that their keys allow, and until when. */
@Tag("device")
class MemoryWindowDeviceTest {
    private static final int SIZE = 8192;

    private final ConnectedPair pair = new ConnectedPair(SIZE);
    private MemoryRegion region;

    @BeforeEach
    void register() {
        region = pair.domain.allocateMemory(SIZE, LOCAL_WRITE, MW_BIND);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private WorkCompletion write(RemoteMemory target) {
        assertThat(pair.pair.tryPostWrite(9, pair.buffer.slice(0, target.length()), target, SIGNALED))
                .isTrue();
        return pair.await();
    }

    private MemoryWindow bind(MemorySlice slice, AccessFlag... access) {
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        assertThat(window.tryPostBind(pair.peer, 4, slice, SIGNALED, access)).isTrue();
        WorkCompletion bound = pair.awaitPeer();
        assertThat(bound.isSuccess()).as(bound.describe()).isTrue();
        assertThat(bound.workRequestId()).isEqualTo(4);
        return window;
    }

    @Test
    void boundWindowLetsAPeerWriteWhereItsRegionDoesNot() {
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        assertThat(window.type()).isEqualTo(MemoryWindowType.TYPE_1);
        assertThat(window.handle()).isNotZero();
        int before = window.remoteKey();
        assertThat(window.tryPostBind(pair.peer, 4, region.slice(4096, 4096), SIGNALED, REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        assertThat(window.remoteKey()).isNotEqualTo(before).isNotEqualTo(region.remoteKey());
        pair.buffer.segment().setString(0, "through the window");
        RemoteMemory target = window.remoteMemory();
        assertThat(target).isEqualTo(new RemoteMemory(region.address() + 4096, 4096, window.remoteKey()));
        WorkCompletion written = write(target.slice(0, 32));
        assertThat(written.isSuccess()).as(written.describe()).isTrue();
        assertThat(region.segment().getString(4096)).isEqualTo("through the window");
        assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 4095)).isZero();
    }

    @Test
    void beyondTheRegionAWindowGivesNoAccess() {
        MemoryWindow window = bind(region.slice(4096, 4096), REMOTE_WRITE);
        // Adapters refuse what lies outside of the window; SoftRoCE only what lies outside of its region.
        RemoteMemory beyond = new RemoteMemory(region.address() + SIZE - 8, 16, window.remoteKey());
        assertThat(write(beyond).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void unboundWindowGivesNoAccessAnyMore() {
        MemoryWindow window = bind(region.slice(), REMOTE_WRITE);
        RemoteMemory target = window.remoteMemory().slice(0, 16);
        assertThat(write(target).isSuccess()).isTrue();
        assertThat(window.tryPostUnbind(pair.peer, 5, SIGNALED)).isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        assertThatThrownBy(window::remoteMemory)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not bound");
        assertThat(write(target).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(window.tryPostUnbind(pair.peer, 6, SIGNALED)).isTrue();
    }

    @Test
    void rightsAreTheBindingsAndNotTheRegions() {
        MemoryWindow window = bind(region.slice(), REMOTE_READ);
        assertThat(pair.pair.tryPostRead(1, pair.buffer.slice(0, 8), window.remoteMemory(), SIGNALED))
                .isTrue();
        assertThat(pair.await().isSuccess()).isTrue();
        assertThat(write(window.remoteMemory().slice(0, 8)).status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void regionCanBeClosedAfterTheEndOfABindingThatWasFlushed() {
        MemoryWindow window = bind(region.slice(), REMOTE_WRITE);
        pair.peer.toError();
        assertThat(window.tryPostUnbind(pair.peer, 5, SIGNALED)).isTrue();
        assertThat(pair.awaitPeer().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        region.close();
        assertThat(region.isOpen()).isFalse();
        assertThat(window.isOpen()).isFalse();
        pair.domain.close();
    }

    @Test
    void regionCanBeClosedAfterBindingsToAnotherThatWereFlushed() {
        MemoryRegion other = pair.domain.allocateMemory(SIZE, LOCAL_WRITE, MW_BIND);
        MemoryWindow window = bind(region.slice(), REMOTE_WRITE);
        pair.peer.toError();
        assertThat(window.tryPostBind(pair.peer, 5, other.slice(), SIGNALED, REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(window.tryPostUnbind(pair.peer, 6, SIGNALED)).isTrue();
        assertThat(pair.awaitPeer().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        other.close();
        region.close();
        assertThat(window.isOpen()).isFalse();
    }

    @Test
    void windowThatIsBoundElsewhereOutlivesItsFormerRegion() {
        MemoryRegion other = pair.domain.allocateMemory(SIZE, LOCAL_WRITE, MW_BIND);
        MemoryWindow window = bind(region.slice(), REMOTE_WRITE);
        assertThat(window.tryPostBind(pair.peer, 5, other.slice(), SIGNALED, REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        region.close();
        assertThat(window.isOpen()).isTrue();
        assertThat(write(window.remoteMemory().slice(0, 16)).isSuccess()).isTrue();
    }

    @Test
    void regionWithWindowsIsNotReregistered() {
        MemoryWindow window = bind(region.slice(), REMOTE_WRITE);
        assertThatThrownBy(() -> region.reregister(config -> config.access(LOCAL_WRITE)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("memory windows are bound to");
        assertThat(window.isOpen()).isTrue();
        assertThat(region.isOpen()).isTrue();
    }

    @Test
    void regionThatIsClosedClosesItsWindows() {
        MemoryWindow bound = bind(region.slice(), REMOTE_WRITE);
        MemoryWindow other = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        region.close();
        assertThat(bound.isOpen()).isFalse();
        assertThat(other.isOpen()).isTrue();
        assertThatThrownBy(bound::handle).isInstanceOf(IllegalStateException.class);
        // A peer is not given a key that is worth nothing any more.
        assertThatThrownBy(bound::remoteMemory)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> other.tryPostBind(pair.peer, 1, region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void regionYoungerThanItsWindowDoesNotKeepTheDomainFromClosing() {
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        MemoryRegion younger = pair.domain.allocateMemory(4096, LOCAL_WRITE, MW_BIND);
        assertThat(window.tryPostBind(pair.peer, 1, younger.slice(), SIGNALED, REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
        pair.domain.close();
        assertThat(window.isOpen()).isFalse();
    }

    @Test
    void bindingThatFailedIsTakenBack() {
        MemoryWindow window = bind(region.slice(0, 1024), REMOTE_WRITE);
        RemoteMemory first = window.remoteMemory();
        pair.peer.toError();
        assertThat(window.tryPostBind(pair.peer, 7, region.slice(1024, 1024), SIGNALED, REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(window.remoteMemory()).isNotEqualTo(first);
        window.bindingFailed();
        assertThat(window.remoteMemory()).isEqualTo(first);
    }

    @Test
    void mistakesAreExceptionsBeforeTheAdapterSeesThem() {
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, pair.peerBuffer.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without MW_BIND");
        assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, region.slice(0, 0), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 bytes");
        assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, region.slice(), SendFlags.INLINE, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SIGNALED and FENCE");
        assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, region.slice(), SIGNALED, LOCAL_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[LOCAL_WRITE]: a window takes");
        MemoryRegion readOnly = pair.domain.allocateMemory(64, MW_BIND);
        assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, readOnly.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without LOCAL_WRITE");
        try (ProtectionDomain other = pair.device.allocateProtectionDomain()) {
            MemoryRegion foreign = other.allocateMemory(64, LOCAL_WRITE, MW_BIND);
            assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, foreign.slice(), SIGNALED, REMOTE_WRITE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another protection domain");
        }
        MemoryWindow second = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        assertThatThrownBy(() -> second.tryPostBind(pair.peer, 1, region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type 2");
        assertThatThrownBy(() -> pair.domain.allocateMemoryWindow(null)).isInstanceOf(NullPointerException.class);
        window.close();
        window.close();
        assertThatThrownBy(() -> window.tryPostBind(pair.peer, 1, region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
        assertThat(pair.peerQueue.poll(pair.completions)).isZero();
    }

    /** EINVAL alone would not explain any of these mistakes. */
    @Test
    void refusalOfTheLibraryIsReported() {
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
        QueuePair datagrams = pair.domain.createQueuePair(
                QueuePairType.UD,
                config -> config.completionQueue(pair.peerQueue)
                        .maxSendWorkRequests(1)
                        .maxReceiveWorkRequests(1));
        assertThatThrownBy(() -> window.tryPostBind(datagrams, 1, region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a queue pair of type UD has no memory window binding");
        QueuePair unconnected = pair.domain.createQueuePair(
                QueuePairType.RC,
                config -> config.completionQueue(pair.peerQueue)
                        .maxSendWorkRequests(1)
                        .maxReceiveWorkRequests(1));
        assertThatThrownBy(() -> window.tryPostBind(unconnected, 1, region.slice(), SIGNALED, REMOTE_WRITE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("its state is RESET")
                .hasMessageContaining("Connect it first");
        if (DeviceDriver.of(pair.device.device().sysfsPath()).mayBeSoftware()) {
            assertThatThrownBy(() -> window.tryPostBind(
                            pair.peer, 1, region.slice(), SIGNALED, REMOTE_WRITE, AccessFlag.ZERO_BASED))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageContaining("EINVAL (Invalid argument): the device's library binds no window of type 1")
                    .hasMessageContaining("Omit ZERO_BASED");
        }
        assertThat(window.tryPostBind(pair.peer, 4, region.slice(), SIGNALED, REMOTE_WRITE))
                .isTrue();
        assertThat(pair.awaitPeer().isSuccess()).isTrue();
    }

    @Test
    void lowByteOfAKeyCountsUpAndWraps() {
        assertThat(MemoryWindow.increment(0x12_34_56_fe)).isEqualTo(0x12_34_56_ff);
        assertThat(MemoryWindow.increment(0x12_34_56_ff)).isEqualTo(0x12_34_56_00);
        MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2);
        assertThat(window.nextRemoteKey()).isEqualTo(MemoryWindow.increment(window.remoteKey()));
    }
}
