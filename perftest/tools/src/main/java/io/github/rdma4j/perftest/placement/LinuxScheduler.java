// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The C library's sched_setaffinity, and set_mempolicy, for which it has no function: the one in libnuma would make
 * that library a requirement for a single system call, whose number is known.
 */
final class LinuxScheduler implements Scheduler {
    private static final int POLICY_DEFAULT = 0;
    private static final int POLICY_BIND = 2;

    /** Function not implemented. It is also the result if this class has no number for the system call. */
    private static final int ENOSYS = 38;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle SET_AFFINITY = function(
            "sched_setaffinity",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));

    /** Variadic in C: on some architectures the arguments after the first are passed differently. */
    private static final MethodHandle SYSTEM_CALL = function(
            "syscall",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        System.arraycopy(options, 0, all, 1, options.length);
        all[0] = Linker.Option.captureCallState("errno");
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, all);
    }

    @Override
    public int bindThread(int thread, CpuList cpus) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocateFrom(ValueLayout.JAVA_LONG, cpus.toMask());
            MemorySegment state = arena.allocate(STATE);
            int result = (int) SET_AFFINITY.invokeExact(state, thread, mask.byteSize(), mask);
            return result == 0 ? 0 : (int) ERRNO.get(state, 0L);
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    @Override
    public int bindMemory(int node) {
        return setMemoryPolicy(POLICY_BIND, CpuList.of(node).toMask());
    }

    @Override
    public int unbindMemory() {
        return setMemoryPolicy(POLICY_DEFAULT, new long[0]);
    }

    private static int setMemoryPolicy(int policy, long[] nodes) {
        long number = switch (System.getProperty("os.arch")) {
            case "amd64" -> 238;
            case "aarch64", "riscv64", "loongarch64" -> 237;
            case "ppc64le" -> 261;
            case "s390x" -> 270;
            default -> -1;
        };
        if (number < 0) {
            return ENOSYS;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask =
                    nodes.length == 0 ? MemorySegment.NULL : arena.allocateFrom(ValueLayout.JAVA_LONG, nodes);
            MemorySegment state = arena.allocate(STATE);
            // The kernel reads one bit less than the count it gets.
            long bits = nodes.length == 0 ? 0 : nodes.length * 64L + 1;
            long result = (long) SYSTEM_CALL.invokeExact(state, number, (long) policy, mask, bits);
            return result == 0 ? 0 : (int) ERRNO.get(state, 0L);
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }
}
