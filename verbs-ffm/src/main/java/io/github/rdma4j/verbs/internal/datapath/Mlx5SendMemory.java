// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putByte;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.BLOCK_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.BLOCK_SHIFT;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.HEAD_BYTES;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_mr;
import io.github.rdma4j.verbs.bindings.ibv_mw;
import io.github.rdma4j.verbs.bindings.ibv_mw_bind_info;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.bindings.ibv_sge;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.SendOpcode;

/**
 * The blocks of a send queue, with the less common contents of requests: inline data and changes of memory windows. A
 * request that reaches the end continues at the start.
 */
final class Mlx5SendMemory {
    private static final long SGE_ADDRESS = ibv_sge.addr$offset();
    private static final long SGE_LENGTH = ibv_sge.length$offset();
    private static final long INVALIDATED_KEY = ibv_send_wr.invalidate_rkey$offset();
    private static final long BIND = ibv_send_wr.bind_mw$offset();
    private static final long BIND_WINDOW = BIND + ibv_send_wr.bind_mw.mw$offset();
    private static final long BIND_KEY = BIND + ibv_send_wr.bind_mw.rkey$offset();
    private static final long BIND_INFO = BIND + ibv_send_wr.bind_mw.bind_info$offset();
    private static final long BIND_REGION = BIND_INFO + ibv_mw_bind_info.mr$offset();
    private static final long BIND_ADDRESS = BIND_INFO + ibv_mw_bind_info.addr$offset();
    private static final long BIND_LENGTH = BIND_INFO + ibv_mw_bind_info.length$offset();
    private static final long BIND_ACCESS = BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset();
    /** The maximum length of an entry behind a window, two gigabytes. */
    private static final long MAX_WINDOW = 1L << 31;
    /** The entries behind the window, in units of two, rounded up to eight. */
    private static final int ONE_ENTRY = 4;

    private static final int NO_NUMBER = 0xffffff00;

    private final long start;
    private final long end;

    Mlx5SendMemory(long start, long end) {
        this.start = start;
        this.end = end;
    }

    /**
     * Writes inline data: the first entry, because rdma4j posts no other.
     *
     * @param entry the address of the data
     * @param to the address for their length, followed by the data
     * @return their size, in units of 16 bytes
     */
    int inline(long entry, long to) {
        int length = getInt(entry + SGE_LENGTH);
        if (length == 0) {
            return 0;
        }
        putInt(structure(to), Integer.reverseBytes(length | Mlx5Layout.INLINE));
        long from = structure(getLong(entry + SGE_ADDRESS));
        long data = to + Mlx5Layout.INLINE_BYTES;
        long before = Math.min(length, end - data);
        NativeMemory.copy(from, structure(data), before);
        if (before < length) {
            NativeMemory.copy(from + before, structure(start), length - before);
        }
        return (int) (length + Mlx5Layout.INLINE_BYTES + HEAD_BYTES - 1 >>> 4);
    }

    /** Returns whether a window would exceed the length that the adapter supports. */
    boolean isTooLong(long request) {
        return Long.compareUnsigned(getLong(request + BIND_LENGTH), MAX_WINDOW) > 0;
    }

    /** {@return the current key of the window, big-endian} */
    int oldKey(long request, int operation) {
        int key = operation == SendOpcode.LOCAL_INVALIDATE
                ? getInt(request + INVALIDATED_KEY)
                : getInt(structure(getLong(request + BIND_WINDOW)) + ibv_mw.rkey$offset());
        return Integer.reverseBytes(key);
    }

    /**
     * Writes the change of a window: a binding, or an invalidation, which is a binding to nothing. Fields that libmlx5
     * does not write are not written.
     *
     * @param begin the request's head
     * @param number the number of the queue pair
     * @return the end of the last segment, counted from the head as if the ring had no end
     */
    long change(long request, int operation, long begin, int number) {
        boolean bind = operation == SendOpcode.BIND_MEMORY_WINDOW;
        long length = bind ? getLong(request + BIND_LENGTH) : 0;
        int type = bind
                ? getInt(structure(getLong(request + BIND_WINDOW)) + ibv_mw.type$offset())
                : RdmaHeaders.IBV_MW_TYPE_2();
        boolean second = type == RdmaHeaders.IBV_MW_TYPE_2();
        int newKey = bind ? getInt(request + BIND_KEY) : 0;

        writeChange(begin + HEAD_BYTES, length != 0, second);
        long window = wrapped(begin + BLOCK_BYTES);
        int owner = second && length != 0 ? number << 8 : NO_NUMBER;
        putInt(window + Mlx5Layout.WINDOW_NUMBER_AND_KEY, Integer.reverseBytes(newKey & 0xff | owner));
        if (length == 0) {
            putByte(window + Mlx5Layout.WINDOW_FREE, (byte) Mlx5Layout.IS_FREE);
            return begin + BLOCK_BYTES + Mlx5Layout.WINDOW_BYTES;
        }
        int access = getInt(request + BIND_ACCESS);
        long first = getLong(request + BIND_ADDRESS);
        putByte(window + Mlx5Layout.WINDOW_ACCESS, (byte) access(access));
        putByte(window + Mlx5Layout.WINDOW_FREE, (byte) 0);
        boolean fromZero = (access & RdmaHeaders.IBV_ACCESS_ZERO_BASED()) != 0;
        putLong(window + Mlx5Layout.WINDOW_START, fromZero ? 0L : Long.reverseBytes(first));
        putLong(window + Mlx5Layout.WINDOW_LENGTH, Long.reverseBytes(length));

        long behind = wrapped(window + Mlx5Layout.WINDOW_BYTES);
        int localKey = getInt(structure(getLong(request + BIND_REGION)) + ibv_mr.lkey$offset());
        putInt(behind + Mlx5Layout.BEHIND_LENGTH, Integer.reverseBytes((int) length));
        putInt(behind + Mlx5Layout.BEHIND_KEY, Integer.reverseBytes(localKey));
        putLong(behind + Mlx5Layout.BEHIND_ADDRESS, Long.reverseBytes(first));
        for (long offset = HEAD_BYTES; offset < Mlx5Layout.BEHIND_BYTES; offset += Long.BYTES) {
            putLong(behind + offset, 0L);
        }
        return begin + BLOCK_BYTES + Mlx5Layout.WINDOW_BYTES + Mlx5Layout.BEHIND_BYTES;
    }

