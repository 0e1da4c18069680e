// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.gpudirect.storage.internal.FileCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file descriptors of a file, and transfers between the file and host memory. With O_DIRECT, the kernel requires
 * offset, length and address to be multiples of the block size: a read includes the blocks around the range, and a
 * write uses the page cache for partial blocks. If the kernel refuses a direct read or write, the file continues
 * without O_DIRECT.
 */
final class OpenFile {
    /** The largest alignment that O_DIRECT requires of usual devices. cuFile always requires it. */
    static final int BLOCK = 4096;
    /** How much larger than the range a buffer must be, for the blocks around the range. */
    static final int MARGIN = 2 * BLOCK;

    private static final int INPUT_OUTPUT_ERROR = 5;
    private static final int INVALID = 22;
    /** The bits of stat(2)'s st_mode that contain the type of the file. */
    private static final int FORMAT = 0xf000;

    private static final int FORMAT_OF_PIPES = 0x1000;

    private final FileCalls calls;
    private final Path path;
    private final int buffered;
    private final int direct;
    private volatile boolean goesDirect;

    private OpenFile(FileCalls calls, Path path, int buffered, int direct) {
        this.calls = calls;
        this.path = path;
        this.buffered = buffered;
        this.direct = direct;
        this.goesDirect = direct >= 0;
    }

    static OpenFile open(FileCalls calls, Path path, int flags, boolean wantsDirect) {
        if (isPipe(path)) {
            // For a pipe, open(2) would wait until the other end is opened.
            throw Failures.of(Failures.PIPE, "open(%s)".formatted(path), 0);
        }
        int buffered = calls.open(path, flags);
        if (buffered < 0) {
            throw Failures.of(-buffered, "open(%s)".formatted(path), 0);
        }
        int access = flags & (FileCalls.WRITE_ONLY | FileCalls.READ_WRITE);
        // A file system without O_DIRECT returns EINVAL. After any error, the other descriptor is used.
        int direct = wantsDirect ? calls.openDirect(buffered, access) : -1;
        return new OpenFile(calls, path, buffered, direct);
    }

    /** False if the type cannot be read: open(2) decides then. */
    private static boolean isPipe(Path path) {
        try {
            return ((int) Files.getAttribute(path, "unix:mode") & FORMAT) == FORMAT_OF_PIPES;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return false;
        }
    }

    void close() {
        if (direct >= 0) {
            calls.close(direct);
        }
        calls.close(buffered);
    }

    /** Whether there is a descriptor with O_DIRECT, which the kernel has not refused so far. */
    boolean goesDirect() {
        return goesDirect;
    }

    /** Returns the descriptor for cuFile. */
    int descriptor() {
        return direct >= 0 ? direct : buffered;
    }

    long size() {
        long size = calls.size(buffered);
        if (size < 0) {
            throw Failures.of(-size, "lseek(%s, SEEK_END)".formatted(path), 0);
        }
        return size;
    }

    void sync() {
        int result = calls.sync(buffered);
        if (result < 0) {
            throw Failures.of(-result, "fsync(%s)".formatted(path), 0);
        }
    }

    void truncate(long size) {
        int result = calls.truncate(buffered, size);
        if (result < 0) {
            throw Failures.of(-result, "ftruncate(%s, %d)".formatted(path, size), 0);
        }
    }

    /** Truncates the file like O_TRUNC, which ignores everything except regular files. */
    void empty() {
        int result = calls.truncate(buffered, 0);
        if (result < 0 && result != -INVALID) {
            throw Failures.of(-result, "ftruncate(%s, 0)".formatted(path), 0);
        }
    }

    /** Returns the position of a file offset in a buffer that begins with a block. */
    static long positionOf(long fileOffset) {
        return fileOffset & BLOCK - 1;
    }

    /** Makes the kernel read ahead. Direct reads bypass the page cache, so there is nothing to read ahead. */
    void willNeed(long offset, long length) {
        if (!goesDirect && length > 0) {
            calls.willNeed(buffered, offset, length);
        }
    }

