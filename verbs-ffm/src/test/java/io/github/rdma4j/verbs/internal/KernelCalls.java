// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Which system calls the kernel has for a thread. */
public final class KernelCalls {
    /** Its number, the same on all architectures. */
    public static final int EPOLL_PWAIT2 = 441;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle PRCTL =
            handle("prctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SYSCALL =
            handle("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final int PR_SET_SECCOMP = 22;
    private static final long SECCOMP_MODE_FILTER = 2;
    private static final long SECCOMP_RET_ERRNO = 0x50000;
    private static final long SECCOMP_RET_ALLOW = 0x7fff0000;
    private static final int BPF_LOAD_WORD = 0x20;
    private static final int BPF_JUMP_IF_EQUAL = 0x15;
    private static final int BPF_RETURN = 0x06;

    private KernelCalls() {}

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                descriptor,
                Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
    }

    /**
     * Has the kernel refuse a call of this thread and of those that it starts, for good (seccomp(2)), as a container
     * does.
     *
     * @param number of the system call
     * @param errno what it fails with
     */
    public static void refuse(int number, int errno) {
        long[] filter = {
            instruction(BPF_LOAD_WORD, 0, 0),
            instruction(BPF_JUMP_IF_EQUAL, 1, number),
            instruction(BPF_RETURN, 0, SECCOMP_RET_ERRNO | errno),
            instruction(BPF_RETURN, 0, SECCOMP_RET_ALLOW),
        };
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment program = arena.allocate(2 * Long.BYTES, Long.BYTES);
            program.set(ValueLayout.JAVA_SHORT, 0, (short) filter.length);
            program.set(ValueLayout.ADDRESS, Long.BYTES, arena.allocateFrom(JAVA_LONG, filter));
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program.address());
        }
    }

    /** A {@code struct sock_filter}, as one word of a little-endian machine. */
    private static long instruction(int code, int elseSkip, long argument) {
        return code | (long) elseSkip << 24 | argument << 32;
    }

    private static void prctl(int option, long first, long second) {
        try {
            int result = (int) PRCTL.invokeExact(NativeCalls.capture(), option, first, second, 0L, 0L);
            if (result != 0) {
                throw Failures.of("prctl(%d)".formatted(option), NativeCalls.lastErrno());
            }
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /** {@return whether this thread can wait by epoll_pwait2(2)} */
    public static boolean hasNanosecondWaits() {
        try {
            long ignored = (long) SYSCALL.invokeExact(NativeCalls.capture(), (long) EPOLL_PWAIT2, -1L, 0L, 0L, 0L);
            return NativeCalls.lastErrno() != Errno.ENOSYS && NativeCalls.lastErrno() != Errno.EPERM;
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
