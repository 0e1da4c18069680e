// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.StandInDriver;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes two calls fail: one of an operation, and one that follows it, such as a call that undoes the failed step or
 * closes the rest. The program must get the first failure.
 */
public final class FailurePairs {
    /** No operation makes so many calls behind a failure. */
    private static final int MOST_CALLS = 200;

    private static final int CUDA_UNKNOWN = 999;
    private static final int CUDA_OPERATING_SYSTEM = 304;

    /** A library whose calls can fail. */
    public interface Seam {
        /** Has a call fail, with a result that {@link #result} names. */
        void failAt(String call, int n);

        /** Has the n-th call after that fail, with another result. */
        void thenFailAt(int n);

        /** Whether a failure still waits for its call. */
        boolean isPending();

        /** Takes all back. */
        void noFailures();

        /** The name of the first result. */
        String result();
    }

    /** The seam of CUDA's driver. */
    public static Seam driver() {
        return new Seam() {
            @Override
            public void failAt(String call, int n) {
                StandInDriver.failAt(call, n, CUDA_UNKNOWN);
            }

            @Override
            public void thenFailAt(int n) {
                StandInDriver.thenFailAt("*", n, CUDA_OPERATING_SYSTEM);
            }

            @Override
            public boolean isPending() {
                return StandInDriver.isPending();
            }

            @Override
            public void noFailures() {
                StandInDriver.noFailures();
            }

            @Override
            public String result() {
                return "CUDA_ERROR_UNKNOWN";
            }
        };
    }

    /** The seam of another library of NVIDIA. */
    public static Seam of(StandInLibrary library, int first, String result, int second) {
        return new Seam() {
            @Override
            public void failAt(String call, int n) {
                library.failAt(call, n, first);
            }

            @Override
            public void thenFailAt(int n) {
                library.thenFailAt("*", n, second);
            }

            @Override
            public boolean isPending() {
                return library.isPending();
            }

            @Override
            public void noFailures() {
                library.set("no-failures", 1);
            }

            @Override
            public String result() {
                return result;
            }
        };
    }

    /** The steps between {@link #arm} and {@link #disarm}, in a new world each time. */
    public interface Play {
        /**
         * Makes a world, and does the operation there.
         *
         * @param arm to be called when the world is there
         * @param disarm to be called when the operation is over, before the world ends
         * @return what the operation threw, or null
         */
        Throwable run(Runnable arm, Runnable disarm);
    }

    private final List<Seam> seams;
    private final Set<String> problems = new TreeSet<>();
    private int pairs;

    /** Of all these libraries a call may be the second. */
    public FailurePairs(Seam... seams) {
        this.seams = List.of(seams);
    }

    private record Outcome(boolean fired, String failure) {}

    private Outcome outcome(Play play, Runnable arming) {
        boolean[] fired = new boolean[1];
        Throwable failure = play.run(arming, () -> {
            fired[0] = seams.stream().noneMatch(Seam::isPending);
            seams.forEach(Seam::noFailures);
        });
        return new Outcome(fired[0], failure == null ? null : describe(failure));
    }

    /** Whether there was an n-th such call. */
    public boolean play(String words, Seam seam, String call, int n, Play play) {
        Outcome alone = outcome(play, () -> seam.failAt(call, n));
        // An operation that succeeds without the call, or returns the failure as its result, has no exception to hide.
        if (!alone.fired || alone.failure == null || !alone.failure.contains(seam.result())) {
            return alone.fired;
        }
        for (Seam other : seams) {
            for (int second = 1; second < MOST_CALLS; second++) {
                int then = second;
                Outcome both = outcome(play, () -> {
                    seam.failAt(call, n);
                    other.thenFailAt(then);
                });
                if (!both.fired) {
                    break;
                }
                pairs++;
                if (both.failure == null || !both.failure.contains(seam.result())) {
                    problems.add("%s, call %d of %s: %s; with call %d after it, of the library of %s: %s"
                            .formatted(words, n, call, alone.failure, second, other.result(), both.failure));
                }
            }
        }
        return true;
    }

    /** With its causes, and not with what is suppressed; without what differs from run to run. */
    private static String describe(Throwable failure) {
        String text = failure.toString().replaceAll("0x[0-9a-f]+", "0x…");
        return failure.getCause() == null ? text : text + " by " + describe(failure.getCause());
    }

    /** The failures that were reported instead of a first failure. */
    public Set<String> problems() {
        return problems;
    }

    /** The number of pairs. */
    public int pairs() {
        return pairs;
    }
}
