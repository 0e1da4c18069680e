// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.device.TransportType;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is otherwise on iWARP. What is not, other classes test there, too: those tagged "iwarp". */
@Tag("device")
@Tag("iwarp-only")
class IwarpDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void theDeviceSaysWhatItIs() {
        try (EndpointPair pair = new EndpointPair(config -> {})) {
            assertThat(pair.device.device().transportType()).isEqualTo(TransportType.IWARP);
            assertThat(pair.device.device().nodeType()).isEqualTo(NodeType.RNIC);
        }
    }

    @Test
    void framesLieBehindMessagesOfEachLength() {
        try (EndpointPair pair =
                new EndpointPair(config -> config.maxMessageSize(200).maxInlineData(0))) {
            for (int length = 0; length <= 200; length++) {
                byte[] message = new byte[length];
                Arrays.fill(message, (byte) (length + 1));
                assertThat(pair.left.send(MemorySegment.ofArray(message), PATIENCE))
                        .isTrue();
                assertThat(pair.right.receive(PATIENCE)).hasValue(message);
                assertThat(pair.right.send(MemorySegment.ofArray(message), PATIENCE))
                        .isTrue();
                assertThat(pair.left.receive(PATIENCE)).hasValue(message);
            }
            pair.left.close();
            assertThatThrownBy(() -> pair.right.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
        }
    }

    @Test
    void atomicOperationsAreRefusedWithTheReason() {
        try (EndpointPair pair = new EndpointPair(config -> {})) {
            MemoryHandle handle = pair.right
                    .expose(64, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC)
                    .handle();
            assertThatThrownBy(() -> pair.left.transfers().fetchAndAdd(handle.slice(0, 8), 1, PATIENCE))
                    .hasMessageContaining("iWARP has no atomic operations");
        }
    }
}
