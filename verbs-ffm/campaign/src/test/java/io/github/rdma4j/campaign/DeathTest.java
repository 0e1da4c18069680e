// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.campaign.Ledger.Page;
import io.github.rdma4j.campaign.Ledger.Phase;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeathTest {
    private static final EndReport LOST = report(5, false, "ConnectionLostException: receiving failed: gone");
    private static final EndReport WHOLE = report(5, true, "");

    @Test
    void timelyExceptionWithAllAcknowledgedDataPasses() {
        Death death = death(new Page(Phase.LOAD, 5, 8, 0), LOST, 100);
        assertThat(death.complaints()).isEmpty();
        assertThat(death.isLost()).isTrue();
        assertThat(death.isCutShort()).isTrue();
        assertThat(death.reported()).isEqualTo("ConnectionLostException: gone");
    }

    @Test
    void acknowledgedMessagesMustHaveArrived() {
        assertThat(death(new Page(Phase.LOAD, 6, 8, 0), LOST, 100).complaints())
                .containsExactly("6 messages were acknowledged, and 5 came");
        assertThat(death(new Page(Phase.LOAD, 5, 8, 3), LOST, 100).complaints())
                .singleElement()
                .asString()
                .startsWith("a sum of ");
    }

    @Test
    void countedMessagesExceptTheLastMustHaveBeenRead() {
        assertThat(death(new Page(Phase.LOAD, 5, 6, 0), LOST, 100).complaints()).isEmpty();
        assertThat(death(new Page(Phase.LOAD, 5, 5, 0), LOST, 100).complaints())
                .containsExactly("7 messages count as read, and the program got 5");
    }

    @Test
    void killedPeerMustNotLookLikeOneThatClosed() {
        for (EndReport report : List.of(WHOLE, report(5, false, "ClosedByPeerException: receiving failed: closed"))) {
            assertThat(death(new Page(Phase.LOAD, 5, 8, 0), report, -1).complaints())
                    .singleElement()
                    .asString()
                    .startsWith("looks like an orderly end: ");
            assertThat(death(new Page(Phase.CLOSING, 5, 8, 0), report, -1).complaints())
                    .isEmpty();
        }
    }

    @Test
    void tooLateOrNothingIsTooLittle() {
        assertThat(death(new Page(Phase.LOAD, 5, 8, 0), LOST, 10_001).complaints())
                .containsExactly("got its exception after 10001 ms, and closed in 3 ms");
        assertThat(death(new Page(Phase.LOAD, 5, 8, 0), report(5, false, ""), 100)
                        .complaints())
                .containsExactly("got no exception");
    }

    @Test
    void connectedClientWasAccepted() {
        assertThat(new Death(Transport.TCP, new Page(Phase.CONNECTING, 0, 0, 0), null).complaints())
                .isEmpty();
        assertThat(new Death(Transport.TCP, new Page(Phase.FIRST, 0, 0, 0), null).complaints())
                .hasSize(1);
        assertThat(death(new Page(Phase.BEFORE, 0, 8, 0), LOST, 100).complaints())
                .containsExactly("accepted before it connected");
    }

    private static Death death(Page dead, EndReport report, long afterMillis) {
        return new Death(Transport.RDMA, dead, new Death.Survivor(report, 1, new byte[Work.MEMORY], 7, afterMillis, 3));
    }

    private static EndReport report(long received, boolean whole, String failure) {
        return new EndReport("machine 1", 9, received, 0, whole, failure, 0, "", "", List.of());
    }
}
