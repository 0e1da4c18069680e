// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;

import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Map;

/**
 * Where an mlx5 adapter is told that there are requests: a register in a mapped page, two halves that are written in
 * turn. Eight bytes of a request are enough; a short one that goes alone can be written there whole (BlueFlame), which
 * spares the adapter from fetching it.
 *
 * <p>libmlx5 gives some queue pairs the same register. It locks such ones, and its lock is not public. So a register
 * that more than one queue pair has gets the eight bytes only, each time one store, which nobody can tear.
 */
final class Mlx5Register {
    /** By address: a page of registers is mapped once in a process. Guarded by this class. */
    private static final Map<Long, Mlx5Register> ALL = new HashMap<>();

    private final long address;
    private volatile int users;

    private Mlx5Register(long address) {
        this.address = address;
    }

    /**
     * Counts a queue pair in, whatever it posts by.
     *
     * @param address of the register
     * @return the register
     */
    static Mlx5Register take(long address) {
        synchronized (Mlx5Register.class) {
            Mlx5Register register = ALL.computeIfAbsent(address, Mlx5Register::new);
            register.users++;
            return register;
        }
    }

    /** Counts a queue pair out that is destroyed. */
    void give() {
        synchronized (Mlx5Register.class) {
            if (--users == 0) {
                ALL.remove(address);
            }
        }
    }

    /** {@return whether a request may be written whole} */
    boolean isOneUsers() {
        return users == 1;
    }

    /**
     * Keeps stores to registers behind those to memory (C: {@code mmio_wc_start}, {@code sfence} on x86-64), or sends
     * them on their way before what follows (C: {@code mmio_flush_writes}, {@code sfence}). A register is mapped
     * write-combining: no fence of Java's but the full one is an instruction on x86-64, and that one, an atomic
     * operation, empties the buffers that such stores are gathered in, as {@code sfence} does.
     */
    static void fence() {
        VarHandle.fullFence();
    }

    /** Tells the adapter by the first eight bytes of a request: one store, since both addresses are multiples of 8. */
    static void ring(long register, long head) {
        putLong(structure(register), getLong(structure(head)));
    }
}
