// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** Runs a case again and again, with another native call of it failing each time. */
public final class FaultRuns {
    private static final boolean ALL = "all".equals(System.getProperty("rdma4j.faults"));

    private FaultRuns() {}

    /** What {@code all()} of a class gives that a {@link FaultyLoader} loads. */
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
        // Once for what the library keeps for good.
        run(test, new Injection(null, 0));
        Injection noted = new Injection(null, 0);
        run(test, noted);
        List<Injection.Point> points = noted.points().toList();
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

    private static Steps run(FaultCase test, Injection injection) {
        Steps steps = new Steps(injection);
        injection.begin();
        test.steps().accept(steps);
        return steps;
    }

    private static List<String> fail(FaultCase test, Injection.Point point, Errnos errno, int second) {
        List<String> problems = new ArrayList<>();
        Holdings before = Holdings.now();
        Injection injection = new Injection(point, errno.number(), second);
        Steps steps = new Steps(injection);
        injection.begin();
        try {
            test.steps().accept(steps);
        } catch (Throwable e) {
            problems.add("the second try failed: " + Judgement.describe(e));
        }
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

    /** Each native call fails in turn, and each one that its step makes behind it, too. */
    public static void failTwice(FaultCase test) {
        run(test, new Injection(null, 0));
        Injection noted = new Injection(null, 0);
        run(test, noted);
        List<String> problems = new ArrayList<>();
        int failures = 0;
        for (Injection.Point point : noted.points().toList()) {
            Errnos errno = Errnos.of(point.function(), false).iterator().next();
            Injection once = new Injection(point, errno.number());
            // What goes on without the call hides nothing.
            int calls = run(test, once).failures().isEmpty() ? 0 : once.later().size();
            for (int second = 1; second <= calls; second++) {
                Injection.Point then = once.later().get(second - 1);
                // Of close(2) nobody asks whether it failed.
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
