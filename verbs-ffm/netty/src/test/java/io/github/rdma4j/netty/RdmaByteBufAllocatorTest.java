// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The allocator without an adapter: its memory, and its buffers over TCP. */
class RdmaByteBufAllocatorTest {
    private static final int CHUNK = RdmaByteBufAllocator.LARGEST;

    private final RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(2L * CHUNK);

    private static boolean isRegistered(ByteBuf buffer) {
        RegisteredByteBuf behind = RegisteredByteBuf.behind(buffer);
        return behind != null && behind.block() != null;
    }

    @Test
    void buffersOfTheRightSizeComeFromThePoolAndGoBack() {
        assertThat(allocator.takenBytes()).isZero();
        ByteBuf buffer = allocator.directBuffer(5000);
        assertThat(isRegistered(buffer)).isTrue();
        assertThat(buffer.capacity()).isEqualTo(5000);
        assertThat(buffer.readableBytes()).isZero();
        assertThat(buffer.writableBytes()).isEqualTo(5000);
        assertThat(isRegistered(buffer.retainedSlice(7, 11))).isTrue();
        assertThat(isRegistered(buffer.duplicate())).isTrue();
        assertThat(allocator.usedBytes()).isEqualTo(8192);
        assertThat(allocator.takenBytes()).isEqualTo(CHUNK);
        assertThat(buffer.release(2)).isTrue();
        assertThat(allocator.usedBytes()).isZero();
        for (int i = 0; i < 1000; i++) {
            ByteBuf again = allocator.ioBuffer(8192).writeZero(8192);
            assertThat(isRegistered(again)).isTrue();
            again.release();
        }
        assertThat(allocator.takenBytes()).isEqualTo(CHUNK);
        assertThat(allocator.isDirectBufferPooled()).isTrue();
    }

    @Test
    void otherSizesComeFromElsewhere() {
        List<ByteBuf> others = List.of(
                allocator.directBuffer(RdmaByteBufAllocator.SMALLEST - 1),
                allocator.directBuffer(CHUNK + 1),
                allocator.heapBuffer(8192));
        for (ByteBuf other : others) {
            assertThat(isRegistered(other)).isFalse();
            other.writeLong(1).release();
        }
        CompositeByteBuf composite = allocator.compositeBuffer();
        composite.addComponent(true, allocator.directBuffer(8192).writeZero(8192));
        assertThat(composite.readableBytes()).isEqualTo(8192);
        composite.release();
        assertThat(allocator.usedBytes()).isZero();
        assertThat(allocator.fallbacks()).isZero();
    }

    @Test
    void memoryIsBoundedAndWhatIsTooMuchComesFromElsewhere() {
        List<ByteBuf> all = new ArrayList<>();
        int fitting = 2 * CHUNK / 65536;
        for (int i = 0; i < fitting + 3; i++) {
            ByteBuf buffer = allocator.directBuffer(65536);
            assertThat(isRegistered(buffer)).isEqualTo(i < fitting);
            all.add(buffer.writeLong(i).writeZero(65528));
        }
        assertThat(allocator.takenBytes()).isEqualTo(2L * CHUNK);
        assertThat(allocator.usedBytes()).isEqualTo(2L * CHUNK);
        assertThat(allocator.fallbacks()).isEqualTo(3);
        for (int i = 0; i < all.size(); i++) {
            // Nobody has written into another one's memory.
            assertThat(all.get(i).readLong()).isEqualTo(i);
            all.get(i).release();
        }
        assertThat(allocator.usedBytes()).isZero();
        ByteBuf again = allocator.directBuffer(65536);
        assertThat(isRegistered(again)).isTrue();
        again.release();
    }

    @Test
    void bufferThatGrowsKeepsItsBytesAndGivesItsMemoryBack() {
        ByteBuf buffer = allocator.directBuffer(4096);
        for (int i = 0; i < 3000; i++) {
            buffer.writeInt(i);
        }
        assertThat(isRegistered(buffer)).isFalse();
        assertThat(allocator.usedBytes()).isZero();
        for (int i = 0; i < 3000; i++) {
            assertThat(buffer.readInt()).isEqualTo(i);
        }
        assertThat(buffer.release()).isTrue();
        assertThat(allocator.usedBytes()).isZero();
    }

    @Test
    void lessThanAChunkIsRefused() {
        assertThatThrownBy(() -> new RdmaByteBufAllocator(CHUNK - 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1048575")
                .hasMessageContaining("1048576");
    }

    @Test
    void overTcpTheyAreCopied() throws Exception {
        EventLoopGroup loops =
                new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("loops", true), RdmaIoHandler.newFactory());
        try {
            InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            assertThat(AllocatedEcho.run(loops, here, Transport.TCP, allocator)).isZero();
        } finally {
            loops.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly();
        }
        assertThat(allocator.usedBytes()).isZero();
    }
}
