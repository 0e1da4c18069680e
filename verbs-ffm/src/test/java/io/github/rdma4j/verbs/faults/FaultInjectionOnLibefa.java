// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** {@link FaultInjectionDeviceTest} on libefa itself and an adapter that a thread plays. */
@Timeout(600)
public class FaultInjectionOnLibefa {
    @TestFactory
    Stream<DynamicTest> everyNativeCallFailsInTurn() {
        return FaultRuns.cases(new FaultyLoader(), getClass().getPackageName() + ".cases.SrdCases").stream()
                .map(test -> DynamicTest.dynamicTest(test.name(), () -> FaultRuns.failEach(test)));
    }
}
