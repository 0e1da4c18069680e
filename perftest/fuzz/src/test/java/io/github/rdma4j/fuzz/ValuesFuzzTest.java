// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.IpcEventHandle;
import io.github.rdma4j.cuda.IpcMemoryHandle;
import io.github.rdma4j.gpudirect.ChannelEndpoint;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.QueuePairEndpoint;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Values that a program gets from a peer, by whatever means: they are refused, or are the same bytes when they are
 * written again.
 */
@Timeout(1800)
class ValuesFuzzTest {
    /** Of the value, its parts and the message of an exception. */
    private static final long MOST_BYTES = 8192;

    private static final RemoteMemory MEMORY = new RemoteMemory(0x7f00_1234_5000L, 1 << 20, 0x1234);
    private static final QueuePairEndpoint QUEUE_PAIR = new QueuePairEndpoint(
            0x12, 0xabcdef, 7, Gid.of(new byte[] {-2, -128, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}), Mtu.MTU_4096);

    private static <T> void feed(Function<byte[], T> from, Function<T, byte[]> to, byte[]... honest) throws Exception {
        new Fuzzer(new Spoiler(List.of(honest)), IllegalArgumentException.class, MOST_BYTES, 1).feed(input -> {
            T value = from.apply(input);
            assertThat(to.apply(value)).isEqualTo(input);
            assertThat(value.toString()).isNotBlank();
        });
    }

    @Test
    void remoteMemory() throws Exception {
        feed(RemoteMemory::fromBytes, RemoteMemory::toBytes, MEMORY.toBytes());
    }

    @Test
    void queuePairEndpoint() throws Exception {
        feed(QueuePairEndpoint::fromBytes, QueuePairEndpoint::toBytes, QUEUE_PAIR.toBytes());
    }

    @Test
    void memoryHandle() throws Exception {
        MemoryHandle handle = new MemoryHandle(MEMORY, Set.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
        feed(MemoryHandle::fromBytes, MemoryHandle::toBytes, handle.toBytes());
    }

    @Test
    void channelEndpoint() throws Exception {
        ChannelEndpoint endpoint = new ChannelEndpoint(QUEUE_PAIR, MEMORY, 1 << 18, 8, 4);
        feed(ChannelEndpoint::fromBytes, ChannelEndpoint::toBytes, endpoint.toBytes());
    }

    @Test
    void ipcHandles() throws Exception {
        byte[] memory = ByteBuffer.allocate(108)
                .putInt(0x524a4d32)
                .putLong(4711)
                .putLong(0)
                .putLong(0)
                .putLong(4096)
                .putLong(1 << 20)
                .array();
        feed(IpcMemoryHandle::fromBytes, IpcMemoryHandle::toBytes, memory);
        byte[] event = ByteBuffer.allocate(92).putInt(0x524a4532).putLong(4711).array();
        feed(IpcEventHandle::fromBytes, IpcEventHandle::toBytes, event);
    }
}
