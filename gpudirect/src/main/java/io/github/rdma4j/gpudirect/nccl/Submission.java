// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.cuda.CudaResource;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Makes calls, alone or as a group, and waits as the mode of the communicators requires. */
final class Submission {
    /** The value in the macro NCCL_SIM_INFO_INITIALIZER; no other macro contains it. */
    static final int SIMULATION_MAGIC = 0x74685283;

    /** The call that ends a group. */
    interface End {
        int call();
    }

    /** A stream and two memories. */
    private static final int USES_OF_A_CALL = 3;

    private final List<Step> steps;
    private final boolean grouped;
    private final List<Connection> connections;
    private final Library library;
    /** Null for a single call. */
    private final String ending;

    private String failedCall;

    private Submission(List<Step> steps, String ending) {
        this.steps = steps;
        this.ending = ending;
        grouped = ending != null;
        connections = distinct(steps);
        library = steps.getFirst().connection().library;
    }

    /** Returns the connections in the order of their numbers. Most calls and groups have only one. */
    private static List<Connection> distinct(List<Step> steps) {
        Connection first = steps.getFirst().connection();
        boolean one = true;
        for (Step step : steps) {
            one &= step.connection() == first;
        }
        if (one) {
            return List.of(first);
        }
        Map<Connection, Connection> distinct = new IdentityHashMap<>();
        steps.forEach(step -> distinct.put(step.connection(), step.connection()));
        return distinct.keySet().stream()
                .sorted(Comparator.comparingLong(connection -> connection.number))
                .toList();
    }

    /** Makes one call that is not in a group. */
    static void run(Step step) {
        new Submission(List.of(step), null).run();
    }

    /** Makes the calls of a group. */
    static void run(List<Step> steps) {
        if (!steps.isEmpty()) {
            Submission submission = new Submission(steps, "ncclGroupEnd()");
            submission.requireOneKind();
            submission.run();
        }
    }

    /** Estimates a group, which ends with another call than ncclGroupEnd. */
    static void simulate(List<Step> steps, End end) {
        if (!steps.isEmpty()) {
            new Submission(steps, "ncclGroupSimulateEnd()").simulate(end);
        }
    }

    private void requireOneKind() {
        boolean blocking = connections.getFirst().mode == NcclMode.BLOCKING;
        for (Connection connection : connections) {
            if ((connection.mode == NcclMode.BLOCKING) != blocking) {
                throw new IllegalArgumentException(
                        "a group mixes communicators of mode BLOCKING with others: use one mode");
            }
        }
    }

    private void run() {
        Deque<Connection> locked = new ArrayDeque<>(connections.size());
        boolean done = false;
        try {
            lock(locked);
            issue(() -> library.calls().group(NcclFunction.GROUP_END));
            done = true;
        } finally {
            locked.forEach(Connection::unlock);
            if (!done) {
                steps.forEach(step -> step.failed().run());
            }
        }
    }

    private void simulate(End end) {
        Deque<Connection> locked = new ArrayDeque<>(connections.size());
        try {
            lock(locked);
            List<ResourceUse> held = hold();
            try {
                check(call(end));
            } finally {
                held.forEach(ResourceUse::exit);
            }
        } finally {
            locked.forEach(Connection::unlock);
        }
    }

    private void lock(Deque<Connection> locked) {
        Step.Call beforeThis = () -> "a call before " + words();
        for (Connection connection : connections) {
            connection.requireOpen();
            connection.lock();
            locked.push(connection);
            if (connection.isBeingCreated() || connection.isOpen()) {
                connection.settle(beforeThis, connection.timeout);
            }
        }
    }

    private List<ResourceUse> hold() {
        List<ResourceUse> held = new ArrayList<>(USES_OF_A_CALL * steps.size());
        boolean all = false;
        try {
            for (Step step : steps) {
                for (CudaResource resource : step.uses()) {
                    held.add(ResourceUse.enter(resource));
                }
            }
            all = true;
            return held;
        } finally {
            if (!all) {
                held.forEach(ResourceUse::exit);
            }
        }
    }

    private void issue(End end) {
        List<ResourceUse> held = hold();
        boolean kept = false;
        try {
            int result = call(end);
            if (result == NcclStatus.IN_PROGRESS.number()) {
                Pending taken = new Pending(held, connections.size());
                connections.forEach(connection -> connection.add(taken));
                kept = true;
            } else {
                check(result);
            }
        } finally {
            if (!kept) {
                held.forEach(ResourceUse::exit);
            }
        }
        steps.forEach(step -> step.after().run());
        for (Connection connection : connections) {
            if (connection.mode == NcclMode.BOUNDED) {
                connection.settle(this::words, connection.timeout);
            }
        }
    }

    /** Returns SUCCESS, IN_PROGRESS, or the first failure. */
    private int call(End end) {
        if (!grouped) {
            return one(steps.getFirst());
        }
        int first = library.calls().group(NcclFunction.GROUP_START);
        if (first != NcclStatus.SUCCESS.number()) {
            failedCall = "ncclGroupStart()";
            return first;
        }
        RuntimeException thrown = null;
        int failure = NcclStatus.SUCCESS.number();
        for (Step step : steps) {
            try {
                int result = one(step);
                if (result != NcclStatus.SUCCESS.number() && result != NcclStatus.IN_PROGRESS.number()) {
                    failure = result;
                    failedCall = step.call().words() + " in a group";
                    break;
                }
            } catch (RuntimeException e) {
                thrown = e;
                break;
            }
        }
        // Called in every case: otherwise the thread would stay inside the group.
        int last = end.call();
        if (thrown != null) {
            throw thrown;
        }
        return failure == NcclStatus.SUCCESS.number() ? last : failure;
    }

    private static int one(Step step) {
        step.connection().context.makeCurrentForCall();
        return step.nativeCall().getAsInt();
    }

    private void check(int result) {
        if (result != NcclStatus.SUCCESS.number()) {
            Connection connection = connections.getFirst();
            throw library.failure(
                    result, failedCall == null ? words() : failedCall, connection.isOpen() ? connection.handle() : 0);
        }
    }

    private String words() {
        return grouped
                ? "%s of %d calls, the first %s"
                        .formatted(ending, steps.size(), steps.getFirst().call().words())
                : steps.getFirst().call().words();
    }
}
