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

    @Test
    void stepsBeginAtNought() {
        assertThat(Scenarios.all())
                .filteredOn(scenario -> !scenario.fault().steps().isEmpty())
                .allSatisfy(scenario -> assertThat(
                                scenario.fault().steps().getFirst().afterMillis())
                        .isZero());
    }

    @Test
    void aConversationThatAFaultEndsLastsLongerThanItsReportMayTake() {
        assertThat(Scenarios.all())
                .filteredOn(scenario -> !scenario.oracle().mayArrive())
                .allSatisfy(scenario -> assertThat(scenario.lengthMillis())
                        .isGreaterThan(scenario.oracle().withinMillis() + 2_000));
    }
}