    private static void writeChange(long to, boolean bind, boolean second) {
        int flags = Mlx5Layout.CHANGE_TRANSLATION_OFFSET | Mlx5Layout.CHANGE_INLINE;
        long mask = Mlx5Layout.MASK_FREE | Mlx5Layout.MASK_KEY | (second ? Mlx5Layout.MASK_NUMBER : 0);
        if (bind) {
            flags |= second ? Mlx5Layout.CHANGE_CHECK_FREE : 0;
            mask |= Mlx5Layout.MASK_LENGTH
                    | Mlx5Layout.MASK_START
                    | Mlx5Layout.MASK_LOCAL_WRITE
                    | Mlx5Layout.MASK_REMOTE_READ
                    | Mlx5Layout.MASK_REMOTE_WRITE
                    | Mlx5Layout.MASK_ATOMIC;
        } else {
            flags |= second ? Mlx5Layout.CHANGE_CHECK_NUMBER : 0;
        }
        putInt(to + Mlx5Layout.CHANGE_FLAGS, flags);
        putInt(to + Mlx5Layout.CHANGE_ENTRIES, bind ? Integer.reverseBytes(ONE_ENTRY << Short.SIZE) : 0);
        putLong(to + Mlx5Layout.CHANGE_MASK, Long.reverseBytes(mask));
        for (long offset = Mlx5Layout.CHANGE_REST; offset < Mlx5Layout.CHANGE_BYTES; offset += Long.BYTES) {
            putLong(to + offset, 0L);
        }
    }

    private static int access(int verbs) {
        int flags = 0;
        flags |= (verbs & RdmaHeaders.IBV_ACCESS_LOCAL_WRITE()) != 0 ? Mlx5Layout.MAY_LOCAL_WRITE : 0;
        flags |= (verbs & RdmaHeaders.IBV_ACCESS_REMOTE_WRITE()) != 0 ? Mlx5Layout.MAY_REMOTE_WRITE : 0;
        flags |= (verbs & RdmaHeaders.IBV_ACCESS_REMOTE_READ()) != 0 ? Mlx5Layout.MAY_REMOTE_READ : 0;
        flags |= (verbs & RdmaHeaders.IBV_ACCESS_REMOTE_ATOMIC()) != 0 ? Mlx5Layout.MAY_ATOMIC : 0;
        return flags;
    }

    private long wrapped(long place) {
        return structure(place == end ? start : place);
    }

    /**
     * Writes all blocks of a request to a register (C: {@code mmio_memcpy_x64}, eight bytes a store). The order of the
     * stores does not matter: the register is mapped write-combining, which guarantees no order before the next fence.
     */
    void copyBlocks(long from, long register, int blocks) {
        long block = structure(from);
        long target = structure(register);
        for (int i = 0; i < blocks; i++) {
            for (long offset = 0; offset < BLOCK_BYTES; offset += Long.BYTES) {
                putLong(target + offset, getLong(block + offset));
            }
            target += BLOCK_BYTES;
            block = wrapped(block + BLOCK_BYTES);
        }
    }

    /**
     * Copies data from a completion to the memory that the request named.
     *
     * @param index the index of the request's first block
     * @param data the address of the data
     * @param length the length of the data
     * @return the status of the completion, {@code IBV_WC_…}
     */
    int scatter(int index, long data, int length) {
        long head = start + ((long) index << BLOCK_SHIFT);
        int code = Integer.reverseBytes(getInt(head + Mlx5Layout.HEAD_INDEX_AND_OPCODE)) & 0xff;
        int size = Integer.reverseBytes(getInt(head + Mlx5Layout.HEAD_NUMBER_AND_SIZE)) & 0x3f;
        long before = HEAD_BYTES + Mlx5Layout.REMOTE_BYTES;
        if (code == Mlx5Layout.COMPARE_AND_SWAP || code == Mlx5Layout.FETCH_AND_ADD) {
            before += Mlx5Layout.ATOMIC_BYTES;
        } else if (code != Mlx5Layout.RDMA_READ) {
            return RdmaHeaders.IBV_WC_REM_INV_REQ_ERR();
        }
        int entries = size - (int) (before >>> 4);
        return Mlx5Scatter.copy(head + before, start, end, entries, data, length);
    }
}
