// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
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
                .allSatisfy(Scenarios::faultless);
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
        long faulty = sum(
                round.stream(),
                scenario -> Campaign.LATEST_FAULT
                        + Math.max(
                                scenario.fault().lengthMillis(),
                                scenario.fault().endsPeer() ? 0 : scenario.lengthMillis()));
        long warmUps = sum(
                round.stream()
                        .map(scenario -> Scenarios.faultless(scenario.load().warmUp()))
                        .distinct(),
                Scenario::lengthMillis);
        assertThat(warmUps + faulty).isLessThan(140_000);
    }

    private static long sum(Stream<Scenario> scenarios, ToLongFunction<Scenario> millis) {
        return scenarios.mapToLong(millis).sum();
    }

    @Test
    void conversationThatAFaultEndsLastsLongerThanItsReportMayTake() {
        assertThat(Scenarios.all())
                .filteredOn(scenario -> !scenario.oracle().mayArrive())
                .allSatisfy(scenario -> assertThat(scenario.lengthMillis())
                        .isGreaterThan(scenario.oracle().withinMillis() + 2_000));
    }
}
