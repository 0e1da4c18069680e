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
 * Calls that NCCL processes together (ncclGroupStart, ncclGroupEnd): sends and receives that need each other, one
 * operation of several communicators by one thread, several small operations, or the creation of several communicators.
 *
 * <p>Inside the body, the methods of communicators check their arguments and record the call. NCCL receives all calls
 * when the body ends, so a body that throws has no effect. {@link #run} throws NCCL's errors. Virtual threads may run
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
     * Makes the calls of a body as one group. A nested group belongs to the outer one.
     *
     * @param body calls methods of communicators, which return before anything is done
     * @throws NcclException if NCCL refuses one of the calls, or the group. Then nothing is done, except collectives of
     *     a single rank earlier in the body: NCCL starts these copies during their call
     * @throws NcclTimeoutException if NCCL has not finished the calls in time
     * @throws IllegalArgumentException if the group mixes communicators of mode {@link NcclMode#BLOCKING} with others
     */
    public static void run(Runnable body) {
        if (CURRENT.get() != null) {
            body.run();
            return;
        }
        Submission.run(collect(body, false));
    }

    /**
     * Estimates how long the calls of a body would take, without making them (ncclGroupSimulateEnd).
     *
     * @param body as for {@link #run}, but only with collectives, sends and receives
     * @return NCCL's estimate in microseconds; 0 for a body without calls
     * @throws UnsupportedOperationException before NCCL 2.22.3
     * @throws IllegalArgumentException if NCCL would nevertheless make a call of the body: a call of a communicator of
     *     another mode than {@link NcclMode#BLOCKING}, or a collective of a single rank
     * @throws IllegalStateException if called inside a group
     */
    public static float estimate(Runnable body) {
        if (CURRENT.get() != null) {
            throw new IllegalStateException("estimate() inside a group: the group makes its calls");
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

    /** Makes a call, or records it for the group of this thread. */
    static void submit(Step step) {
        NcclGroup group = CURRENT.get();
        if (group != null && group.estimated) {
            throw new IllegalArgumentException("only collectives, sends and receives can be estimated, not "
                    + step.call().words());
        }
        submit(step, group);
    }

    /**
     * Makes a call that submits work to a stream, or records it for the group of this thread.
     *
     * @param atOnce whether NCCL runs it during the call, even in a group: a collective of a single rank, which is a
     *     copy
     */
    static void submit(Step step, boolean atOnce) {
        NcclGroup group = CURRENT.get();
        if (group != null && group.estimated) {
            // In these modes, a thread of NCCL launches even a group that is only simulated.
            if (step.connection().mode != NcclMode.BLOCKING) {
                throw new IllegalArgumentException(
                        "%s: NCCL estimates calls of mode BLOCKING, and makes calls of mode %s"
                                .formatted(step.call().words(), step.connection().mode));
            }
            if (atOnce) {
                throw new IllegalArgumentException(
                        step.call().words() + ": NCCL runs it at once for a single rank, and estimates nothing");
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
