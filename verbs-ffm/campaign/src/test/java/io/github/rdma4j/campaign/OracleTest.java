// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.github.rdma4j.campaign.Moves.Move;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.util.List;
import org.junit.jupiter.api.Test;

class OracleTest {
    private static final EndReport WHOLE = new EndReport("machine 1", 5, 5, 9, true, "", 0, "", "", List.of());
    private static final EndReport LOST =
            new EndReport("machine 2", 5, 3, 9, false, "Lost: gone", 7_400, "", "", List.of());
    private static final EndReport WRONG =
            new EndReport("machine 1", 5, 3, 9, false, "Lost: gone", 1, "a byte", "", List.of());
    private static final EndReport HUNG =
            new EndReport("machine 1", 5, 3, 9, false, "", 0, "", "sender at x", List.of());

    @Test
    void oracleForArrivalAllowsNoException() {
        Oracle oracle = Oracle.allArrives();
        assertThat(oracle.complaints(0, List.of(WHOLE, WHOLE))).isEmpty();
        assertThat(oracle.complaints(0, List.of(WHOLE, LOST))).containsExactly("machine 2 got Lost: gone");
    }

    @Test
    void oracleForLossNeedsATimelyExceptionFromEachSurvivor() {
        Oracle oracle = Oracle.lostWithin(6_000);
        assertThat(oracle.complaints(1_400, List.of(LOST))).isEmpty();
        assertThat(oracle.complaints(1_399, List.of(LOST)))
                .containsExactly("machine 2 got its exception after 6001 ms and not 6000");
        assertThat(oracle.complaints(0, List.of(WHOLE))).containsExactly("machine 1 got no exception");
    }

    @Test
    void whereBothMayBeEachEndIsJudgedAlone() {
        assertThat(Oracle.eitherWithin(6_000).complaints(1_400, List.of(WHOLE, LOST)))
                .isEmpty();
    }

    @Test
    void nothingExcusesAWrongByteOrAThreadThatHangs() {
        for (Oracle oracle : List.of(Oracle.allArrives(), Oracle.lostWithin(10_000), Oracle.eitherWithin(10_000))) {
            assertThat(oracle.complaints(0, List.of(WRONG))).contains("machine 1: a byte");
            assertThat(oracle.complaints(0, List.of(HUNG))).containsExactly("machine 1 hangs: sender at x");
        }
    }

    @Test
    void oracleForMovesNeedsATimelyMoveAfterTheFault() {
        Oracle oracle = Oracle.movesWithin(4_000);
        EndReport moved = withMoves(new Move(100, Transport.TCP, "early"), new Move(5_400, Transport.TCP, "silence"));
        assertThat(oracle.complaints(1_400, List.of(moved))).isEmpty();
        assertThat(oracle.complaints(1_399, List.of(moved)))
                .singleElement(as(STRING))
                .startsWith("machine 1 did not move within 4000 ms of 1399: ");
        assertThat(oracle.complaints(200, List.of(withMoves(new Move(300, Transport.RDMA, "well again")))))
                .hasSize(1);
        assertThat(oracle.complaints(0, List.of(WHOLE))).hasSize(1);
        assertThat(oracle.complaints(0, List.of(LOST))).containsExactly("machine 2 got Lost: gone");
    }

    @Test
    void messageThatIsReportedAsSentAndDoesNotArriveIsLostSilently() {
        EndReport other = new EndReport("machine 2", 5, 4, 9, false, "Lost: gone", 1, "", "", List.of());
        assertThat(Oracle.lostSilently(Load.PAIRS, List.of(WHOLE, other)))
                .containsExactly("machine 1 saw 5 messages acknowledged, and 4 arrived");
        assertThat(Oracle.lostSilently(Load.PAIRS, List.of(WHOLE, WHOLE))).isEmpty();
        assertThat(Oracle.lostSilently(Load.DATAGRAMS, List.of(WHOLE, other))).isEmpty();
        assertThat(Oracle.lostSilently(Load.PAIRS, List.of(WHOLE))).isEmpty();
    }

    private static EndReport withMoves(Move... moves) {
        return new EndReport("machine 1", 5, 5, 9, true, "", 0, "", "", List.of(moves));
    }
}
