// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of extended posting, {@code ibv_wr_*}. Each is an indirect call through a function pointer of
 * {@code struct ibv_qp_ex}, as in verbs.h. Functions with the same signature share a handle, and the arguments select
 * the Java method. For segments, objects and critical calls see {@link HotCalls}; the difference is {@link #start}.
 */
public final class ExtendedCalls {
    /**
     * Never critical: it takes the lock of the send queue, and a thread that waits for a lock must not hold up a
     * safepoint.
     */
    private static final MethodHandle START = NativeCalls.handle(FunctionDescriptor.ofVoid(JAVA_LONG));

    private static final FunctionDescriptor COMPLETE_SHAPE = FunctionDescriptor.of(JAVA_INT, JAVA_LONG);
    private static final MethodHandle COMPLETE = plain(COMPLETE_SHAPE);
    private static final MethodHandle COMPLETE_CRITICAL = critical(COMPLETE_SHAPE);
    private static final MethodHandle VOID = plain(shape());
    private static final MethodHandle VOID_CRITICAL = critical(shape());
    private static final MethodHandle INT = plain(shape(JAVA_INT));
    private static final MethodHandle INT_CRITICAL = critical(shape(JAVA_INT));
    private static final MethodHandle KEY_ADDRESS = plain(shape(JAVA_INT, JAVA_LONG));
    private static final MethodHandle KEY_ADDRESS_CRITICAL = critical(shape(JAVA_INT, JAVA_LONG));
    private static final MethodHandle KEY_ADDRESS_INT = plain(shape(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle KEY_ADDRESS_INT_CRITICAL = critical(shape(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle KEY_ADDRESS_LONG = plain(shape(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle KEY_ADDRESS_LONG_CRITICAL = critical(shape(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle COMPARE_SWAP = plain(shape(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle COMPARE_SWAP_CRITICAL =
            critical(shape(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle LONG_LONG = plain(shape(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle LONG_LONG_CRITICAL = critical(shape(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle LONG_INT_INT = plain(shape(JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle LONG_INT_INT_CRITICAL = critical(shape(JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle LONG_INT_LONG = plain(shape(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle LONG_INT_LONG_CRITICAL = critical(shape(JAVA_LONG, JAVA_INT, JAVA_LONG));
    private static final MethodHandle LONG_SHORT_SHORT = plain(shape(JAVA_LONG, JAVA_SHORT, JAVA_SHORT));
    private static final MethodHandle LONG_SHORT_SHORT_CRITICAL = critical(shape(JAVA_LONG, JAVA_SHORT, JAVA_SHORT));
    private static final MethodHandle FLUSH = plain(shape(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_BYTE, JAVA_BYTE));
    private static final MethodHandle FLUSH_CRITICAL =
            critical(shape(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_BYTE, JAVA_BYTE));

    private ExtendedCalls() {}

    private static FunctionDescriptor shape(MemoryLayout... behindQueuePair) {
        return FunctionDescriptor.ofVoid(behindQueuePair).insertArgumentLayouts(0, JAVA_LONG);
    }

    private static MethodHandle plain(FunctionDescriptor shape) {
        return NativeCalls.handle(shape);
    }

    private static MethodHandle critical(FunctionDescriptor shape) {
        return NativeCalls.criticalHandle(shape);
    }

    /**
     * ibv_wr_start(3).
     *
     * @param function the provider's function
     * @param queuePair the {@code struct ibv_qp_ex}
     */
    public static void start(MemorySegment function, long queuePair) {
        try {
            START.invokeExact(function, queuePair);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_complete(3).
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @return 0 or an errno
     */
    public static int complete(MemorySegment function, boolean critical, long queuePair) {
        try {
            return critical
                    ? (int) COMPLETE_CRITICAL.invokeExact(function, queuePair)
                    : (int) COMPLETE.invokeExact(function, queuePair);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * Builders and setters that only take the queue pair: ibv_wr_send, ibv_wr_abort.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     */
    public static void call(MemorySegment function, boolean critical, long queuePair) {
        try {
            if (critical) {
                VOID_CRITICAL.invokeExact(function, queuePair);
            } else {
                VOID.invokeExact(function, queuePair);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_send_imm, ibv_wr_send_inv, ibv_wr_local_inv, ibv_wr_set_xrc_srqn.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param value the number in network byte order, the remote key or the number of the shared receive queue
     */
    public static void call(MemorySegment function, boolean critical, long queuePair, int value) {
        try {
            if (critical) {
                INT_CRITICAL.invokeExact(function, queuePair, value);
            } else {
                INT.invokeExact(function, queuePair, value);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_rdma_read, ibv_wr_rdma_write.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param key the remote key
     * @param address the remote address
     */
    public static void call(MemorySegment function, boolean critical, long queuePair, int key, long address) {
        try {
            if (critical) {
                KEY_ADDRESS_CRITICAL.invokeExact(function, queuePair, key, address);
            } else {
                KEY_ADDRESS.invokeExact(function, queuePair, key, address);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_rdma_write_imm, ibv_wr_set_sge.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param key the remote key; of ibv_wr_set_sge the local one
     * @param address the remote address; of ibv_wr_set_sge the local one
     * @param value the number in network byte order; of ibv_wr_set_sge the length
     */
    public static void call(
            MemorySegment function, boolean critical, long queuePair, int key, long address, int value) {
        try {
            if (critical) {
                KEY_ADDRESS_INT_CRITICAL.invokeExact(function, queuePair, key, address, value);
            } else {
                KEY_ADDRESS_INT.invokeExact(function, queuePair, key, address, value);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_atomic_fetch_add, and ibv_wr_atomic_write, whose last argument points to the eight bytes.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param key the remote key
     * @param address the remote address
     * @param value what to add, or the address of what to write
     */
    public static void call(
            MemorySegment function, boolean critical, long queuePair, int key, long address, long value) {
        try {
            if (critical) {
                KEY_ADDRESS_LONG_CRITICAL.invokeExact(function, queuePair, key, address, value);
            } else {
                KEY_ADDRESS_LONG.invokeExact(function, queuePair, key, address, value);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_atomic_cmp_swp.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param key the remote key
     * @param address the remote address
     * @param compare what to compare with
     * @param swap what to store
     */
    public static void call(
            MemorySegment function, boolean critical, long queuePair, int key, long address, long compare, long swap) {
        try {
            if (critical) {
                COMPARE_SWAP_CRITICAL.invokeExact(function, queuePair, key, address, compare, swap);
            } else {
                COMPARE_SWAP.invokeExact(function, queuePair, key, address, compare, swap);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_set_inline_data, and ibv_wr_set_sge_list, whose count comes first.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param first the address, or the count
     * @param second the length, or the address of the list
     */
    public static void call(MemorySegment function, boolean critical, long queuePair, long first, long second) {
        try {
            if (critical) {
                LONG_LONG_CRITICAL.invokeExact(function, queuePair, first, second);
            } else {
                LONG_LONG.invokeExact(function, queuePair, first, second);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_set_ud_addr.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param addressHandle the {@code struct ibv_ah}
     * @param number the peer's queue pair
     * @param queueKey its key
     */
    public static void call(
            MemorySegment function, boolean critical, long queuePair, long addressHandle, int number, int queueKey) {
        try {
            if (critical) {
                LONG_INT_INT_CRITICAL.invokeExact(function, queuePair, addressHandle, number, queueKey);
            } else {
                LONG_INT_INT.invokeExact(function, queuePair, addressHandle, number, queueKey);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_bind_mw.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param window the {@code struct ibv_mw}
     * @param key the new remote key
     * @param information the {@code struct ibv_mw_bind_info}
     */
    public static void call(
            MemorySegment function, boolean critical, long queuePair, long window, int key, long information) {
        try {
            if (critical) {
                LONG_INT_LONG_CRITICAL.invokeExact(function, queuePair, window, key, information);
            } else {
                LONG_INT_LONG.invokeExact(function, queuePair, window, key, information);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_send_tso.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param header its address
     * @param headerSize in bytes
     * @param maxSegmentSize in bytes
     */
    public static void call(
            MemorySegment function,
            boolean critical,
            long queuePair,
            long header,
            short headerSize,
            short maxSegmentSize) {
        try {
            if (critical) {
                LONG_SHORT_SHORT_CRITICAL.invokeExact(function, queuePair, header, headerSize, maxSegmentSize);
            } else {
                LONG_SHORT_SHORT.invokeExact(function, queuePair, header, headerSize, maxSegmentSize);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * ibv_wr_flush.
     *
     * @param function the provider's function
     * @param critical whether the provider posts without a system call
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param key the remote key
     * @param address the remote address
     * @param length in bytes
     * @param type of {@code enum ibv_placement_type}
     * @param level of {@code enum ibv_selectivity_level}
     */
    public static void call(
            MemorySegment function,
            boolean critical,
            long queuePair,
            int key,
            long address,
            long length,
            byte type,
            byte level) {
        try {
            if (critical) {
                FLUSH_CRITICAL.invokeExact(function, queuePair, key, address, length, type, level);
            } else {
                FLUSH.invokeExact(function, queuePair, key, address, length, type, level);
            }
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    private static AssertionError impossible(Throwable e) {
        return new AssertionError("a downcall cannot throw this", e);
    }
}
