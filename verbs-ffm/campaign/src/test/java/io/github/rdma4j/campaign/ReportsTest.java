// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.campaign.Moves.Move;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportsTest {
    private static final Run ARRIVED = new Run("cut, busy", 7, "arrived", "", -1, 100, 30, 0, "");
    private static final Run LOST = new Run("cut, busy", 8, "lost", "Lost: silence", 5_200, 50, 10, 0, "");
    private static final Run LATER = new Run("cut, busy", 9, "lost", "Lost: silence", 6_100, 50, 10, 0, "");
    private static final Run FAILED = new Run("none, busy", 9, "failed", "", -1, 1, 0, 2, "left: {qp=2}");

    @Test
    void scenarioIsALineOfTheTable() {
        assertThat(Table.of(List.of(ARRIVED, LOST, FAILED, LATER)).lines().skip(2))
                .containsExactly(
                        "| cut, busy | 3 | 1 | 2 | 0 | Lost: silence | 6100, 6100 | 200 | 50 | 0 |",
                        "| none, busy | 1 | 0 | 0 | 1 |  |  | 1 | 0 | 2 |");
    }

    @Test
    void runsAndReportsOutliveTheirLine() {
        for (Run run : List.of(ARRIVED, LOST, FAILED)) {
            assertThat(Run.ofLine(run.line())).isEqualTo(run);
        }
        List<Move> moves = List.of(new Move(-3, Transport.RDMA, "well"), new Move(9, Transport.TCP, "no answer: 4 s"));
        EndReport report = new EndReport("machine 1", 1, 2, 3, false, "Lost: a\nb\tc", 4, "", "sender at [x]", moves);
        assertThat(EndReport.ofLine(report.line()))
                .isEqualTo(new EndReport("machine 1", 1, 2, 3, false, "Lost: a b c", 4, "", "sender at [x]", moves));
    }

    @Test
    void onlyGrowthCountsAsLeftover() {
        assertThat(Leftovers.more(Map.of("qp", 1, "mr", 4), Map.of("qp", 3, "mr", 4, "cq", 1)))
                .isEqualTo(Map.of("qp", 2, "cq", 1));
        assertThat(Leftovers.more(Map.of("qp", 1), Map.of("qp", 0))).isEmpty();
    }
}
