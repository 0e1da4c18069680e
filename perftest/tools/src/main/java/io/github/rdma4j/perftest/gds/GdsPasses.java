// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Passes over a whole file by several threads, which take turns with its blocks; then another pass that compares the
 * contents. Several of these objects can take turns with the file.
 */
final class GdsPasses implements AutoCloseable {
    private static final double MIB = 1 << 20;

    private final Path file;
    private final long fileSize;
    private final GdsMethod method;
    private final boolean write;
    private final int size;
    private final ExecutorService executor;
    private final List<GdsTarget> targets = new ArrayList<>();
    private final List<byte[]> contents = new ArrayList<>();
    private final List<Double> speeds = new ArrayList<>();

    private GdsPasses(Path file, long fileSize, GdsMethod method, boolean write, int size, int threads) {
        this.file = file;
        this.fileSize = fileSize;
        this.method = method;
        this.write = write;
        this.size = size;
        this.executor = Executors.newFixedThreadPool(threads);
    }

    /**
     * Opens a target for each thread, and makes a pass that does not count, which creates pinned memory and threads.
     */
    static GdsPasses begin(
            Path file,
            long fileSize,
            GdsMethod method,
            boolean write,
            int size,
            int threads,
            Supplier<GdsTarget> target) {
        GdsPasses passes = new GdsPasses(file, fileSize, method, write, size, threads);
        boolean begun = false;
        try {
            for (int i = 0; i < threads; i++) {
                passes.add(target.get());
            }
            passes.all(passes::pass);
            begun = true;
            return passes;
        } finally {
            if (!begun) {
                passes.close();
            }
        }
    }

    private void add(GdsTarget target) {
        targets.add(target);
        if (write) {
            byte[] bytes = new byte[size];
            new Random(31L * contents.size() + size + method.ordinal()).nextBytes(bytes);
            contents.add(bytes);
            target.set(ByteBuffer.wrap(bytes));
        }
    }

    /** One pass that is counted. */
    void pass() {
        long start = System.nanoTime();
        all(this::pass);
        speeds.add(fileSize / MIB / ((System.nanoTime() - start) / 1e9));
    }

    /** Compares the whole file, after writing again what others have overwritten. */
    GdsResult finish() {
        if (write) {
            all(this::pass);
        }
        all(this::compare);
        return new GdsResult(method, write, size, targets.size(), speeds, fileSize);
    }

    @Override
    public void close() {
        executor.close();
        targets.forEach(GdsTarget::close);
    }

    private void all(IntConsumer task) {
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            int number = i;
            running.add(executor.submit(() -> task.accept(number)));
        }
        for (Future<?> each : running) {
            try {
                each.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RunFailedException("interrupted", "");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    private int lengthAt(long offset) {
        return (int) Math.min(size, fileSize - offset);
    }

    private void pass(int number) {
        GdsTarget target = targets.get(number);
        for (long offset = (long) number * size; offset < fileSize; offset += (long) targets.size() * size) {
            int length = lengthAt(offset);
            if (write) {
                target.write(offset, length);
            } else {
                requireAll(target.read(offset, length), offset, length);
            }
        }
    }

    private void requireAll(long read, long offset, int length) {
        if (read != length) {
            throw new RunFailedException(
                    "%s: %d of %d bytes at %d: the file was made shorter meanwhile"
                            .formatted(file, read, length, offset),
                    "leave the file alone while it is measured");
        }
    }

    /** Reads each block again, and compares it with a plain read of the file. */
    private void compare(int number) {
        GdsTarget target = targets.get(number);
        ByteBuffer ours = ByteBuffer.allocateDirect(size);
        ByteBuffer theirs = ByteBuffer.allocateDirect(size);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (long offset = (long) number * size; offset < fileSize; offset += (long) targets.size() * size) {
                int length = lengthAt(offset);
                ours.clear().limit(length);
                theirs.clear().limit(length);
                if (write) {
                    ours.put(contents.get(number), 0, length).flip();
                } else {
                    target.read(offset, length);
                    target.get(ours);
                    ours.flip();
                }
                while (theirs.hasRemaining() && channel.read(theirs, offset + theirs.position()) >= 0) {}
                theirs.flip();
                int wrong = ours.mismatch(theirs);
                if (wrong >= 0) {
                    throw new RunFailedException(
                            "%s, %s: byte %d of the file is wrong"
                                    .formatted(method.word(), write ? "write" : "read", offset + wrong),
                            "see whether somebody else writes the file");
                }
            }
        } catch (IOException e) {
            throw new PerftestException("the file cannot be compared: " + e.getMessage(), "");
        }
    }
}
