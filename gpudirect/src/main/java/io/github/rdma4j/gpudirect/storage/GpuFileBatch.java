// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.DeviceMemory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A batch of transfers that are submitted together and complete in any order. {@link #read} and {@link #write} collect
 * them, {@link #submit()} submits them, and {@link #await} returns the number of completed ones. Their {@link #id},
 * {@link #bytes} and {@link #failure} are valid until the next await.
 *
 * <p>All files of a batch use cuFile, or all use the staged path; the first file decides. On the staged path, the
 * threads of {@link StorageConfig#threads} do the work.
 *
 * <p>Thread safety: for one thread at a time.
 *
 * @since 0.1.0
 */
public final class GpuFileBatch implements AutoCloseable {
    private static final int MOST = 65_536;

    private final GpuStorage storage;
    private final int capacity;
    private final List<BatchEntry> entries = new ArrayList<>();
    private final Deque<BatchEntry> free = new ArrayDeque<>();
    private final List<BatchEntry> collected = new ArrayList<>();
    private final long[] ids;
    private final long[] results;
    private final RuntimeException[] failures;
    private final BatchEngine.Sink sink = this::complete;
    private final ReentrantLock lock = new ReentrantLock();
    /** The numbers of the entries that have ended and were not yet returned by await. */
    private final int[] completed;

    private int completedCount;
    private int ended;
    private volatile int underWay;
    private BatchEngine engine;
    private boolean byCuFile;
    private boolean closed;

    GpuFileBatch(GpuStorage storage, int capacity) {
        if (capacity < 1 || capacity > MOST) {
            throw new IllegalArgumentException("a batch of %d: from 1 to %d".formatted(capacity, MOST));
        }
        this.storage = storage;
        this.capacity = capacity;
        this.ids = new long[capacity];
        this.completed = new int[capacity];
        this.results = new long[capacity];
        this.failures = new RuntimeException[capacity];
        for (int i = 0; i < capacity; i++) {
            BatchEntry entry = new BatchEntry(i);
            entries.add(entry);
            free.add(entry);
        }
    }

    /** {@return the most transfers, collected or pending} */
    public int capacity() {
        return capacity;
    }

    /** {@return how many transfers are submitted and have not ended} */
    public int underWay() {
        return underWay;
    }

    /**
     * Collects a read.
     *
     * @param id the value that {@link #id} returns for it
     * @param file of the batch's storage
     * @param memory of the storage's context
     * @param memoryOffset of the first byte written
     * @param fileOffset of the first byte read
     * @param length in bytes
     * @throws IllegalStateException if the batch is full
     */
    public void read(long id, GpuFile file, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        file.requireReadable();
        collect(id, false, file, memory, memoryOffset, fileOffset, length);
    }

    /**
     * Collects a write.
     *
     * @param id the value that {@link #id} returns for it
     * @param file of the batch's storage
     * @param memory of the storage's context
     * @param memoryOffset of the first byte read
     * @param fileOffset of the first byte written
     * @param length in bytes
     * @throws IllegalStateException if the batch is full
     */
    public void write(long id, GpuFile file, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        file.requireWritable();
        collect(id, true, file, memory, memoryOffset, fileOffset, length);
    }

    private void collect(
            long id,
            boolean write,
            GpuFile file,
            DeviceMemory memory,
            long memoryOffset,
            long fileOffset,
            long length) {
        requireOpen();
        file.check(memory, memoryOffset, fileOffset, length);
        requireEngine(file);
        if (free.isEmpty()) {
            throw new IllegalStateException(
                    "the batch is full: %d transfers are collected, %d under access. Call submit()"
                                    .formatted(collected.size(), underWay)
                            + " and await(), or a larger batch");
        }
        BatchEntry entry = free.remove();
        entry.id = id;
        entry.write = write;
        entry.file = file;
        entry.memory = memory;
        entry.memoryOffset = memoryOffset;
        entry.fileOffset = fileOffset;
        entry.length = length;
        collected.add(entry);
    }

    private void requireEngine(GpuFile file) {
        if (file.storage() != storage) {
            throw new IllegalArgumentException(file + " belongs to another storage than the batch");
        }
        boolean cuFile = file.access() instanceof CuFileAccess;
        if (engine == null) {
            if (cuFile && !storage.cuFileCalls().hasBatches()) {
                throw new UnsupportedOperationException(storage.cuFileCalls().file()
                        + " has no batches. Install a newer cuFile, or take the staged path, which has them");
            }
            engine = cuFile ? new CuFileBatch(storage, capacity) : new StagedBatch(storage.workers());
            byCuFile = cuFile;
        } else if (cuFile != byCuFile) {
            throw new IllegalArgumentException("%s uses %s, but the batch uses %s. Use a batch for each"
                    .formatted(file, cuFile ? "cuFile" : "the staged path", byCuFile ? "cuFile" : "the staged path"));
        }
    }

    /**
     * Submits the collected transfers (cuFileBatchIOSubmit).
     *
     * @return the number of transfers
     * @throws IllegalStateException if a file or memory has been closed
     * @throws CuFileException if cuFile refuses; no transfer has begun, and the collected transfers are discarded
     */
    public int submit() {
        requireOpen();
        if (collected.isEmpty()) {
            return 0;
        }
        List<BatchEntry> given = List.copyOf(collected);
        lock.lock();
        boolean taken = false;
        try {
            collected.forEach(this::acquire);
            List<BatchEntry> nothing =
                    collected.stream().filter(each -> each.length == 0).toList();
            collected.removeAll(nothing);
            if (!collected.isEmpty()) {
                engine.submit(collected);
            }
            taken = true;
            underWay += given.size();
            // Empty transfers are not passed to cuFile, which may refuse them.
            nothing.forEach(each -> complete(each.number, 0, null));
        } finally {
            if (!taken) {
                given.forEach(this::release);
                free.addAll(given);
            }
            collected.clear();
            lock.unlock();
        }
        return given.size();
    }

    /**
     * Waits for transfers to end (cuFileBatchIOGetStatus).
     *
     * @param atLeast how many must have ended, 0 or more; a larger number than there are pending means all of them
     * @param timeout the longest wait
     * @return how many have ended since the last await: fewer than requested at the timeout or if the thread is
     *     interrupted
     * @throws CuFileException if cuFile refuses
     */
    public int await(int atLeast, Duration timeout) {
        requireOpen();
        lock.lock();
        try {
            return awaitMore(atLeast, Timeouts.checkedNanos(timeout));
        } finally {
            lock.unlock();
        }
    }

    /** Called with the lock. */
    private int awaitMore(int atLeast, long nanos) {
        int wanted = Math.min(atLeast, underWay + completedCount);
        long start = System.nanoTime();
        long left = nanos;
        while (underWay > 0) {
            engine.await(completedCount >= wanted ? 0 : left, sink);
            left = nanos - (System.nanoTime() - start);
            if (completedCount >= wanted || left <= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
        }
        return deliver();
    }

    private int deliver() {
        ended = completedCount;
        for (int i = 0; i < ended; i++) {
            BatchEntry entry = entries.get(completed[i]);
            ids[i] = entry.id;
            results[i] = entry.result;
            failures[i] = entry.failure;
            entry.failure = null;
            free.add(entry);
        }
        completedCount = 0;
        return ended;
    }

    /** Releases the memory and the file at once, even if the program has not called await yet. */
    private void complete(int number, long bytes, RuntimeException failure) {
        BatchEntry entry = entries.get(number);
        entry.result = bytes;
        entry.failure = failure != null ? failure : bytes < 0 ? Failures.of(-bytes, entry.describe(), 0) : null;
        completed[completedCount++] = number;
        underWay--;
        release(entry);
    }

    /**
     * Polls once, for a close of memory or of a file that a transfer may be using, from any thread. A thread in await
     * holds the lock and polls anyway.
     */
    void poll() {
        if (lock.tryLock()) {
            try {
                if (underWay > 0) {
                    engine.await(0, sink);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void acquire(BatchEntry entry) {
        entry.file.enter();
        entry.held = true;
        entry.use = byCuFile ? storage.use(entry.memory) : null;
    }

    private void release(BatchEntry entry) {
        if (entry.use != null) {
            entry.use.exit();
            entry.use = null;
        }
        if (entry.held) {
            entry.file.exit();
            entry.held = false;
        }
        entry.memory = null;
    }

    /**
     * Returns the id of a transfer that has ended.
     *
     * @param index from 0, less than the result of {@link #await}
     * @return the id with which it was collected
     */
    public long id(int index) {
        return ids[Objects.checkIndex(index, ended)];
    }

    /**
     * Returns how many bytes a transfer has read or written.
     *
     * @param index from 0, less than the result of {@link #await}
     * @return the bytes
     * @throws RuntimeException the {@link #failure}, if it failed
     */
    public long bytes(int index) {
        RuntimeException failure = failure(index);
        if (failure != null) {
            throw failure;
        }
        return results[index];
    }

    /**
     * Returns why a transfer failed.
     *
     * @param index from 0, less than the result of {@link #await}
     * @return null if it succeeded; a {@link StorageException}, a {@link io.github.rdma4j.cuda.CudaException}, or a
     *     {@link java.util.concurrent.CancellationException} if it was cancelled
     */
    public RuntimeException failure(int index) {
        return failures[Objects.checkIndex(index, ended)];
    }

    /**
     * Requests the cancellation of transfers that have not begun (cuFileBatchIOCancel). They are reported as failed.
     *
     * @throws CuFileException if cuFile refuses
     */
    public void cancel() {
        requireOpen();
        if (underWay > 0) {
            engine.cancel();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the batch is closed");
        }
    }

    /**
     * Waits for pending transfers, and closes the batch (cuFileBatchIODestroy). Collected transfers that were not
     * submitted are discarded. Closing twice does nothing.
     *
     * @throws CudaCloseTimeoutException if transfers have not ended within {@link StorageConfig#timeout}
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        collected.clear();
        awaitAll();
        closed = true;
        storage.forget(this);
        if (engine != null) {
            engine.close();
        }
    }

    /** An interrupted thread must also wait, without spinning: memory and files are in use. */
    private void awaitAll() {
        long nanos = Timeouts.checkedNanos(storage.config().timeout());
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (underWay > 0) {
                long left = nanos - (System.nanoTime() - start);
                if (left <= 0) {
                    throw new CudaCloseTimeoutException(
                            "the batch is not closed: %d transfers are under way for longer than %s."
                                            .formatted(
                                                    underWay,
                                                    TimeText.of(storage.config().timeout()))
                                    + " Call await(), and close it again");
                }
                interrupted |= Thread.interrupted();
                interrupted |= awaitSome(left);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for some transfers. Another thread may hold the lock for longer in an await. Returns whether this thread
     * was interrupted.
     */
    private boolean awaitSome(long nanos) {
        try {
            if (lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
                try {
                    awaitMore(underWay, nanos);
                } finally {
                    lock.unlock();
                }
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
