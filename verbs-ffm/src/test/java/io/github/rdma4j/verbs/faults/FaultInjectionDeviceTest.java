// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Each native call of each case fails in turn, with one errno, or with all that its manual page names if {@code
 * -Drdma4j.faults=all}. Then the exception must name call, cause and remedy, nothing may be left, and a second attempt
 * must succeed.
 */
@Tag("device")
@Tag("checkout")
@Timeout(3600)
class FaultInjectionDeviceTest {
    private static final List<String> CASES = List.of("VerbsCases", "PoolCases", "ConnectionCases", "EndpointCases");

    /** Cases that close again what a failed step could not undo. */
    private static final Set<String> UNDONE_AGAIN =
            Set.of("queue pair that cannot be connected", "a request that is rejected", "connection", "multicast join");

    private final FaultyLoader loader = new FaultyLoader();

    @TestFactory
    Stream<DynamicTest> everyNativeCallFailsInTurn() {
        return cases().map(test -> DynamicTest.dynamicTest(test.name(), () -> FaultRuns.failEach(test)));
    }

    /** Undoing a failed step can also fail. The program needs the first failure. */
    @TestFactory
    Stream<DynamicTest> firstOfTwoFailuresIsReported() {
        return cases().filter(test -> UNDONE_AGAIN.contains(test.name()))
                .map(test -> DynamicTest.dynamicTest(test.name(), () -> FaultRuns.failTwice(test)));
    }

    private Stream<FaultCase> cases() {
        return CASES.stream()
                .flatMap(name -> FaultRuns.cases(loader, getClass().getPackageName() + ".cases." + name).stream());
    }
}
