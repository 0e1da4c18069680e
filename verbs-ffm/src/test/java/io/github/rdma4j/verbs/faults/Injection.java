// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One run of a case: it notes the points at which the library calls native functions, and lets one of the calls fail.
 */
final class Injection {
    /**
     * They look for what may have come, and are called as often as time wants it: only the first call from a place
     * counts.
     */
    static final Set<String> LOOKING = Set.of(
            "ppoll",
            "epoll_wait",
            "epoll_pwait2",
            "read",
            "ibv_context_ops.poll_cq",
            "ibv_cq_ex.start_poll",
            "ibv_cq_ex.next_poll",
            "ibv_get_cq_event",
            "ibv_get_async_event",
            "rdma_get_cm_event");

    /**
     * The errno that polling calls return when there is no event or completion yet. Only timing decides whether a
     * step's poll finds one at once or waits. So the first poll at each call site finds nothing in each run: the step
     * goes through a whole wait, and each call of that wait is among the points. The exception is a poll for
     * completions after arming, which finds the completions that came before and cause no event.
     */
    private static final Map<String, Errnos> NOTHING_YET = Map.of(
            "rdma_get_cm_event", Errnos.EAGAIN,
            "ibv_get_cq_event", Errnos.EAGAIN,
            "ibv_get_async_event", Errnos.EAGAIN,
            "ibv_cq_ex.start_poll", Errnos.ENOENT,
            "ibv_context_ops.poll_cq", Errnos.NONE);

    /** They are called for no errno first, and for one after a failure: both fail. */
    private static final Set<String> CALLED_AGAIN = Set.of("ibv_get_cq_event", "epoll_pwait2");

    /** The errno of a second failure, which differs from the errnos of the first. */
    private static final Errnos SECOND = Errnos.EBUSY;

    private static volatile Injection current = new Injection(null, 0);

    private final Point target;
    private final int errno;
    private final Set<Point> points = new LinkedHashSet<>();
    private final Map<Point, Integer> occurrences = new HashMap<>();
    /** Whether the step has armed a queue, and not looked since. */
    private boolean armed;
    /** The thread that runs the current step; null between steps. */
    private Thread stepping;

    /** The number of the later call that also fails, from 1; 0 if none does. */
    private final int second;
    /** The calls that the same step has made since the failure, and that could fail. */
    private final List<Point> later = new ArrayList<>();
    /** The last call of the step before the failure. */
    private String last;
    /** The same, behind the failure as well. */
    private String newest;

    private boolean fired;
    /** Of the failure. */
    private boolean stepIsOver;
    /** Whether the step has made no other call since. */
    private boolean firedJustNow;

    /**
     * A place where a native function is called.
     *
     * @param function that is called
     * @param path of Java methods that leads there, the innermost first
     * @param occurrence from 1, where one path comes by several times
     */
    record Point(String function, List<String> path, int occurrence) {
        @Override
        public String toString() {
            String place =
                    path.stream().limit(4).reduce((a, b) -> a + " < " + b).orElse("");
            return function + (occurrence == 1 ? "" : " (no. " + occurrence + ")") + " at " + place;
        }
    }

    /** A run in which the call at a point fails with an errno; no point for a run that only notes. */
    Injection(Point target, int errno) {
        this(target, errno, 0);
    }

    /** One in which the step that fails so fails a second time on its way out, at the n-th call of {@link #later()}. */
    Injection(Point target, int errno, int second) {
        this.target = target;
        this.errno = errno;
        this.second = second;
    }

    static Injection current() {
        return current;
    }

    /** Makes this the run that calls belong to, from its {@link #resume()} on. */
    void begin() {
        current = this;
    }

    synchronized void resume() {
        stepping = Thread.currentThread();
        last = null;
        newest = null;
    }

    synchronized void pause() {
        stepping = null;
        firedJustNow = false;
        stepIsOver = fired;
    }

    /** Returns the errno that a fallible call must fail with, or null for a call that goes through. */
    synchronized Integer answer(String function) {
        if (Thread.currentThread() != stepping) {
            return null;
        }
        newest = function;
        if (fired) {
            boolean again = firedJustNow && function.equals(target.function) && CALLED_AGAIN.contains(function);
            firedJustNow = false;
            if (again || stepIsOver) {
                return again ? (Integer) errno : null;
            }
            later.add(new Point(function, path(), 1));
            return later.size() == second ? (Integer) SECOND.number() : null;
        }
        boolean goesOn = function.equals("epoll_pwait2") && function.equals(last);
        last = function;
        if (goesOn) {
            // A signal has ended the wait, as one does whose process has been stopped: no way that each run goes.
            return null;
        }
        Errnos nothingYet = nothingYet(function);
        boolean mayBeTarget = target == null || target.function.equals(function);
        // Looks are counted in each run, so that the first one is the same in all.
        if (!mayBeTarget && !NOTHING_YET.containsKey(function)) {
            return null;
        }
        List<String> path = path();
        int occurrence = occurrences.merge(new Point(function, path, 0), 1, Integer::sum);
        if (LOOKING.contains(function) && occurrence > 1) {
            return null;
        }
        Point point = new Point(function, path, occurrence);
        points.add(point);
        fired = point.equals(target);
        firedJustNow = fired;
        if (fired) {
            return errno;
        }
        return nothingYet == null ? null : nothingYet.number();
    }

    private Errnos nothingYet(String function) {
        boolean looksForCompletions = function.endsWith("poll_cq") || function.endsWith("start_poll");
        if (function.endsWith("req_notify_cq")) {
            armed = true;
        } else if (looksForCompletions && armed) {
            armed = false;
            return null;
        }
        return NOTHING_YET.get(function);
    }

    private static List<String> path() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> frame.getClassName().startsWith("io.github.rdma4j"))
                        .filter(frame -> !frame.getClassName().startsWith(Injection.class.getPackageName() + ".")
                                || frame.getClassName().contains(".cases."))
                        .map(frame -> frame.getClassName().replaceAll(".*\\.", "") + "." + frame.getMethodName() + ":"
                                + frame.getLineNumber())
                        .toList());
    }

    /** Whether the step is in a call that sleeps, or about to be; also once a step has failed, which is tried again. */
    synchronized boolean maySleep() {
        return stepIsOver || "epoll_pwait2".equals(newest) || "epoll_wait".equals(newest);
    }

    /** Whether a failed step must leave nothing behind, because undoing it does not also fail. */
    boolean mustLeaveNothing() {
        return target != null && second == 0;
    }

    synchronized boolean hasFired() {
        return fired;
    }

    synchronized List<Point> later() {
        return List.copyOf(later);
    }

    synchronized Stream<Point> points() {
        return List.copyOf(points).stream();
    }
}