    /**
     * Reads a range, to the position {@link #positionOf} in the buffer.
     *
     * @param buffer address of a block; the buffer has the length of the range plus {@link #MARGIN}
     * @return how many bytes were read: fewer than the length at the end of the file; or a negative errno
     */
    long read(long buffer, long offset, long length) {
        return read(buffer, offset, length, Long.MAX_VALUE);
    }

    /**
     * Reads a range, and leaves the part of the buffer after the end of the file unchanged. A direct read of the last
     * block would fill it with zeros.
     */
    long readKeeping(long buffer, long offset, long length) {
        long size = calls.size(buffered);
        return read(buffer, offset, length, size < 0 ? 0 : size - positionOf(size));
    }

    private long read(long buffer, long offset, long length, long lastDirect) {
        long first = offset - positionOf(offset);
        if (goesDirect && first < lastDirect) {
            long wanted = Math.min(roundUp(offset + length), lastDirect) - first;
            long got = readBlocks(buffer, first, wanted);
            if (got >= 0) {
                long there = Math.min(length, first + got - offset);
                // A partial block is the end of the file, or an interrupted read: the buffered descriptor reads the
                // rest.
                return there == length ? length : readRest(buffer, offset, length, Math.max(0, there));
            }
            if (got != -INVALID) {
                return got;
            }
            goesDirect = false;
        }
        return readRest(buffer, offset, length, 0);
    }

    private long readBlocks(long buffer, long first, long wanted) {
        long got = 0;
        while (got < wanted) {
            long result = calls.read(direct, buffer + got, wanted - got, first + got);
            if (result < 0) {
                return result;
            }
            got += result;
            if (result == 0 || got % BLOCK != 0) {
                break;
            }
        }
        return got;
    }

    private long readRest(long buffer, long offset, long length, long have) {
        long got = have;
        while (got < length) {
            long result = calls.read(buffered, buffer + positionOf(offset) + got, length - got, offset + got);
            if (result < 0) {
                return result;
            }
            if (result == 0) {
                break;
            }
            got += result;
        }
        return got;
    }

    /**
     * Writes a range, from the position {@link #positionOf} in the buffer.
     *
     * @return the length, or a negative errno
     */
    long write(long buffer, long offset, long length) {
        long from = buffer + positionOf(offset);
        long first = roundUp(offset);
        long end = offset + length - positionOf(offset + length);
        if (!goesDirect || first >= end) {
            return writeAll(buffered, from, offset, length);
        }
        long result = writeAll(buffered, from, offset, first - offset);
        if (result >= 0) {
            result = writeBlocks(from + (first - offset), first, end - first);
        }
        if (result >= 0) {
            result = writeAll(buffered, from + (end - offset), end, offset + length - end);
        }
        return result < 0 ? result : length;
    }

    private long writeBlocks(long from, long offset, long length) {
        long done = 0;
        while (done < length && goesDirect) {
            long result = calls.write(direct, from + done, length - done, offset + done);
            if (result == -INVALID) {
                goesDirect = false;
            } else if (result <= 0) {
                return nothing(result);
            } else {
                done += result;
                if (done % BLOCK != 0) {
                    break;
                }
            }
        }
        return writeAll(buffered, from + done, offset + done, length - done);
    }

    private long writeAll(int descriptor, long from, long offset, long length) {
        long done = 0;
        while (done < length) {
            long result = calls.write(descriptor, from + done, length - done, offset + done);
            if (result <= 0) {
                return nothing(result);
            }
            done += result;
        }
        return length;
    }

    /** A write of 0 bytes is an error: the loop would never end. */
    private static long nothing(long result) {
        return result == 0 ? -INPUT_OUTPUT_ERROR : result;
    }

    private static long roundUp(long offset) {
        return offset + BLOCK - 1 & -BLOCK;
    }

    Path path() {
        return path;
    }
}
