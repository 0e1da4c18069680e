// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The variables that the measuring thread and the monitor of its run share. The measuring thread reads the phase while
 * it spins, and counts its progress; the monitor advances the phase.
 *
 * <p>Opaque accesses cost what plain ones do but are never hoisted out of a loop.
 */
public final class RunControl {
    /** Before the measured part of a timed run; a counted run stays in it. */
    public static final int STARTING = 0;

    /** The measured part of a timed run. */
    public static final int SAMPLING = 1;

    /** After the measured part: still running, so that the other side's measured part is not disturbed. */
    public static final int STOPPING = 2;

    /** The run has ended or was aborted. */
    public static final int ENDED = 3;

    private static final VarHandle PHASE;
    private static final VarHandle PROGRESS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PHASE = lookup.findVarHandle(RunControl.class, "phase", int.class).withInvokeExactBehavior();
            PROGRESS = lookup.findVarHandle(RunControl.class, "progress", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    @SuppressWarnings("unused") // through PHASE
    private int phase;

    @SuppressWarnings("unused") // through PROGRESS
    private long progress;

    public int phase() {
        return (int) PHASE.getOpaque(this);
    }

    public void enter(int next) {
        PHASE.setRelease(this, next);
    }

    /** Returns whether the run continues. */
    public boolean running() {
        return phase() < ENDED;
    }

    /** Returns whether operations count now, in a timed run. */
    public boolean sampling() {
        return phase() == SAMPLING;
    }

    /** Only the measuring thread calls this. */
    public void advance(long steps) {
        PROGRESS.setOpaque(this, (long) PROGRESS.getOpaque(this) + steps);
    }

    /** Sum of the steps so far. */
    public long progress() {
        return (long) PROGRESS.getOpaque(this);
    }
}
