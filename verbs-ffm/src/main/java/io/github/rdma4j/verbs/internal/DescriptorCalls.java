// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

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
import java.util.function.IntFunction;

/**
 * Operations on file descriptors by number, which some verbs need and the JDK hides: open(2), fcntl(2), pidfd_open(2)
 * and pidfd_getfd(2).
 */
public final class DescriptorCalls {
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final int OWNER_MAY_READ_AND_WRITE = 0x180;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int ESRCH = 3;
    private static final int EBADF = 9;
    /** The numbers are the same on all architectures, because the calls are newer than the separate tables. */
    private static final long SYS_PIDFD_OPEN = 434;

    private static final long SYS_PIDFD_GETFD = 438;

    private static final MethodHandle OPEN =
            variadic("open", 2, FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final MethodHandle FCNTL =
            variadic("fcntl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle SYSCALL =
            variadic("syscall", 1, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private DescriptorCalls() {}

    private static MethodHandle variadic(String name, int fixedArguments, FunctionDescriptor descriptor) {
        return Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().findOrThrow(name),
                        descriptor,
                        Linker.Option.firstVariadicArg(fixedArguments),
                        Linker.Option.captureCallState("errno"));
    }

    /**
     * Opens a file, by the bytes of its name: {@code toString()} loses bytes that are not characters in this JVM's
     * locale.
     *
     * @param path the file, in the default file system
     * @param create whether to create it if it is not there
     * @return the descriptor
     */
    public static int open(Path path, boolean create) {
        String escaped = path.toUri().getRawPath().replace("+", "%2B");
        String bytes = URLDecoder.decode(escaped, StandardCharsets.ISO_8859_1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(bytes, StandardCharsets.ISO_8859_1);
            // Otherwise opening a pipe would wait for its other end; opening other files does not wait.
            int flags = O_CLOEXEC | O_NONBLOCK | (create ? O_RDWR | O_CREAT : O_RDONLY);
            int descriptor = (int) OPEN.invokeExact(NativeCalls.capture(), name, flags, OWNER_MAY_READ_AND_WRITE);
            return made("open(" + path + ")", descriptor, DescriptorCalls::remedyOfOpen);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Duplicates a descriptor.
     *
     * @param descriptor of this process
     * @return the copy
     */
    public static int duplicate(int descriptor) {
        try {
            int copy = (int) FCNTL.invokeExact(NativeCalls.capture(), descriptor, F_DUPFD_CLOEXEC, 0);
            return made("dup(%d)".formatted(descriptor), copy, _ -> "");
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Duplicates a descriptor of another process.
     *
     * @param process the other process's id
     * @param descriptor its descriptor
     * @return the copy
     */
    public static int duplicateFrom(long process, int descriptor) {
        String operation = "pidfd_getfd(pid=%d, fd=%d)".formatted(process, descriptor);
        int pidfd = made(operation, systemCall(SYS_PIDFD_OPEN, process, 0, 0), DescriptorCalls::remedyOfCopy);
        try {
            return made(operation, systemCall(SYS_PIDFD_GETFD, pidfd, descriptor, 0), DescriptorCalls::remedyOfCopy);
        } finally {
            FileDescriptors.close(pidfd);
        }
    }

    private static int systemCall(long number, long a, long b, long c) {
        try {
            return (int) (long) SYSCALL.invokeExact(NativeCalls.capture(), number, a, b, c);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static int made(String operation, int descriptor, IntFunction<String> remedy) {
        if (descriptor < 0) {
            int errno = NativeCalls.lastErrno();
            throw Failures.of(operation, errno, "", remedy.apply(errno));
        }
        return descriptor;
    }

    private static String remedyOfOpen(int errno) {
        return errno == Errno.EMFILE || errno == Errno.ENFILE
                ? ""
                : "name a file, and no folder, that is there or may be created, and that this user may open";
    }

    private static String remedyOfCopy(int errno) {
        return switch (errno) {
            case Errno.EPERM ->
                "the caller needs the right to trace the other process: CAP_SYS_PTRACE, or the same user and"
                        + " /proc/sys/kernel/yama/ptrace_scope at 0";
            case ESRCH, EBADF, Errno.EINVAL -> "check that the process is still there, and has that descriptor open";
            default -> "";
        };
    }

    /**
     * Closes a descriptor.
     *
     * @param descriptor from one of these methods
     */
    public static void close(int descriptor) {
        FileDescriptors.close(descriptor);
    }
}
