// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.time.Duration;

/**
 * A thread inside a native call with some memory: a write to a pipe, which cannot end before {@link #end()} has read
 * it.
 */
public final class BlockedWrite {
    private final Pipe pipe = Pipe.open();
    private final Thread writer;
    private final int size;

    /** Returns when the call has begun; the memory is larger than a pipe, 1 MiB. */
    public BlockedWrite(MemorySegment memory) throws IOException {
        size = (int) memory.byteSize();
        ByteBuffer buffer = memory.asByteBuffer();
        writer = Thread.ofPlatform().start(() -> {
            try {
                pipe.sink().write(buffer);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        read(1);
    }

    private void read(int bytes) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        while (target.hasRemaining()) {
            pipe.source().read(target);
        }
    }

    /** Lets the call end. */
    public void end() throws IOException, InterruptedException {
        read(size - 1);
        if (!writer.join(Duration.ofSeconds(60))) {
            throw new AssertionError("the write did not end");
        }
        pipe.source().close();
        pipe.sink().close();
    }
}
