// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.AccessFlag.FLUSH_GLOBAL;
import static io.github.rdma4j.verbs.AccessFlag.FLUSH_PERSISTENT;
import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static io.github.rdma4j.verbs.SendFlags.NONE;
import static io.github.rdma4j.verbs.SendFlags.SIGNALED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Flushes, which SoftRoCE has from Linux 6.3 and rdma-core 45 on. */
@Tag("device")
@Tag("later-rdma-core")
class FlushDeviceTest {
    private static PostingPair pair(AccessFlag... ofRegions) {
        return new PostingPair(
                QueuePairType.RC,
                config -> config.sendOperations(SendOperation.RDMA_WRITE, SendOperation.FLUSH)
                        .remoteAccess(REMOTE_WRITE, REMOTE_READ, FLUSH_GLOBAL),
                ofRegions);
    }

    @ParameterizedTest
    @EnumSource
    void completedFlushMeansEarlierWritesArePlaced(FlushLevel level) {
        try (PostingPair pair = pair(LOCAL_WRITE, REMOTE_WRITE, FLUSH_GLOBAL)) {
            pair.buffer.segment().setString(0, "payload");
            RemoteMemory target = pair.peerBuffer.remoteMemory().slice(64, 8);
            SendBatch batch = pair.pair
                    .startBatch()
                    .write(1, pair.buffer.slice(0, 8), target, NONE)
                    .flush(2, target, FlushPlacement.GLOBAL, level, SIGNALED);
            assertThat(batch.tryPost()).isTrue();
            WorkCompletion done = pair.await();
            assertThat(done.isSuccess()).as(done.describe()).isTrue();
            assertThat(done.workRequestId()).isEqualTo(2);
            assertThat(done.opcode()).isEqualTo(WorkCompletionOpcode.FLUSH);
            assertThat(pair.peerBuffer.segment().getString(64)).isEqualTo("payload");
        }
    }

    @Test
    void regionWithoutTheRightIsNotFlushed() {
        try (PostingPair pair = pair(LOCAL_WRITE, REMOTE_WRITE)) {
            RemoteMemory target = pair.peerBuffer.remoteMemory();
            SendBatch batch =
                    pair.pair.startBatch().flush(1, target, FlushPlacement.GLOBAL, FlushLevel.RANGE, SIGNALED);
            assertThat(batch.tryPost()).isTrue();
            assertThat(pair.await().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void memoryThatIsNotPersistentIsNotRegisteredAsSuch() {
        try (DeviceContext device = TestDevice.open();
                ProtectionDomain domain = device.allocateProtectionDomain()) {
            assertThatThrownBy(() -> domain.allocateMemory(4096, LOCAL_WRITE, REMOTE_WRITE, FLUSH_PERSISTENT))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("FLUSH_PERSISTENT");
        }
    }
}
