// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * Each native call of each case fails in turn, with one errno, or with all that its manual page names if
 * {@code -Drdma4j.faults=all}. Then the exception must name call, cause and remedy; nothing may be left; and a second
 * try must succeed.
 */
@Tag("device")
@Tag("checkout")
@Timeout(3600)
@DisabledIfSystemProperty(
        named = "io.github.rdma4j.verbs.dataPath",
        matches = "rings",
        disabledReason = "with rings there are no calls to fail")
class FaultInjectionDeviceTest {
    private static final boolean ALL = "all".equals(System.getProperty("rdma4j.faults"));
    private static final List<String> CASES = List.of("VerbsCases", "PoolCases", "ConnectionCases", "EndpointCases");

    private final FaultyLoader loader = new FaultyLoader();

    @TestFactory
    Stream<DynamicTest> everyNativeCallFailsInTurn() {
        return CASES.stream()
                .flatMap(name -> cases(name).stream())
                .map(test -> DynamicTest.dynamicTest(test.name(), () -> failEach(test)));
    }

    @SuppressWarnings("unchecked")
    private List<FaultCase> cases(String name) {
        try {
            Class<?> type = loader.loadClass(getClass().getPackageName() + ".cases." + name);
            return (List<FaultCase>) type.getMethod("all").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(name, e);
        }
    }

    private static void failEach(FaultCase test) {
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
                for (String problem : fail(test, point, errno)) {
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

    private static List<String> fail(FaultCase test, Injection.Point point, Errnos errno) {
        List<String> problems = new ArrayList<>();
        Holdings before = Holdings.now();
        Injection injection = new Injection(point, errno.number());
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
}
