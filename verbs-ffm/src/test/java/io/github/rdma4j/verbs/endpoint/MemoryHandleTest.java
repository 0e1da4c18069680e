// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.RemoteMemory;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemoryHandleTest {
    private static final RemoteMemory MEMORY = new RemoteMemory(0x1234_5678_9abcL, 1L << 40, 0xdead_beef);

    @Test
    void itComesBackAsItWasSent() {
        for (var rights : Set.of(
                Set.of(REMOTE_READ),
                Set.of(REMOTE_WRITE),
                Set.of(REMOTE_ATOMIC),
                Set.of(REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC))) {
            MemoryHandle handle = new MemoryHandle(MEMORY, rights);
            assertThat(handle.toBytes()).hasSize(MemoryHandle.BYTES);
            assertThat(MemoryHandle.fromBytes(handle.toBytes())).isEqualTo(handle);
        }
    }

    @Test
    void partHasTheSameRights() {
        MemoryHandle handle = new MemoryHandle(MEMORY, Set.of(REMOTE_READ)).slice(16, 8);
        assertThat(handle.memory()).isEqualTo(new RemoteMemory(MEMORY.address() + 16, 8, MEMORY.remoteKey()));
        assertThat(handle.length()).isEqualTo(8);
        assertThat(handle.rights()).containsExactly(REMOTE_READ);
        assertThatThrownBy(() -> handle.slice(1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void missingRightIsNamedWithThoseThatAreThere() {
        MemoryHandle handle = new MemoryHandle(MEMORY, Set.of(REMOTE_READ));
        handle.require(REMOTE_READ, "a read");
        assertThatThrownBy(() -> handle.require(REMOTE_WRITE, "a write"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a write needs REMOTE_WRITE, and this handle grants [REMOTE_READ]: its owner must expose the"
                                + " memory with REMOTE_WRITE");
    }

    @Test
    void invalidHandleIsRefused() {
        assertThatThrownBy(() -> new MemoryHandle(MEMORY, Set.of(LOCAL_WRITE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("LOCAL_WRITE");
        assertThatThrownBy(() -> MemoryHandle.fromBytes(new byte[3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not 3");
        byte[] strange = new MemoryHandle(MEMORY, Set.of(REMOTE_READ)).toBytes();
        strange[0] = -1;
        assertThatThrownBy(() -> MemoryHandle.fromBytes(strange)).hasMessageContaining("0xff");
    }

    @Test
    void absentRightIsRefused() {
        Set<AccessFlag> rights = new HashSet<>();
        rights.add(null);
        assertThatThrownBy(() -> new MemoryHandle(MEMORY, rights))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("right");
    }

    /** The key is a secret: anybody who has it has the rights. */
    @Test
    void keyIsNotInItsText() {
        assertThat(new MemoryHandle(MEMORY, Set.of(REMOTE_READ)).toString())
                .startsWith("MemoryHandle[")
                .contains("REMOTE_READ")
                .doesNotContainIgnoringCase("deadbeef")
                .doesNotContain(Integer.toString(MEMORY.remoteKey()))
                .doesNotContain(Integer.toUnsignedString(MEMORY.remoteKey()));
    }
}
