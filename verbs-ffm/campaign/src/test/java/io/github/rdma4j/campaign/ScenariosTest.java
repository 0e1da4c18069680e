// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScenariosTest {
    @Test
    void eachHasANameOfItsOwn() {
        assertThat(Scenarios.all()).extracting(Scenario::name).doesNotHaveDuplicates();
    }

    /** "cut for good, netty idle" alone failed: no buffer was made, and what opens once counted as left. */
    @Test
    void eachLoadHasAFaultlessRunToBeginWith() {
        assertThat(Scenarios.all())
                .filteredOn(scenario ->
                        !scenario.load().isAlone() && !scenario.load().isMalice())
                .extracting(scenario -> scenario.load().warmUp())
                .allMatch(warmUp -> Scenarios.all().stream()
                        .anyMatch(scenario -> scenario.load() == warmUp
                                && scenario.fault().steps().isEmpty()));
    }

    @Test
    void stepsBeginAtNought() {
        assertThat(Scenarios.all())
                .filteredOn(scenario -> !scenario.fault().steps().isEmpty())
                .allSatisfy(scenario -> assertThat(
                                scenario.fault().steps().getFirst().afterMillis())
                        .isZero());
    }

    @Test
    void conversationThatAFaultEndsLastsLongerThanItsReportMayTake() {
        assertThat(Scenarios.all())
                .filteredOn(scenario -> !scenario.oracle().mayArrive())
                .allSatisfy(scenario -> assertThat(scenario.lengthMillis())
                        .isGreaterThan(scenario.oracle().withinMillis() + 2_000));
    }
}
