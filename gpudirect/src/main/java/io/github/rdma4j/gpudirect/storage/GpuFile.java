// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.internal.Uses;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A file that is read into device memory and written from it, at any offset and of any length. {@link #decision()}
 * reports the path, and why no better one works. The same program is correct on all paths.
 *
 * <p>Offsets and lengths need no alignment, but multiples of 4096 are faster. If several threads read and write
 * overlapping parts, the caller must order them, as for a {@code FileChannel}.
 *
 * <p>Thread safety: all methods may be called from any thread. {@link #close()} waits for pending transfers.
 *
 * @since 0.1.0
 */
public final class GpuFile implements AutoCloseable {
    /** The highest end of a transfer: chunk numbers must not overflow. */
    private static final long FARTHEST = 1L << 62;

    private final GpuStorage storage;
    private final OpenFile io;
    private final Uses uses = new Uses();
    private final boolean readable;
    private final boolean writable;
    private StorageDecision decision;
    private FileAccess access;
    private boolean released;

    GpuFile(GpuStorage storage, OpenFile io, boolean readable, boolean writable) {
        this.storage = storage;
        this.io = io;
        this.readable = readable;
        this.writable = writable;
    }

    /** Called once, before the file is published. */
    void use(FileAccess chosen, StorageDecision why) {
        access = chosen;
        decision = why;
    }

    FileAccess access() {
        return access;
    }

    /** {@return the path that was taken, and why no better one} */
    public StorageDecision decision() {
        return decision;
    }

    /** {@return the file} */
    public Path path() {
        return io.path();
    }

    /** {@return whether whole blocks bypass the page cache (O_DIRECT)} */
    public boolean isDirectIo() {
        return io.goesDirect();
    }

    /** {@return the storage that opened it} */
    public GpuStorage storage() {
        return storage;
    }

    /** {@return whether it is open} */
    public boolean isOpen() {
        return !uses.isClosed();
    }

    /**
     * Reads to device memory (cuFileRead, or pread(2) and copies). When it returns, all work that is submitted to the
     * GPU later sees the bytes. It does not wait for work that streams have received before.
     *
     * @param memory of the storage's context
     * @param memoryOffset of the first byte written
     * @param fileOffset of the first byte read; may be after the end of the file
     * @param length in bytes
     * @return how many bytes were read: fewer than the length if the file ends before. The rest of the range is
     *     unchanged
     * @throws IndexOutOfBoundsException if the range is not inside the memory, or ends after 2^62 in the file
     * @throws StorageException if the file cannot be read; the contents of the range are undefined then
     * @throws io.github.rdma4j.cuda.CudaException if a copy fails
     * @throws io.github.rdma4j.cuda.CudaWaitInterruptedException if the thread is interrupted while it waits for a
     *     copy. The copy may still be in progress; a close of the memory waits for it
     */
    public long read(DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireReadable();
        enter();
        try {
            return length == 0 ? 0 : access.transfer(false, memory, memoryOffset, fileOffset, length);
        } finally {
            exit();
        }
    }

    /**
     * Reads to a slice of device memory, up to the length of the slice.
     *
     * @param target of the storage's context
     * @param fileOffset of the first byte read
     * @return how many bytes were read: fewer than the length of the slice if the file ends before
     * @throws StorageException if the file cannot be read
     */
    public long read(DeviceSlice target, long fileOffset) {
        return read(target.memory(), target.offset(), fileOffset, target.length());
    }

    /**
     * Writes from device memory (cuFileWrite, or copies and pwrite(2)). Returns when the kernel has the bytes;
     * {@link #sync()} waits for the device. It does not wait for streams that still write the memory.
     *
     * @param memory of the storage's context
     * @param memoryOffset of the first byte read
     * @param fileOffset of the first byte written; a gap after the end of the file reads as zeros
     * @param length in bytes
     * @return the length
     * @throws IndexOutOfBoundsException if the range is not inside the memory, or ends after 2^62 in the file
     * @throws StorageException if the file cannot be written; {@link StorageException#transferred()} bytes were written
     * @throws io.github.rdma4j.cuda.CudaException if a copy fails
     * @throws io.github.rdma4j.cuda.CudaWaitInterruptedException if the thread is interrupted while it waits for a copy
     */
    public long write(DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireWritable();
        enter();
        try {
            return length == 0 ? 0 : access.transfer(true, memory, memoryOffset, fileOffset, length);
        } finally {
            exit();
        }
    }

    /**
     * Writes a slice of device memory.
     *
     * @param source of the storage's context
     * @param fileOffset of the first byte written
     * @return the length of the slice
     * @throws StorageException if the file cannot be written
     */
    public long write(DeviceSlice source, long fileOffset) {
        return write(source.memory(), source.offset(), fileOffset, source.length());
    }

    /**
     * Reads into device memory in stream order (cuFileReadAsync, or a copy, a host function and a copy). Later work of
     * the stream sees the bytes. You may close the memory and the file meanwhile: their close waits. Allocates.
     *
     * <p>On the staged path, a thread of the driver reads the file. Other host functions in any stream
     * ({@link CudaStream#callback}) may have to wait for it.
     *
     * @param stream of the storage's context
     * @param memory of the storage's context
     * @param memoryOffset of the first byte written
     * @param fileOffset of the first byte read
     * @param length in bytes, 1 or more
     * @return the transfer, which reports the number of bytes
     * @throws IllegalStateException if the stream is being captured, or if the stream, the memory or the file is closed
     * @throws UnsupportedOperationException if the cuFile library is too old
     */
    public StreamTransfer readAsync(
            CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireStream(stream, length);
        requireReadable();
        enter();
        return access.queue(false, stream, memory, memoryOffset, fileOffset, length);
    }

    /**
     * Writes from device memory in stream order (cuFileWriteAsync, or a copy and a host function), after the stream's
     * earlier work. Otherwise like {@link #readAsync}.
     *
     * @param stream of the storage's context
     * @param memory of the storage's context
     * @param memoryOffset of the first byte read
     * @param fileOffset of the first byte written
     * @param length in bytes, 1 or more
     * @return the transfer
     * @throws UnsupportedOperationException if the cuFile library is too old
     */
    public StreamTransfer writeAsync(
            CudaStream stream, DeviceMemory memory, long memoryOffset, long fileOffset, long length) {
        check(memory, memoryOffset, fileOffset, length);
        requireStream(stream, length);
        requireWritable();
        enter();
        return access.queue(true, stream, memory, memoryOffset, fileOffset, length);
    }

    /** {@return the current size of the file in bytes (lseek(2))} */
    public long size() {
        enter();
        try {
            return io.size();
        } finally {
            exit();
        }
    }

    /** Waits until the device has everything that was written (fsync(2)). */
    public void sync() {
        enter();
        try {
            io.sync();
        } finally {
            exit();
        }
    }

    /**
     * Shortens the file, or extends it with zeros (ftruncate(2)).
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
            throw new IllegalArgumentException("a stream-ordered transfer of 0 bytes: 1 or more");
        }
        if (!stream.isOpen()) {
            throw new IllegalStateException(stream + " is closed");
        }
        if (stream.isCaptured()) {
            throw new IllegalStateException(
                    stream + " is being captured, but a file is read or written once, not at each"
                            + " launch of a graph. Queue the transfer before or after the"
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
     * Closes the file when pending transfers have ended. Closing twice does nothing.
     *
     * @throws CudaCloseTimeoutException if they do not end within {@link StorageConfig#timeout}. The file accepts no
     *     new transfers then, and can be closed again
     */
    @Override
    public void close() {
        if (!uses.close(storage.config().timeout(), storage::poll)) {
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
            if (access != null) {
                access.close();
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
