// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.faults;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.FaultRuns;
import io.github.rdma4j.verbs.faults.FaultyLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Native calls of verbs fail under what gpudirect makes of them, as {@code FaultInjectionDeviceTest} has it. */
@Tag("device")
@Tag("checkout")
@Timeout(1800)
@ExtendWith(StandInDriver.class)
class VerbsFaultsDeviceTest {
    /** Behind its failure no other call of verbs follows. */
    private static final String ONE_CALL = "mirror";

    /** This case posts receives, and reports a failure with an exception that is not a verbs one. */
    private static final String POSTS = "stream channel that cannot be connected";

    private final FaultyLoader loader = new FaultyLoader("io.github.rdma4j.gpudirect.");

    private Stream<FaultCase> cases() {
        return FaultRuns.cases(loader, getClass().getPackageName() + ".GpuCases").stream();
    }

    @TestFactory
    Stream<DynamicTest> everyNativeCallFailsInTurn() {
        return cases().filter(test -> !test.name().equals(POSTS))
                .map(test -> DynamicTest.dynamicTest(test.name(), () -> FaultRuns.failEach(test)));
    }

    /** Undoing a failed step can also fail. The program needs the first failure. */
    @TestFactory
    Stream<DynamicTest> firstOfTwoFailuresIsReported() {
        return cases().filter(test -> !test.name().equals(ONE_CALL))
                .map(test -> DynamicTest.dynamicTest(test.name(), () -> FaultRuns.failTwice(test)));
    }
}
