// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.COMPLETION_BYTES;

import io.github.rdma4j.verbs.internal.DescriptorCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.function.IntSupplier;

/**
 * The completion queue of SoftRoCE. Completions are copied from the ring, where they already have the format of
 * {@code struct ibv_wc}.
 */
public final class RxeCompletionRing extends CompletionRing {
    // The second eight bytes of a completion.
    private static final long SECOND = 8;
    private static final long THIRD = 16;
    private static final long FOURTH = 24;
    private static final long FIFTH = 32;
    private static final long SIXTH = 40;

    // struct ib_uverbs_cmd_hdr and struct ib_uverbs_req_notify_cq of rdma/ib_user_verbs.h.
    private static final long COMMAND_BYTES = 16;
    private static final long IN_WORDS = 4;
    private static final long HANDLE = 8;
    private static final long SOLICITED_ONLY = 12;
    /** {@code IB_USER_VERBS_CMD_REQ_NOTIFY_CQ}. */
    private static final int REQUEST_NOTIFICATION = 23;

    private final RxeRings.Finder finder;
    private final int commandDescriptor;
    private final boolean armsItself;
    /** Two commands, always the same bytes: to arm for all completions, and for solicited ones. */
    private final MemorySegment commands = Arena.ofAuto().allocate(2 * COMMAND_BYTES, Long.BYTES);
    /** Null if it was not found again. */
    private RxeQueue queue;

    /**
     * Finds the ring.
     *
     * @param commandDescriptor the command descriptor of the device
     * @param handle the kernel's number of the queue
     * @param armsItself whether it is armed by a command here, instead of the context's function
     */
    RxeCompletionRing(RxeRings.Finder finder, int commandDescriptor, int handle, boolean armsItself)
            throws RingRefusal {
        this.finder = finder;
        this.commandDescriptor = commandDescriptor;
        this.armsItself = armsItself;
        for (int solicited = 0; solicited < 2; solicited++) {
            MemorySegment command = commands.asSlice(solicited * COMMAND_BYTES, COMMAND_BYTES);
            command.set(ValueLayout.JAVA_INT, 0, REQUEST_NOTIFICATION);
            command.set(ValueLayout.JAVA_SHORT, IN_WORDS, (short) (COMMAND_BYTES / Integer.BYTES));
            command.set(ValueLayout.JAVA_INT, HANDLE, handle);
            command.set(ValueLayout.JAVA_INT, SOLICITED_ONLY, solicited);
        }
        this.queue = finder.find();
    }

    /**
     * Like {@link CompletionPath#poll}, and longer than the compiler inlines: see {@link RxeSendRing#post}. These loads
     * and stores would use up the inlining budget of a loop that polls at two places, such as a ping-pong.
     *
     * <p>A completion is loaded completely and then stored, field by field. The JVM's copy would be a slower call, and
     * a loop over the six words takes 150 instructions, because the compiler checks each index again and does not
     * unroll it.
     */
    @Override
    public int poll(int entries, long workCompletions) {
        RxeQueue ring = queue;
        if (ring == null) {
            return -1;
        }
        int consumer = ring.consumer();
        int count = Math.min(ring.distance(consumer, ring.producerOfKernel()), entries);
        if (count == 0) {
            return 0;
        }
        // Most polls find one completion, so no loop.
        long from = ring.element(consumer);
        long to = structure(workCompletions);
        long first = getLong(from);
        long second = getLong(from + SECOND);
        long third = getLong(from + THIRD);
        long fourth = getLong(from + FOURTH);
        long fifth = getLong(from + FIFTH);
        long sixth = getLong(from + SIXTH);
        putLong(to, first);
        putLong(to + SECOND, second);
        putLong(to + THIRD, third);
        putLong(to + FOURTH, fourth);
        putLong(to + FIFTH, fifth);
        putLong(to + SIXTH, sixth);
        for (int i = 1; i < count; i++) {
            from = ring.element(consumer + i);
            to = structure(workCompletions + i * COMPLETION_BYTES);
            first = getLong(from);
            second = getLong(from + SECOND);
            third = getLong(from + THIRD);
            fourth = getLong(from + FOURTH);
            fifth = getLong(from + FIFTH);
            sixth = getLong(from + SIXTH);
            putLong(to, first);
            putLong(to + SECOND, second);
            putLong(to + THIRD, third);
            putLong(to + FOURTH, fourth);
            putLong(to + FIFTH, fifth);
            putLong(to + SIXTH, sixth);
        }
        ring.consumer(consumer + count);
        return count;
    }

    /** The library's function makes the same system call, with 200 more instructions. */
    @Override
    public int arm(boolean solicitedOnly, long eventsTaken) {
        if (!armsItself) {
            return BY_FUNCTION;
        }
        long command = commands.address() + (solicitedOnly ? COMMAND_BYTES : 0);
        int errno = DescriptorCalls.writeCommand(commandDescriptor, command, COMMAND_BYTES);
        Reference.reachabilityFence(commands);
        return errno;
    }

    /** The kernel maps a longer queue at another address, and unmaps the old one under threads that are inside. */
    @Override
    public int resize(IntSupplier resize) {
        // The queue is open: its owner holds the lock that a close needs.
        enter();
        try {
            queue = null;
            int result = resize.getAsInt();
            queue = finder.find();
            return result;
        } catch (RingRefusal e) {
            throw RxeRings.lost(e);
        } finally {
            exit();
        }
    }
}
