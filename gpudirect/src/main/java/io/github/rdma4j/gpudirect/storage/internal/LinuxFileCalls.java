// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The functions of libc. A {@code FileChannel} does not fit: it is closed if a thread is interrupted, it hides errno,
 * and cuFile needs the file descriptor.
 */
public final class LinuxFileCalls implements FileCalls {
    private static final int CLOSE_ON_EXEC = 0x80000;
    /** The only flag whose number depends on the architecture. */
    private static final int DIRECT = System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;

    private static final int READABLE_BY_ALL = 0666;
    private static final int SEEK_END = 2;
    private static final int WILL_NEED = 3;
    private static final int INTERRUPTED = 4;

    private static final MethodHandle OPEN = function(
            "open",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
            Linker.Option.firstVariadicArg(2),
            Errno.CAPTURE);
    private static final MethodHandle CLOSE = function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle PREAD = function(
            "pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG), Errno.CAPTURE);
    private static final MethodHandle PWRITE = function(
            "pwrite", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG), Errno.CAPTURE);
    private static final MethodHandle LSEEK =
            function("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT), Errno.CAPTURE);
    private static final MethodHandle FSYNC =
            function("fsync", FunctionDescriptor.of(JAVA_INT, JAVA_INT), Errno.CAPTURE);
    private static final MethodHandle FTRUNCATE =
            function("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), Errno.CAPTURE);
    private static final MethodHandle FADVISE =
            function("posix_fadvise", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    /** Creates the calls, which have no state. */
    public LinuxFileCalls() {}

    private static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
    }

    /** Passes the bytes of the path: {@code toString()} loses bytes that are not characters in this JVM's locale. */
    @Override
    public int open(Path path, int flags) {
        String escaped = path.toUri().getRawPath().replace("+", "%2B");
        String bytes = URLDecoder.decode(escaped, StandardCharsets.ISO_8859_1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(bytes, StandardCharsets.ISO_8859_1);
            int result = (int) OPEN.invokeExact(Errno.segment(), name, flags | CLOSE_ON_EXEC, READABLE_BY_ALL);
            return result < 0 ? -Errno.last() : result;
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    /** Opens the descriptor's link in /proc, because the path may name another file by now. */
    @Override
    public int openDirect(int descriptor, int access) {
        return open(Path.of("/proc/self/fd/" + descriptor), access | DIRECT);
    }

    @Override
    public void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    @Override
    public long read(int descriptor, long address, long length, long offset) {
        return transfer(PREAD, descriptor, address, length, offset);
    }

    @Override
    public long write(int descriptor, long address, long length, long offset) {
        return transfer(PWRITE, descriptor, address, length, offset);
    }

    private static long transfer(MethodHandle call, int descriptor, long address, long length, long offset) {
        try {
            long result;
            do {
                result = (long) call.invokeExact(Errno.segment(), descriptor, address, length, offset);
            } while (result < 0 && Errno.last() == INTERRUPTED);
            return result < 0 ? -Errno.last() : result;
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    @Override
    public long size(int descriptor) {
        try {
            long result = (long) LSEEK.invokeExact(Errno.segment(), descriptor, 0L, SEEK_END);
            return result < 0 ? -Errno.last() : result;
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    @Override
    public int sync(int descriptor) {
        try {
            int result = (int) FSYNC.invokeExact(Errno.segment(), descriptor);
            return result < 0 ? -Errno.last() : result;
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    @Override
    public int truncate(int descriptor, long size) {
        try {
            int result = (int) FTRUNCATE.invokeExact(Errno.segment(), descriptor, size);
            return result < 0 ? -Errno.last() : result;
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }

    @Override
    public void willNeed(int descriptor, long offset, long length) {
        try {
            int ignored = (int) FADVISE.invokeExact(descriptor, offset, length, WILL_NEED);
        } catch (Throwable e) {
            throw Errno.unexpected(e);
        }
    }
}
