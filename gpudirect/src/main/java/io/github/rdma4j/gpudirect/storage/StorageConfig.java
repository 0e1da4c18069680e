// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The settings of {@link GpuStorage#on}. Setters return this; thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class StorageConfig {
    private static final int PAGE = 4096;
    private static final int MOST_CHUNK = 1 << 30;
    private static final int MOST_SLOTS = 64;
    private static final int MOST_THREADS = 256;

    private Set<StoragePath> allowed = EnumSet.allOf(StoragePath.class);
    private int chunkSize = 4 << 20;
    private int slots = 2;
    private int threads = 1;
    private boolean directIo = true;
    private Duration timeout = Duration.ofSeconds(60);

    StorageConfig() {}

    /**
     * Sets the permitted paths, which are tried in the order of {@link StoragePath}. Default: all.
     *
     * @param paths one or more, each once
     * @return this
     */
    public StorageConfig allow(StoragePath... paths) {
        for (StoragePath path : paths) {
            Objects.requireNonNull(path, "path");
        }
        List<StoragePath> given = List.of(paths);
        if (given.isEmpty() || EnumSet.copyOf(given).size() != given.size()) {
            throw new IllegalArgumentException("paths " + given + ": one or more, each once");
        }
        allowed = EnumSet.copyOf(given);
        return this;
    }

    /**
     * Permits a single path. If the machine lacks it, opening a file fails with the reason.
     *
     * @param path the only path
     * @return this
     */
    public StorageConfig only(StoragePath path) {
        return allow(path);
    }

    /**
     * Sets how many bytes the staged path reads or writes at once; default 4 MiB.
     *
     * @param bytes 4096 to 1 GiB, a multiple of 4096
     * @return this
     */
    public StorageConfig chunkSize(int bytes) {
        if (bytes < PAGE || bytes > MOST_CHUNK || bytes % PAGE != 0) {
            throw new IllegalArgumentException("a chunk of %d bytes: from %d to %d, in whole pages of %d"
                    .formatted(bytes, PAGE, MOST_CHUNK, PAGE));
        }
        chunkSize = bytes;
        return this;
    }

    /**
     * Sets the number of pinned chunks of each staged transfer, so that copies overlap with reading or writing the
     * file; default 2.
     *
     * @param count 2 to 64
     * @return this
     */
    public StorageConfig slots(int count) {
        if (count < 2 || count > MOST_SLOTS) {
            throw new IllegalArgumentException("%d slots: from 2 to %d".formatted(count, MOST_SLOTS));
        }
        slots = count;
        return this;
    }

    /**
     * Sets how many threads share the chunks of a staged read or write, and the work of a staged batch. With 1, the
     * default, the calling thread reads and writes, and a batch has its own thread.
     *
     * @param count 1 to 256
     * @return this
     */
    public StorageConfig threads(int count) {
        if (count < 1 || count > MOST_THREADS) {
            throw new IllegalArgumentException("%d threads: from 1 to %d".formatted(count, MOST_THREADS));
        }
        threads = count;
        return this;
    }

    /**
     * Sets whether transfers bypass the page cache (O_DIRECT) if the file system supports it; default true. Partial
     * blocks use the page cache.
     *
     * @param wanted whether to bypass it
     * @return this
     */
    public StorageConfig directIo(boolean wanted) {
        directIo = wanted;
        return this;
    }

    /**
     * Sets how long a transfer waits for the GPU's copies, and a close for transfers; default 60 seconds. It does not
     * limit the time that the kernel takes to read or write.
     *
     * @param limit more than zero
     * @return this
     */
    public StorageConfig timeout(Duration limit) {
        if (limit.isZero() || limit.isNegative()) {
            throw new IllegalArgumentException("a time limit of " + TimeText.of(limit) + ": more than zero");
        }
        timeout = Objects.requireNonNull(limit, "limit");
        return this;
    }

    Set<StoragePath> allowed() {
        return allowed;
    }

    int chunkSize() {
        return chunkSize;
    }

    int slots() {
        return slots;
    }

    int threads() {
        return threads;
    }

    boolean directIo() {
        return directIo;
    }

    Duration timeout() {
        return timeout;
    }
}
