// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.BLOCK_SHIFT;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.DATA_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.HEAD_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.REMOTE_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_ADDRESS;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_COMPARE_ADD;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_KEY;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_SWAP;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ENTRIES_AND_OPCODE;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.FLAGS_AND_IMMEDIATE;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.NEXT;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.RDMA_ADDRESS;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.RDMA_KEY;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.SGE_ADDRESS;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.SGE_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.SGE_LENGTH;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.WR_ID;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Mlx5Objects.QueuePairMemory;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntSupplier;

/**
 * The send queue of an mlx5 adapter, of a queue pair that is connected: a request is written as a head and some
 * segments in blocks of 64 bytes, the doorbell record counts the blocks, and a store to a register notifies the
 * adapter. The result is identical to libmlx5's for the same requests, including bytes that it does not write and
 * errnos. There is one exception: if a request after others is refused, the adapter is notified with the last accepted
 * request, while libmlx5 uses the refused one.
 *
 * <p>Only for little-endian machines, which {@link Mlx5Rings} checks.
 */
public final class Mlx5SendRing extends SendPath {
    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(Mlx5SendRing.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long STATE = ibv_qp.state$offset();

    private static final int ONE_SIDED =
            SendOpcode.mask(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, SendOpcode.RDMA_READ);
    private static final int ATOMICS = SendOpcode.mask(SendOpcode.COMPARE_AND_SWAP, SendOpcode.FETCH_AND_ADD);
    private static final int CHANGES = SendOpcode.mask(SendOpcode.LOCAL_INVALIDATE, SendOpcode.BIND_MEMORY_WINDOW);
    private static final int WITH_IMMEDIATE =
            SendOpcode.mask(SendOpcode.SEND_WITH_IMMEDIATE, SendOpcode.RDMA_WRITE_WITH_IMMEDIATE);
    private static final int READY_TO_SEND = RdmaHeaders.IBV_QPS_RTS();
    private static final int INLINE = RdmaHeaders.IBV_SEND_INLINE();
    private static final int FENCE = RdmaHeaders.IBV_SEND_FENCE();
    private static final int SIGNALED = RdmaHeaders.IBV_SEND_SIGNALED();
    private static final int SOLICITED = RdmaHeaders.IBV_SEND_SOLICITED();

    /** The adapter's opcodes of {@code enum ibv_wr_opcode}, as bytes; 0xff for an unsupported one. */
    private static final long OPCODES_0_TO_7 = opcodes(
            Mlx5Layout.RDMA_WRITE,
            Mlx5Layout.RDMA_WRITE_IMMEDIATE,
            Mlx5Layout.SEND,
            Mlx5Layout.SEND_IMMEDIATE,
            Mlx5Layout.RDMA_READ,
            Mlx5Layout.COMPARE_AND_SWAP,
            Mlx5Layout.FETCH_AND_ADD,
            Mlx5Layout.CHANGE_KEY);

    private static final int NO_OPCODE = 0xff;
    private static final long OPCODES_8_TO_15 = opcodes(
            Mlx5Layout.CHANGE_KEY,
            Mlx5Layout.SEND_INVALIDATE,
            NO_OPCODE,
            NO_OPCODE,
            NO_OPCODE,
            NO_OPCODE,
            NO_OPCODE,
            NO_OPCODE);

    private final Mlx5SendMemory memory;
    private final Mlx5CompletionRing sendCompletions;
    private final Mlx5CompletionRing receiveCompletions;
    private final Mlx5ReceiveRing receives;

    private final long start;
    private final long end;
    private final int blockMask;
    private final long doorbellRecord;
    private final long state;
    private final int number;
    private final int maxPosted;
    private final int alwaysFlags;
    private final boolean atomics;
    private final int maxInline;

    private final long register;
    private final int registerBytes;
    private final Mlx5Register sharing;

    /** By a request's first block: its id, its count, and the opcode of its completion. */
    private final long[] ids;

    private final int[] counts;
    private final byte[] changes;

    // Written by the posting thread.
    private int head;
    private int block;
    private int nextFence;
    private int registerHalf;

    /** The number of completed requests; written by the polling thread. */
    private int tail;

    /**
     * Creates the ring of one queue pair.
     *
     * @param queuePair the {@code struct ibv_qp}
     * @param memory the memory of its rings
     * @param limits its limits
     * @param receives its receive ring
     * @param sendCompletions the completion queue of its sends
     * @param receiveCompletions the completion queue of its receives
     */
    Mlx5SendRing(
            long queuePair,
            int number,
            QueuePairMemory memory,
            Mlx5Limits limits,
            Mlx5ReceiveRing receives,
            Mlx5CompletionRing sendCompletions,
            Mlx5CompletionRing receiveCompletions) {
        int blocks = memory.sends().elements();
        this.start = structure(memory.sends().address());
        this.end = start + ((long) blocks << BLOCK_SHIFT);
        this.memory = new Mlx5SendMemory(start, end);
        this.blockMask = blocks - 1;
        this.doorbellRecord = structure(memory.doorbellRecord());
        this.state = structure(queuePair) + STATE;
        this.number = number;
        this.maxPosted = limits.maxSends();
        this.maxInline = limits.maxInline();
        this.alwaysFlags = limits.signalAll() ? Mlx5Layout.CQ_UPDATE : 0;
        this.atomics = limits.atomics();
        this.ids = new long[blocks];
        this.counts = new int[blocks];
        this.changes = new byte[blocks];
        this.register = structure(memory.register());
        this.registerBytes = memory.registerBytes();
        this.receives = receives;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.sharing = Mlx5Register.take(memory.register());
    }

    private static long opcodes(int... codes) {
        long bytes = 0;
        for (int i = codes.length - 1; i >= 0; i--) {
            bytes = bytes << Byte.SIZE | codes[i];
        }
        return bytes;
    }

    private static int opcode(int operation) {
        long bytes = operation < Long.BYTES ? OPCODES_0_TO_7 : OPCODES_8_TO_15;
        return (int) (bytes >>> (operation & Long.BYTES - 1) * Byte.SIZE) & 0xff;
    }

    /** Like {@link SendPath#post}, and longer than the compiler inlines: see {@link RxeSendRing#post}. */
    @Override
    public int post(SendRequests requests) {
        int refused = 0;
        int posted = 0;
        int first = 0;
        int size = 0;
        boolean inline = false;
        long last = 0;
        int fenceBefore = nextFence;
        for (long address = requests.address(); address != 0; address = getLong(structure(address) + NEXT)) {
            long request = structure(address);
            long entriesAndOpcode = getLong(request + ENTRIES_AND_OPCODE);
            int entries = NativeMemory.first(entriesAndOpcode);
            int operation = NativeMemory.second(entriesAndOpcode);
            long flagsAndImmediate = getLong(request + FLAGS_AND_IMMEDIATE);
            int flags = NativeMemory.first(flagsAndImmediate);
            int code = opcode(operation);
            refused = refusal(code, operation, posted, request, flags);
            if (refused != 0) {
                putLong(structure(requests.badRequestAddress()), address);
                break;
            }
            int index = block & blockMask;
            long begin = start + ((long) index << BLOCK_SHIFT);
            int fence = (flags & FENCE) != 0 ? Mlx5Layout.FENCE : fenceBefore;
            fenceBefore = 0;
            int change = 0;
            int own = alwaysFlags
                    | fence
                    | ((flags & SIGNALED) != 0 ? Mlx5Layout.CQ_UPDATE : 0)
                    | ((flags & SOLICITED) != 0 ? Mlx5Layout.SOLICITED : 0);
            int immediate = 0;
            long to = begin + HEAD_BYTES;
            int bit = 1 << operation;
            if ((bit & ONE_SIDED) != 0) {
                putLong(to, Long.reverseBytes(getLong(request + RDMA_ADDRESS)));
                putLong(to + Mlx5Layout.REMOTE_KEY, key(getInt(request + RDMA_KEY)));
                to += REMOTE_BYTES;
            } else if ((bit & ATOMICS) != 0) {
                to = writeAtomic(request, operation, to);
            } else if ((bit & CHANGES) != 0) {
                change = operation;
                fenceBefore = Mlx5Layout.SMALL_FENCE;
                immediate = memory.oldKey(request, operation);
                to = memory.change(request, operation, begin, number);
            }
            if ((bit & WITH_IMMEDIATE) != 0) {
                immediate = NativeMemory.second(flagsAndImmediate);
            } else if (operation == SendOpcode.SEND_WITH_INVALIDATE) {
                immediate = Integer.reverseBytes(NativeMemory.second(flagsAndImmediate));
            }
            putLong(begin + Mlx5Layout.HEAD_FLAGS - 3, NativeMemory.pair(own << 24, immediate));
            int sixteenths = (int) (to - begin) >>> 4;
            if ((flags & INLINE) != 0 && entries != 0) {
                inline = true;
                sixteenths += memory.inline(request + SendRequests.ENTRIES, to);
            } else {
                for (int i = 0; i < entries; i++) {
                    if (to == end) {
                        to = start;
                    }
                    long from = structure(request + SendRequests.ENTRIES + i * SGE_BYTES);
                    long lengthAndKey = getLong(from + SGE_LENGTH);
                    if (NativeMemory.first(lengthAndKey) != 0) {
                        long room = structure(to);
                        putLong(
                                room,
                                (bit & ATOMICS) != 0
                                        ? NativeMemory.pair(
                                                Integer.reverseBytes(Long.BYTES),
                                                Integer.reverseBytes(NativeMemory.second(lengthAndKey)))
                                        : Long.rotateLeft(Long.reverseBytes(lengthAndKey), Integer.SIZE));
                        putLong(room + Mlx5Layout.DATA_ADDRESS, Long.reverseBytes(getLong(from + SGE_ADDRESS)));
                        to += DATA_BYTES;
                        sixteenths++;
                    }
                }
            }
            putLong(
                    begin,
                    NativeMemory.pair(
                            Integer.reverseBytes((block & Mlx5Layout.COUNTER_MASK) << 8 | code),
                            Integer.reverseBytes(number << 8 | sixteenths)));
            ids[index] = getLong(request + WR_ID);
            counts[index] = head + posted;
            changes[index] = (byte) change;
            block += sixteenths + 3 >>> 2;
            last = begin;
            size = sixteenths;
            posted++;
        }
        nextFence = fenceBefore;
        if (posted != 0) {
            head += posted;
            tell(last, size, posted == 1 && (inline || Mlx5Rings.PREFERS_WHOLE_REQUESTS));
        }
        return refused;
    }

    /** Returns a key, followed by the four reserved bytes. */
    private static long key(int key) {
        return Integer.toUnsignedLong(Integer.reverseBytes(key));
    }

    private int refusal(int code, int operation, int posted, long request, int flags) {
        if (code == NO_OPCODE) {
            return Errno.EINVAL;
        }
        // The state first: before RTS, libmlx5 has no entries, and reports a lack of memory.
        if (head + posted - (int) TAIL.getAcquire(this) >= maxPosted || getInt(state) < READY_TO_SEND) {
            return Errno.ENOMEM;
        }
        if ((1 << operation & ATOMICS) != 0 && !atomics) {
            return Errno.EOPNOTSUPP;
        }
        if (operation == SendOpcode.BIND_MEMORY_WINDOW && memory.isTooLong(request)) {
            return Errno.EOPNOTSUPP;
        }
        boolean tooMuchInline = (flags & INLINE) != 0
                && NativeMemory.first(getLong(request + ENTRIES_AND_OPCODE)) != 0
                && getInt(request + SendRequests.ENTRIES + SGE_LENGTH) > maxInline;
        return tooMuchInline ? Errno.ENOMEM : 0;
    }

    private static long writeAtomic(long request, int operation, long to) {
        putLong(to, Long.reverseBytes(getLong(request + ATOMIC_ADDRESS)));
        putLong(to + Mlx5Layout.REMOTE_KEY, key(getInt(request + ATOMIC_KEY)));
        long operands = to + REMOTE_BYTES;
        long compareOrAdd = Long.reverseBytes(getLong(request + ATOMIC_COMPARE_ADD));
        if (operation == SendOpcode.COMPARE_AND_SWAP) {
            putLong(operands, Long.reverseBytes(getLong(request + ATOMIC_SWAP)));
            putLong(operands + Mlx5Layout.ATOMIC_COMPARE, compareOrAdd);
        } else {
            putLong(operands, compareOrAdd);
        }
        return operands + Mlx5Layout.ATOMIC_BYTES;
    }

    private void tell(long last, int sixteenths, boolean whole) {
        // C: udma_to_device_barrier. The data must be visible to the adapter before the counter. Nothing on x86-64.
        VarHandle.releaseFence();
        putInt(doorbellRecord + Mlx5Layout.SEND_COUNTER, Integer.reverseBytes(block & Mlx5Layout.COUNTER_MASK));
        // C: mmio_wc_start.
        Mlx5Register.fence();
        long target = register + registerHalf;
        if (whole
                && registerBytes != 0
                && sixteenths > 1
                && sixteenths <= registerBytes >>> 4
                && Mlx5Rings.MAY_WRITE_WHOLE_REQUESTS
                && sharing.isOneUsers()) {
            memory.copyBlocks(last, target, sixteenths + 3 >>> 2);
        } else {
            Mlx5Register.ring(target, last);
        }
        // C: mmio_flush_writes.
        Mlx5Register.fence();
        registerHalf ^= registerBytes;
    }

    // For the completion queue, which admits one thread.

    /** {@return the id of the request that begins with a block; it and all earlier requests are done} */
    long done(int counter) {
        int index = counter & blockMask;
        long id = ids[index];
        TAIL.setRelease(this, counts[index] + 1);
        return id;
    }

    /** {@return the operation on a window that began with a block, {@code IBV_WR_…}; 0 for other operations} */
    int change(int counter) {
        return changes[counter & blockMask];
    }

    /** Copies the data of a read's or an atomic's completion to its buffer. */
    int scatter(int counter, long data, int length) {
        return memory.scatter(counter & blockMask, data, length);
    }

    int number() {
        return number;
    }

    Mlx5ReceiveRing receives() {
        return receives;
    }

    @Override
    public int forget(IntSupplier call, boolean forGood) {
        // No thread polls meanwhile and finds completions of the destroyed queue pair.
        sendCompletions.enterToClean();
        try {
            if (receiveCompletions != sendCompletions) {
                receiveCompletions.enterToClean();
            }
            try {
                int result = call.getAsInt();
                if (result == 0) {
                    forgotten(forGood);
                }
                return result;
            } finally {
                if (receiveCompletions != sendCompletions) {
                    receiveCompletions.exit();
                }
            }
        } finally {
            sendCompletions.exit();
        }
    }

    private void forgotten(boolean forGood) {
        sendCompletions.clean(this, forGood);
        if (receiveCompletions != sendCompletions) {
            receiveCompletions.clean(this, forGood);
        }
        head = 0;
        block = 0;
        TAIL.setRelease(this, 0);
        receives.reset();
        if (forGood) {
            sharing.give();
        }
    }
}
