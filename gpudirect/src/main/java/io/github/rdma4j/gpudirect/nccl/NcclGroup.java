// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.gpudirect.nccl.bindings.NcclHeaders;
import io.github.rdma4j.gpudirect.nccl.bindings.ncclSimInfo_v22200;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls that NCCL takes together (ncclGroupStart, ncclGroupEnd): sends and receives that need each other, one operation
 * of several communicators by one thread, small operations at once, or the making of several communicators.
 *
 * <p>Inside the body the methods of communicators check their arguments and note the call. NCCL receives all calls when
 * the body ends, so a body that throws has no effect. {@link #run} throws NCCL's errors. Virtual threads may run
 * groups.
 *
 * @since 0.1.0
 */
public final class NcclGroup {
    private static final ThreadLocal<NcclGroup> CURRENT = new ThreadLocal<>();

    private final List<Step> steps = new ArrayList<>();
    /** Whether its calls are only estimated. */
    private final boolean estimated;

    private NcclGroup(boolean estimated) {
        this.estimated = estimated;
    }

    /**
     * Makes the calls of a body as one. A group inside a group is a part of it.
     *
     * @param body calls methods of communicators; they return before anything is done
     * @throws NcclException if NCCL refuses one of the calls, or all together; then none is made, but collectives of
     *     one rank before it, which are copies that NCCL begins in their call
     * @throws NcclTimeoutException if NCCL is not through with them in time
     * @throws IllegalArgumentException if communicators of mode {@link NcclMode#BLOCKING} and others are in it
     */
    public static void run(Runnable body) {
        if (CURRENT.get() != null) {
            body.run();
            return;
        }
        Submission.run(collect(body, false));
    }

    /**
     * How long the calls of a body would take, which are not made (ncclGroupSimulateEnd).
     *
     * @param body as for {@link #run}; collectives, sends and receives alone
     * @return NCCL's estimate in microseconds; 0 for a body without calls
     * @throws UnsupportedOperationException before NCCL 2.22.3
     * @throws IllegalArgumentException if NCCL would make a call of the body all the same: one of a communicator of
     *     another mode than {@link NcclMode#BLOCKING}, or a collective of one rank
     * @throws IllegalStateException inside a group
     */
    public static float estimate(Runnable body) {
        if (CURRENT.get() != null) {
            throw new IllegalStateException("inside a group: what is noted there is made");
        }
        Library library = Library.current();
        library.require(NcclFunction.GROUP_SIMULATE_END);
        List<Step> steps = collect(body, true);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment information = ncclSimInfo_v22200.allocate(arena);
            ncclSimInfo_v22200.size(information, information.byteSize());
            ncclSimInfo_v22200.magic(information, Submission.SIMULATION_MAGIC);
            ncclSimInfo_v22200.version(
                    information,
                    Math.min(NcclHeaders.NCCL_VERSION_CODE(), library.version().code()));
            ncclSimInfo_v22200.estimatedTime(information, 0);
            Submission.simulate(
                    steps, () -> library.calls().call(NcclFunction.GROUP_SIMULATE_END, information.address()));
            return ncclSimInfo_v22200.estimatedTime(information);
        }
    }

    private static List<Step> collect(Runnable body, boolean estimated) {
        NcclGroup group = new NcclGroup(estimated);
        CURRENT.set(group);
        boolean over = false;
        try {
            body.run();
            over = true;
        } finally {
            CURRENT.remove();
            if (!over) {
                group.steps.forEach(step -> step.failed().run());
            }
        }
        return group.steps;
    }

    /** {@return whether this thread is inside a group} */
    static boolean isOpen() {
        return CURRENT.get() != null;
    }

    /** Makes a call, or notes it for the group that this thread is in. */
    static void submit(Step step) {
        NcclGroup group = CURRENT.get();
        if (group != null && group.estimated) {
            throw new IllegalArgumentException("what is estimated is collectives, sends and receives, and not "
                    + step.call().words());
        }
        submit(step, group);
    }

    /**
     * Makes a call that gives a stream work, or notes it for the group that this thread is in.
     *
     * @param atOnce whether NCCL runs it during the call, also in a group: a collective of one rank, which is a copy
     */
    static void submit(Step step, boolean atOnce) {
        NcclGroup group = CURRENT.get();
        if (group != null && group.estimated) {
            // NCCL gives such a group to a thread, which launches it.
            if (step.connection().mode != NcclMode.BLOCKING) {
                throw new IllegalArgumentException(
                        "%s: NCCL estimates calls of mode BLOCKING, and makes calls of mode %s"
                                .formatted(step.call().words(), step.connection().mode));
            }
            if (atOnce) {
                throw new IllegalArgumentException(
                        step.call().words() + ": of one rank NCCL makes it at once, and estimates nothing");
            }
        }
        submit(step, group);
    }

    private static void submit(Step step, NcclGroup group) {
        if (group == null) {
            Submission.run(step);
        } else {
            group.steps.add(step);
        }
    }
}
