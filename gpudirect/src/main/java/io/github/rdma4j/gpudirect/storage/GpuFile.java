// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A file that is read into device memory and written from it, at any offset and of any length. {@link #decision()}
 * reports the path, and why no better one works. The same program is correct on all paths.
 *
 * <p>Offsets and lengths need no alignment; those that are multiples of 4096 go faster. If several threads read and
 * write overlapping parts, the caller must order them, as for a {@code FileChannel}.
 *
 * <p>Thread safety: all methods may be called from any thread. {@link #close()} waits for transfers that are under way.
 *
 * @since 0.1.0
 */
public final class GpuFile implements AutoCloseable {
    /** Where a transfer must end: chunks are counted, and the number of one behind it must not overflow. */
    private static final long FARTHEST = 1L << 62;

    private final GpuStorage storage;
    private final OpenFile io;
    private final Uses uses = new Uses();
    private final boolean readable;
    private final boolean writable;
    private StorageDecision decision;
    private FileAccess way;
    private boolean released;

    GpuFile(GpuStorage storage, OpenFile io, boolean readable, boolean writable) {
        this.storage = storage;
        this.io = io;
        this.readable = readable;
        this.writable = writable;
    }

    /** Once, before anybody else has it. */
    void use(FileAccess chosen, StorageDecision why) {
        way = chosen;
        decision = why;
    }

    FileAccess way() {
        return way;
    }

    /** {@return which path is taken, and why not a better one} */
    public StorageDecision decision() {
        return decision;
    }

    /** {@return the file} */
    public Path path() {
        return io.path();
    }

    /** {@return whether whole blocks go past the page cache (O_DIRECT)} */
    public boolean isDirectIo() {
        return io.goesDirect();
    }

    /** {@return the storage that opened it} */
    public GpuStorage storage() {
        return storage;
    }

    /** {@return whether it can be used} */
    public boolean isOpen() {
        return !uses.isClosed();
    }

    /**
     * Reads to device memory (cuFileRead, or pread(2) and copies). Waits until the bytes are there for all that the GPU
     * is given from now on; what streams have been given before is not waited for.
     *
     * @param memory of the storage's context
     * @param memoryOffset of the first byte written
     * @param fileOffset of the first byte read; it may lie behind the end
     * @param length in bytes
     * @return how many bytes were read: less than the length if the file ends before. Memory behind them is as it was
     * @throws IndexOutOfBoundsException if the range leaves the memory, or ends behind 2^62 in the file
     * @throws StorageException if the file cannot be read; what is in the range then is not defined
     * @throws io.github.rdma4j.cuda.CudaException if a copy fails
     * @throws io.github.rdma4j.cuda.CudaWaitInterruptedException if the thread is interrupted while it waits for a
     *     copy; a copy may then be under way still, which keeps the memory from being freed
     */
    public long read(DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireReadable();
        enter();
        try {
            return length == 0 ? 0 : way.read(memory, memoryOffset, fileOffset, length);
        } finally {
            exit();
        }
    }

    /**
     * Reads to a part of device memory, as much as the part is long.
     *
     * @param target of the storage's context
     * @param fileOffset of the first byte read
     * @return how many bytes were read: less than the part is long if the file ends before
     * @throws StorageException if the file cannot be read
     */
    public long read(DeviceSlice target, long fileOffset) {
        return read(target.memory(), target.offset(), fileOffset, target.length());
    }

    /**
     * Writes from device memory (cuFileWrite, or copies and pwrite(2)). Returns when the kernel has the bytes;
     * {@link #sync()} waits for the device. It does not wait for streams that still use the memory.
     *
     * @param memory of the storage's context
     * @param memoryOffset of the first byte read
     * @param fileOffset of the first byte written; behind the end, what lies between reads as zeros
     * @param length in bytes
     * @return the length
     * @throws IndexOutOfBoundsException if the range leaves the memory, or ends behind 2^62 in the file
     * @throws StorageException if the file cannot be written: {@link StorageException#transferred()} bytes are
     * @throws io.github.rdma4j.cuda.CudaException if a copy fails
     * @throws io.github.rdma4j.cuda.CudaWaitInterruptedException if the thread is interrupted while it waits for a copy
     */
    public long write(DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireWritable();
        enter();
        try {
            return length == 0 ? 0 : way.write(memory, memoryOffset, fileOffset, length);
        } finally {
            exit();
        }
    }

    /**
     * Writes a part of device memory.
     *
     * @param source of the storage's context
     * @param fileOffset of the first byte written
     * @return how long the part is
     * @throws StorageException if the file cannot be written
     */
    public long write(DeviceSlice source, long fileOffset) {
        return write(source.memory(), source.offset(), fileOffset, source.length());
    }

    /**
     * Reads into device memory in the order of a stream (cuFileReadAsync, or a copy, a function of the host and a
     * copy). Later work of the stream sees the bytes. Memory and file may be closed meanwhile: the close waits.
     * Allocates.
     *
     * <p>Staged, a thread of the driver reads the file, and other functions of the host in any stream
     * ({@link CudaStream#callback}) may wait for it.
     *
     * @param stream of the storage's context
     * @param memory of the same
     * @param memoryOffset of the first byte written
     * @param fileOffset of the first byte read
     * @param length in bytes, 1 or more
     * @return the transfer, which has the number of bytes
     * @throws IllegalStateException if the stream is closed or being captured, or something else is closed
     * @throws UnsupportedOperationException if the library of cuFile is too old
     */
    public StreamTransfer readAsync(
            CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireStream(stream, length);
        requireReadable();
        enter();
        return way.readAsync(stream, memory, memoryOffset, fileOffset, length);
    }

    /**
     * Writes from device memory in the order of a stream (cuFileWriteAsync, or a copy and a function of the host). It
     * writes the result of the stream's earlier work. Otherwise as {@link #readAsync}.
     *
     * @param stream of the storage's context
     * @param memory of the same
     * @param memoryOffset of the first byte read
     * @param fileOffset of the first byte written
     * @param length in bytes, 1 or more
     * @return the transfer
     * @throws UnsupportedOperationException if the library of cuFile is too old
     */
    public StreamTransfer writeAsync(
            CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireStream(stream, length);
        requireWritable();
        enter();
        return way.writeAsync(stream, memory, memoryOffset, fileOffset, length);
    }

    /** {@return how many bytes the file has now (lseek(2))} */
    public long size() {
        enter();
        try {
            return io.size();
        } finally {
            exit();
        }
    }

    /** Waits until the device has what was written (fsync(2)). */
    public void sync() {
        enter();
        try {
            io.sync();
        } finally {
            exit();
        }
    }

    /**
     * Makes the file shorter, or longer with zeros (ftruncate(2)).
     *
     * @param size in bytes, 0 or more
     */
    public void truncate(long size) {
        if (size < 0) {
            throw new IllegalArgumentException("a file of " + size + " bytes");
        }
        requireWritable();
        enter();
        try {
            io.truncate(size);
        } finally {
            exit();
        }
    }

    void check(DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        Objects.checkFromIndexSize(memoryOffset, length, memory.size());
        if (fileOffset < 0 || fileOffset > FARTHEST - length) {
            throw new IndexOutOfBoundsException(
                    "file offset %d, length %d: 0 or more, and the end at most 2^62".formatted(fileOffset, length));
        }
        if (memory.context() != storage.context()) {
            throw new IllegalArgumentException(
                    "%s is of %s, and the storage of %s. Make a GpuStorage on the memory's context"
                            .formatted(memory, memory.context(), storage.context()));
        }
    }

    private void requireStream(CudaStream stream, long length) {
        if (stream.context() != storage.context()) {
            throw new IllegalArgumentException(
                    "%s is of %s, and the storage of %s".formatted(stream, stream.context(), storage.context()));
        }
        if (length == 0) {
            throw new IllegalArgumentException("a transfer of 0 bytes in the order of a stream: 1 or more");
        }
        if (!stream.isOpen()) {
            throw new IllegalStateException(stream + " is closed");
        }
        if (stream.isCaptured()) {
            throw new IllegalStateException(
                    stream + " is being captured, and a file is read or written once, not at each"
                            + " launch of a graph. Give the transfer to the stream before or behind the"
                            + " launch");
        }
    }

    void requireReadable() {
        if (!readable) {
            throw new IllegalStateException(this + " is not open for reading. Open it with READ");
        }
    }

    void requireWritable() {
        if (!writable) {
            throw new IllegalStateException(this + " is not open for writing. Open it with WRITE");
        }
    }

    void enter() {
        if (!uses.enter()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    void exit() {
        uses.exit();
    }

    /**
     * Closes it, when transfers that are under way are over; closing twice does nothing.
     *
     * @throws CudaCloseTimeoutException if they are not over in the time of {@link StorageConfig#timeout}; it is closed
     *     to new ones, and can be closed again
     */
    @Override
    public void close() {
        if (!uses.close(storage.config().timeout(), storage::look)) {
            throw new CudaCloseTimeoutException(this + " is not closed: transfers are under way for longer than "
                    + TimeText.of(storage.config().timeout()) + ". Wait for them, and close it again");
        }
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
        }
        storage.forget(this);
        try {
            if (way != null) {
                way.close();
            }
        } finally {
            io.close();
        }
    }

    /** {@return the path} */
    @Override
    public String toString() {
        return io.path().toString();
    }
}
