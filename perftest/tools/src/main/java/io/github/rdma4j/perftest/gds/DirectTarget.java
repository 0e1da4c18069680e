// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.util.Arrays;

/**
 * Host memory and a file that is open with O_DIRECT, which transfers only whole blocks: the rest after the last block
 * uses the other channel.
 */
final class DirectTarget implements GdsTarget {
    /** The block size of every usual file system. */
    static final int BLOCK = 4096;

    /** Loaded by name, because compilers warn about classes outside Java's own packages. */
    private static final String OPTIONS = "com.sun.nio.file.ExtendedOpenOption";

    private final FileChannel direct;
    private final FileChannel cached;
    private final ByteBuffer block;

    /**
     * A target.
     *
     * @param size a multiple of the block
     */
    DirectTarget(FileChannel direct, FileChannel cached, int size) {
        this.direct = direct;
        this.cached = cached;
        block = ByteBuffer.allocateDirect(size + BLOCK).alignedSlice(BLOCK).slice(0, size);
    }

    /**
     * Returns the option that opens a file past the page cache: O_DIRECT.
     *
     * @throws UnsupportedOperationException if this JDK does not have it
     */
    static OpenOption option() {
        try {
            return Arrays.stream(Class.forName(OPTIONS).getEnumConstants())
                    .filter(each -> each.toString().equals("DIRECT"))
                    .map(OpenOption.class::cast)
                    .findFirst()
                    .orElseThrow(() -> new UnsupportedOperationException(OPTIONS + " has no DIRECT"));
        } catch (ClassNotFoundException e) {
            throw new UnsupportedOperationException("this JDK has no " + OPTIONS, e);
        }
    }

    @Override
    public long read(long offset, int length) {
        int whole = length / BLOCK * BLOCK;
        try {
            int there = readAll(direct, offset, 0, whole);
            return there < whole ? there : readAll(cached, offset, whole, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int readAll(FileChannel channel, long offset, int from, int to) throws IOException {
        block.limit(to).position(from);
        while (block.hasRemaining() && channel.read(block, offset + block.position()) >= 0) {}
        return block.position();
    }

    @Override
    public void write(long offset, int length) {
        int whole = length / BLOCK * BLOCK;
        try {
            writeAll(direct, offset, 0, whole);
            writeAll(cached, offset, whole, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeAll(FileChannel channel, long offset, int from, int to) throws IOException {
        block.limit(to).position(from);
        while (block.hasRemaining()) {
            channel.write(block, offset + block.position());
        }
    }

    @Override
    public void set(ByteBuffer bytes) {
        block.clear().put(bytes);
    }

    @Override
    public void get(ByteBuffer bytes) {
        bytes.put(block.position(0));
    }

    @Override
    public void close() {}
}
