// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs a case again and again, with another native call of it failing each time. */
public final class FaultRuns {
    private static final boolean ALL = "all".equals(System.getProperty("rdma4j.faults"));
    /** For a call that is never made again. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private FaultRuns() {}

    /** Returns the result of {@code all()} of a class that a {@link FaultyLoader} loads. */
    @SuppressWarnings("unchecked")
    public static List<FaultCase> cases(ClassLoader loader, String name) {
        try {
            Class<?> type = loader.loadClass(name);
            return (List<FaultCase>) type.getMethod("all").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(name, e);
        }
    }

    /** Each native call fails in turn. */
    public static void failEach(FaultCase test) {
        List<Injection.Point> points = points(test);
        List<String> problems = new ArrayList<>();
        int failures = 0;
        for (Injection.Point point : points) {
            for (Errnos errno : Errnos.of(point.function(), ALL)) {
                failures++;
                for (String problem : fail(test, point, errno, 0)) {
                    problems.add("%s with %s: %s".formatted(point, errno, problem));
                }
            }
        }
        System.out.printf("fault injection: %s: %d native calls, %d failures%n", test.name(), points.size(), failures);
        problems.forEach(System.out::println);
        assertThat(problems).isEmpty();
        assertThat(points.size()).as("native calls that were made to fail").isGreaterThanOrEqualTo(test.points());
    }

    /** Where the case calls native functions. */
    private static List<Injection.Point> points(FaultCase test) {
        // Once for what the library keeps for good.
        run(test, new Injection(null, 0));
        long start = System.nanoTime();
        List<Injection.Point> points;
        do {
            Injection noted = new Injection(null, 0);
            run(test, noted);
            points = noted.points().toList();
        } while (points.size() < test.points() && isInTime(start));
        return points;
    }

    /** A step that has little time, and no processor meanwhile, does not come to wait: then it is played again. */
    private static boolean isInTime(long start) {
        return System.nanoTime() - start < LIMIT.toNanos();
    }

    private static Steps run(FaultCase test, Injection injection) {
        Steps steps = new Steps(injection);
        injection.begin();
        test.steps().accept(steps);
        return steps;
    }

    private static List<String> fail(FaultCase test, Injection.Point point, Errnos errno, int second) {
        List<String> problems = new ArrayList<>();
        Holdings before = Holdings.now();
        long start = System.nanoTime();
        Injection injection;
        Steps steps;
        do {
            injection = new Injection(point, errno.number(), second);
            steps = new Steps(injection);
            injection.begin();
            try {
                test.steps().accept(steps);
            } catch (Throwable e) {
                problems.add("the second try failed: " + Judgement.describe(e));
            }
        } while (!injection.hasFired() && problems.isEmpty() && isInTime(start));
        if (!injection.hasFired()) {
            problems.add("the call was not made again");
        }
        problems.addAll(steps.leaks());
        problems.addAll(Judgement.of(point, errno, steps.failures()));
        String change = Holdings.changeSince(before);
        if (!change.isEmpty()) {
            problems.add("not as before: " + change);
        }
        return problems;
    }

    /** Makes each native call fail in turn, together with each later call of the same step. */
    public static void failTwice(FaultCase test) {
        List<String> problems = new ArrayList<>();
        int failures = 0;
        for (Injection.Point point : points(test)) {
            Errnos errno = Errnos.of(point.function(), false).iterator().next();
            Injection once = new Injection(point, errno.number());
            // A step that succeeds without the call has no failure to hide.
            int calls = run(test, once).failures().isEmpty() ? 0 : once.later().size();
            for (int second = 1; second <= calls; second++) {
                Injection.Point then = once.later().get(second - 1);
                // The library ignores failures of close(2).
                if (then.function().equals("close")) {
                    continue;
                }
                failures++;
                for (String problem : fail(test, point, errno, second)) {
                    problems.add("%s, then %s: %s".formatted(point, then, problem));
                }
            }
        }
        System.out.printf("fault injection: %s: %d pairs of failures%n", test.name(), failures);
        problems.forEach(System.out::println);
        assertThat(problems).isEmpty();
        assertThat(failures).as("pairs of failures").isPositive();
    }
}
