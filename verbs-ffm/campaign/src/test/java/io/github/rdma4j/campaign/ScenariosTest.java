// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.ToLongFunction;
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

    /**
     * {@code scripts/lib/evidence/adapter/steps/09-ends} grants 180 s, of which the starts of processes take some 30 s.
     */
    @Test
    void roundOnOneMachineIsShorterThanItsTime() {
        List<Scenario> round =
                Scenarios.all().stream().filter(Scenario::fitsOneMachine).toList();
        assertThat(round)
                .extracting(scenario -> scenario.fault().name())
                .contains("peer killed", "peer stopped for 12 s");
        long faultless = sum(round, scenario -> scenario.fault().steps().isEmpty() ? scenario.lengthMillis() : 0);
        long faulty = sum(
                round,
                scenario -> scenario.fault().steps().isEmpty()
                        ? 0
                        : Campaign.LATEST_FAULT
                                + Math.max(
                                        scenario.fault().lengthMillis(),
                                        scenario.fault().endsPeer() ? 0 : scenario.lengthMillis()));
        // Each load runs once before, without a fault.
        assertThat(2 * faultless + faulty).isLessThan(150_000);
    }

    private static long sum(List<Scenario> scenarios, ToLongFunction<Scenario> millis) {
        return scenarios.stream().mapToLong(millis).sum();
    }

    @Test
    void conversationThatAFaultEndsLastsLongerThanItsReportMayTake() {
        assertThat(Scenarios.all())
                .filteredOn(scenario -> !scenario.oracle().mayArrive())
                .allSatisfy(scenario -> assertThat(scenario.lengthMillis())
                        .isGreaterThan(scenario.oracle().withinMillis() + 2_000));
    }
}
