// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.COMPLETION_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.COMPLETION_COUNTER;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.COMPLETION_OPCODE_AND_NUMBER;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.COMPLETION_OWNER;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.KIND_SHIFT;
import static io.github.rdma4j.verbs.internal.datapath.Mlx5Layout.OWNER_MASK;

import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.HotCalls;
import io.github.rdma4j.verbs.internal.Mlx5Objects;
import io.github.rdma4j.verbs.internal.Mlx5Objects.CompletionQueueMemory;
import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntSupplier;

/**
 * The completion queue of an mlx5 adapter. The adapter and the polling thread each count entries. A bit in each entry
 * marks its owner, and changes its meaning with each round.
 *
 * <p>libmlx5 keeps the state of queue pairs that completions refer to in its own memory, and this library keeps it
 * here. So all queue pairs of a queue use one path, which the first queue pair decides; before that, there are no
 * completions.
 */
public final class Mlx5CompletionRing extends CompletionRing {
    private static final VarHandle CONSUMER;

    static {
        try {
            CONSUMER = MethodHandles.lookup().findVarHandle(Mlx5CompletionRing.class, "consumer", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long WC_BYTES = ibv_wc.sizeof();
    private static final long WC_QP_NUMBER = ibv_wc.qp_num$offset();
    private static final long WC_FLAGS = ibv_wc.wc_flags$offset();
    /** The result of libmlx5 for a completion that it does not understand. */
    private static final int NOT_UNDERSTOOD = -2;

    private final MemorySegment queue;
    private final MemorySegment pollFunction;
    private final Mlx5Members members = new Mlx5Members();

    // Written only inside.
    private volatile boolean onRing;
    private volatile String reason = "";
    private long start;
    private int entryBytes;
    private int entries;
    private long doorbellRecord;
    private long armingRegister;
    private int number;

    private int consumer;
    /** The number of polls that did not use the ring. */
    private int calls;

    Mlx5CompletionRing(MemorySegment queue, MemorySegment pollFunction) {
        this.queue = queue;
        this.pollFunction = pollFunction;
    }

    /**
     * Enters for a thread that destroys or resets a queue pair; its completion queues are open, because they are closed
     * after it.
     */
    void enterToClean() {
        if (!enter()) {
            throw new IllegalStateException("a completion queue was closed before its queue pair");
        }
    }

    /** {@return whether a queue pair with rings can join} */
    boolean takesRings() {
        return reason.isEmpty();
    }

    /** Adds a queue pair with rings. */
    void join(Mlx5SendRing member) {
        enterToClean();
        try {
            members.add(member);
        } finally {
            exit();
        }
    }

    /** Takes the queue over from the library, if that was not done before, for a queue pair with rings. */
    void takeOver() {
        enterToClean();
        try {
            if (!onRing) {
                findRing();
            }
        } finally {
            exit();
        }
    }

    private void findRing() {
        CompletionQueueMemory memory = Mlx5Objects.completionQueue(queue);
        start = structure(memory.completions().address());
        entryBytes = memory.completions().stride();
        entries = memory.completions().elements();
        doorbellRecord = structure(memory.doorbellRecord());
        armingRegister = structure(memory.page()) + Mlx5Layout.ARMING_REGISTER;
        number = memory.number();
        onRing = true;
    }

    /**
     * Switches to the library's functions, for requests that complete through them.
     *
     * @param why the reason, for users
     * @throws IllegalStateException if there are queue pairs with rings
     */
    @Override
    public void useFunctions(String why) {
        enterToClean();
        try {
            if (onRing) {
                throw new IllegalStateException(
                        ("queue pairs with rings complete into this completion queue, and this one cannot have any: %s."
                                        + " Remedy: give it a completion queue of its own, or open the device for"
                                        + " functions")
                                .formatted(why));
            }
            if (reason.isEmpty()) {
                reason = "what completes there goes through the library's functions: " + why;
            }
        } finally {
            exit();
        }
    }

    @Override
    public String refusal() {
        return reason;
    }

    /** The library would copy the queue to a longer one, but does not have our read position. */
    @Override
    public int resize(IntSupplier resize) {
        enterToClean();
        try {
            if (onRing) {
                return Errno.EOPNOTSUPP;
            }
            return resize.getAsInt();
        } finally {
            exit();
        }
    }

    @Override
    public int arm(boolean solicitedOnly, long eventsTaken) {
        if (!onRing) {
            return BY_FUNCTION;
        }
        int index = (int) CONSUMER.getOpaque(this) & Mlx5Layout.INDEX_MASK;
        int word = (int) (eventsTaken & Mlx5Layout.ARM_SEQUENCE_MASK) << Mlx5Layout.ARM_SEQUENCE_SHIFT
                | (solicitedOnly ? Mlx5Layout.ARM_SOLICITED : 0)
                | index;
        putInt(doorbellRecord + Mlx5Layout.ARMING, Integer.reverseBytes(word));
        // C: mmio_wc_start, which keeps the store above before the register's store.
        Mlx5Register.fence();
        putLong(armingRegister, NativeMemory.pair(Integer.reverseBytes(word), Integer.reverseBytes(number)));
        // C: mmio_flush_writes.
        Mlx5Register.fence();
        return 0;
    }

    @Override
    public int poll(int wanted, long workCompletions) {
        if (!onRing) {
            // There are no completions before the first queue pair has joined.
            HotCalls.letStop(++calls);
            return reason.isEmpty() ? 0 : HotCalls.poll(pollFunction, true, queue.address(), wanted, workCompletions);
        }
        int found = 0;
        int index = consumer;
        while (found < wanted) {
            long entry = entry(index);
            int owner = getByte(entry + COMPLETION_OWNER);
            // C: udma_from_device_barrier, after the load of the entry's owner. Nothing on x86-64, where loads of
            // memory keep their order; C's lfence there is for loads of other kinds.
            VarHandle.acquireFence();
            if (isAdapters(owner, index)) {
                break;
            }
            index++;
            if (!read(entry, owner, structure(workCompletions + found * WC_BYTES))) {
                found = NOT_UNDERSTOOD;
                break;
            }
            found++;
        }
        CONSUMER.setOpaque(this, index);
        // No barrier in C either: entries that were read are not read again.
        putInt(doorbellRecord + Mlx5Layout.CONSUMER_INDEX, Integer.reverseBytes(index & Mlx5Layout.INDEX_MASK));
        return found;
    }

    /** Returns the address of an entry; of an entry of 128 bytes, its second half. */
    private long entry(int index) {
        return structure(start + (long) (index & entries - 1) * entryBytes + entryBytes - COMPLETION_BYTES);
    }

    private boolean isAdapters(int owner, int index) {
        int round = (index & entries) == 0 ? 0 : OWNER_MASK;
        return owner >>> KIND_SHIFT == Mlx5Layout.INVALID || (owner & OWNER_MASK) != round;
    }

    private static int getByte(long address) {
        return NativeMemory.getByte(address) & 0xff;
    }

    /** Reads an entry that is ours; returns false for an invalid one. */
    private boolean read(long entry, int owner, long wc) {
        int codeAndNumber = Integer.reverseBytes(getInt(entry + COMPLETION_OPCODE_AND_NUMBER));
        Mlx5SendRing member = members.find(codeAndNumber & 0xffffff);
        if (member == null) {
            return false;
        }
        int counter = Integer.reverseBytes(getInt(entry + COMPLETION_COUNTER)) >>> Short.SIZE;
        putInt(wc + WC_QP_NUMBER, codeAndNumber & 0xffffff);
        putInt(wc + WC_FLAGS, 0);
        int kind = owner >>> KIND_SHIFT;
        if (kind == Mlx5Layout.REQUEST) {
            Mlx5Completions.request(member, entry, owner, codeAndNumber >>> 24, counter, wc);
        } else if (kind <= Mlx5Layout.RESPONSE_SEND_INVALIDATE) {
            Mlx5Completions.response(member.receives(), entry, owner, counter, wc);
        } else if (kind == Mlx5Layout.REQUEST_ERROR || kind == Mlx5Layout.RESPONSE_ERROR) {
            Mlx5Completions.error(member, entry, kind == Mlx5Layout.REQUEST_ERROR, counter, wc);
        } else {
            return false;
        }
        return true;
    }

    /**
     * Removes the entries of a queue pair that is destroyed or reset; the others move up to the newest. The calling
     * thread is inside, and the adapter writes no more entries of that queue pair.
     *
     * @param forGood whether it is destroyed
     */
    void clean(Mlx5SendRing member, boolean forGood) {
        int producer = consumer;
        // One round at most.
        while (producer != consumer + entries - 1
                && !isAdapters(getByte(entry(producer) + COMPLETION_OWNER), producer)) {
            producer++;
        }
        VarHandle.acquireFence();
        int freed = 0;
        while (--producer - consumer >= 0) {
            long entry = entry(producer);
            int numberThere = Integer.reverseBytes(getInt(entry + COMPLETION_OPCODE_AND_NUMBER)) & 0xffffff;
            if (numberThere == member.number()) {
                freed++;
            } else if (freed != 0) {
                move(entry, entry(producer + freed));
            }
        }
        if (freed != 0) {
            consumer += freed;
            // C: udma_to_device_barrier.
            VarHandle.releaseFence();
            putInt(doorbellRecord + Mlx5Layout.CONSUMER_INDEX, Integer.reverseBytes(consumer & Mlx5Layout.INDEX_MASK));
        }
        if (forGood) {
            members.remove(member);
        }
    }

    private void move(long from, long to) {
        int round = getByte(to + COMPLETION_OWNER) & OWNER_MASK;
        // With 128 bytes, also the first half: it may contain data.
        for (long offset = COMPLETION_BYTES - entryBytes; offset < COMPLETION_BYTES; offset += Long.BYTES) {
            putLong(structure(to + offset), getLong(structure(from + offset)));
        }
        int moved = getByte(to + COMPLETION_OWNER) & ~OWNER_MASK;
        NativeMemory.putByte(to + COMPLETION_OWNER, (byte) (moved | round));
    }
}
