// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import io.github.rdma4j.perftest.exit.PerftestException;

/**
 * A plan in effect. From {@link #enter} to {@link #close} the calling thread, which measures, runs on the CPUs of the
 * plan, and the memory that it touches first comes from the plan's node.
 *
 * <p>Memory: set_mempolicy binds the calling thread, so that the buffers, the driver's queues and the kernel's
 * allocations on its behalf all come from the node. mbind on the buffer would miss the queues. First touch alone, which
 * is left if a container forbids the system call, follows the thread but silently falls back to another node when this
 * one is full.
 *
 * <p>A new thread inherits the binding of the thread that starts it: a thread that runs beside a measurement must call
 * {@link #leaveMeasuringCpus()} first.
 */
public final class Placement implements AutoCloseable {
    private static final int NO_SUCH_THREAD = 3;

    /** Set while the measuring thread is bound and the other threads have their own CPUs; at most one per JVM. */
    private static volatile Placement inForce;

    private final PlacementPlan plan;
    private final NumaTopology topology;
    private final Scheduler scheduler;
    private final CpuList before;
    private boolean memoryBound;
    private String remark = "";

    private Placement(PlacementPlan plan, NumaTopology topology, Scheduler scheduler, CpuList before) {
        this.plan = plan;
        this.topology = topology;
        this.scheduler = scheduler;
        this.before = before;
    }

    /**
     * Binds the calling thread, and the JVM's other threads if the plan has CPUs for them.
     *
     * @throws PerftestException when the kernel refuses
     */
    public static Placement enter(PlacementPlan plan, NumaTopology topology) {
        // A plan that changes nothing, by far the most frequent one, costs no lookup of functions either.
        return enter(plan, topology, plan.measuring().isEmpty() ? null : new LinuxScheduler());
    }

    static Placement enter(PlacementPlan plan, NumaTopology topology, Scheduler scheduler) {
        if (plan.measuring().isEmpty()) {
            return new Placement(plan, topology, null, CpuList.NONE);
        }
        Placement placement = new Placement(plan, topology, scheduler, topology.allowedCpus());
        int error = 0;
        if (!plan.others().isEmpty()) {
            error = placement.moveAll(plan.others());
        }
        error = error != 0 ? error : scheduler.bindThread(0, plan.measuring());
        if (error != 0) {
            placement.restore();
            throw new PerftestException(
                    "the kernel refused to run the test on CPUs " + plan.measuring() + " (sched_setaffinity, errno "
                            + error + ")",
                    "give other CPUs with --pin_cores, or none of it with --disable_numa");
        }
        inForce = placement;
        if (plan.memoryNode() >= 0) {
            int refused = scheduler.bindMemory(plan.memoryNode());
            placement.memoryBound = refused == 0;
            placement.remark = refused == 0
                    ? ", memory bound to it"
                    : ", memory by first touch (set_mempolicy is not allowed here, errno " + refused + ")";
        }
        return placement;
    }

    private int moveAll(CpuList cpus) {
        for (int thread : topology.threads()) {
            int error = scheduler.bindThread(thread, cpus);
            if (error != 0 && error != NO_SUCH_THREAD) {
                return error;
            }
        }
        return 0;
    }

    /** Moves the calling thread away from where the measuring one runs; nothing when no test is bound to anything. */
    public static void leaveMeasuringCpus() {
        Placement placement = inForce;
        if (placement != null) {
            CpuList others = placement.plan.others();
            placement.scheduler.bindThread(0, others.isEmpty() ? placement.before : others);
        }
    }

    /** The NUMA node that memory is bound to; null when to none. */
    public Integer memoryNode() {
        return memoryBound ? plan.memoryNode() : null;
    }

    /** Returns the plan. */
    public PlacementPlan plan() {
        return plan;
    }

    /** Returns one line for the banner: the CPUs, the reason, and the node of the memory. */
    public String describe() {
        return plan.describe() + remark;
    }

    /** Returns whether memory comes from the plan's node only. */
    public boolean memoryBound() {
        return memoryBound;
    }

    /** Restores the thread's previous binding. Call it from the thread that entered. */
    @Override
    public void close() {
        if (plan.measuring().isEmpty()) {
            return;
        }
        inForce = null;
        if (memoryBound) {
            scheduler.unbindMemory();
        }
        restore();
    }

    private void restore() {
        scheduler.bindThread(0, before);
        if (!plan.others().isEmpty()) {
            moveAll(before);
        }
    }
}
