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
 * The register that notifies an mlx5 adapter of requests: in a mapped page, with two halves that are written
 * alternately. Eight bytes of a request are enough. A short request that is posted alone can be written there
 * completely (BlueFlame), so the adapter need not fetch it.
 *
 * <p>libmlx5 assigns the same register to some queue pairs, and guards it by a private lock. So to a register of more
 * than one queue pair only the eight bytes are written, always by one atomic store.
 */
final class Mlx5Register {
    /** The registers by address: a page of registers is mapped once in a process. Guarded by this class. */
    private static final Map<Long, Mlx5Register> ALL = new HashMap<>();

    private final long address;
    private volatile int users;

    private Mlx5Register(long address) {
        this.address = address;
    }

    /**
     * Counts a queue pair that uses the register, whatever its path.
     *
     * @param address the address of the register
     * @return the register
     */
    static Mlx5Register take(long address) {
        synchronized (Mlx5Register.class) {
            Mlx5Register register = ALL.computeIfAbsent(address, Mlx5Register::new);
            register.users++;
            return register;
        }
    }

    /** Removes a destroyed queue pair from the count. */
    void give() {
        synchronized (Mlx5Register.class) {
            if (--users == 0) {
                ALL.remove(address);
            }
        }
    }

    /** {@return whether a request may be written completely} */
    boolean isOneUsers() {
        return users == 1;
    }

    /**
     * Orders stores to registers after stores to memory (C: {@code mmio_wc_start}, {@code sfence} on x86-64), or
     * flushes them before later stores (C: {@code mmio_flush_writes}, {@code sfence}). A register is mapped
     * write-combining. Only Java's full fence is an instruction on x86-64: an atomic operation, which empties the
     * write-combining buffers like {@code sfence}.
     */
    static void fence() {
        VarHandle.fullFence();
    }

    /**
     * Notifies the adapter by the first eight bytes of a request: one store, because both addresses are multiples of 8.
     */
    static void ring(long register, long head) {
        putLong(structure(register), getLong(structure(head)));
    }
}
