// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static io.github.rdma4j.verbs.QueuePairState.ERR;
import static io.github.rdma4j.verbs.QueuePairState.INIT;
import static io.github.rdma4j.verbs.QueuePairState.RESET;
import static io.github.rdma4j.verbs.QueuePairState.RTR;
import static io.github.rdma4j.verbs.QueuePairState.RTS;
import static io.github.rdma4j.verbs.QueuePairState.SQD;
import static io.github.rdma4j.verbs.QueuePairState.SQE;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.QueuePairAttribute;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.QueuePairType;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The state table against the specification's, written out row by row. */
class QueuePairStateTableTest {
    /**
     * Type, from, to, what is required, what is optional; the way to RESET and ERR is the same for all and left out.
     */
    private static final String ROWS = """
        RC         | RESET INIT | PKEY_INDEX PORT ACCESS_FLAGS                                    |
        RC         | INIT INIT  |                                                                 | PKEY_INDEX PORT ACCESS_FLAGS
        RC         | INIT RTR   | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER    | ALT_PATH ACCESS_FLAGS PKEY_INDEX
        RC         | RTR RTS    | TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC             | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
        RC         | RTS RTS    |                                                                 | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
        RC         | RTS SQD    |                                                                 | EN_SQD_ASYNC_NOTIFY
        RC         | SQD RTS    |                                                                 | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
        RC         | SQD SQD    |                                                                 | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC MAX_DEST_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
        RC         | SQE RTS    |                                                                 |
        UC         | RESET INIT | PKEY_INDEX PORT ACCESS_FLAGS                                    |
        UC         | INIT INIT  |                                                                 | PKEY_INDEX PORT ACCESS_FLAGS
        UC         | INIT RTR   | AV PATH_MTU DEST_QPN RQ_PSN                                     | ALT_PATH ACCESS_FLAGS PKEY_INDEX
        UC         | RTR RTS    | SQ_PSN                                                          | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
        UC         | RTS RTS    |                                                                 | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
        UC         | RTS SQD    |                                                                 | EN_SQD_ASYNC_NOTIFY
        UC         | SQD RTS    |                                                                 | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
        UC         | SQD SQD    |                                                                 | AV ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
        UC         | SQE RTS    |                                                                 | CUR_STATE ACCESS_FLAGS
        UD         | RESET INIT | PKEY_INDEX PORT QKEY                                            |
        UD         | INIT INIT  |                                                                 | PKEY_INDEX PORT QKEY
        UD         | INIT RTR   |                                                                 | PKEY_INDEX QKEY
        UD         | RTR RTS    | SQ_PSN                                                          | CUR_STATE QKEY
        UD         | RTS RTS    |                                                                 | CUR_STATE QKEY
        UD         | RTS SQD    |                                                                 | EN_SQD_ASYNC_NOTIFY
        UD         | SQD RTS    |                                                                 | CUR_STATE QKEY
        UD         | SQD SQD    |                                                                 | PKEY_INDEX QKEY
        UD         | SQE RTS    |                                                                 | CUR_STATE QKEY
        RAW_PACKET | RESET INIT | PORT                                                            |
        RAW_PACKET | INIT INIT  |                                                                 |
        RAW_PACKET | INIT RTR   |                                                                 |
        RAW_PACKET | RTR RTS    |                                                                 | RATE_LIMIT
        RAW_PACKET | RTS RTS    |                                                                 | RATE_LIMIT
        RAW_PACKET | RTS SQD    |                                                                 |
        RAW_PACKET | SQD RTS    |                                                                 |
        RAW_PACKET | SQD SQD    |                                                                 |
        RAW_PACKET | SQE RTS    |                                                                 |
        XRC_SEND   | RESET INIT | PKEY_INDEX PORT ACCESS_FLAGS                                    |
        XRC_SEND   | INIT INIT  |                                                                 | PKEY_INDEX PORT ACCESS_FLAGS
        XRC_SEND   | INIT RTR   | AV PATH_MTU DEST_QPN RQ_PSN                                     | ALT_PATH ACCESS_FLAGS PKEY_INDEX
        XRC_SEND   | RTR RTS    | TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC             | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
        XRC_SEND   | RTS RTS    |                                                                 | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
        XRC_SEND   | RTS SQD    |                                                                 | EN_SQD_ASYNC_NOTIFY
        XRC_SEND   | SQD RTS    |                                                                 | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
        XRC_SEND   | SQD SQD    |                                                                 | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
        XRC_SEND   | SQE RTS    |                                                                 |
        XRC_RECV   | RESET INIT | PKEY_INDEX PORT ACCESS_FLAGS                                    |
        XRC_RECV   | INIT INIT  |                                                                 | PKEY_INDEX PORT ACCESS_FLAGS
        XRC_RECV   | INIT RTR   | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER    | ALT_PATH ACCESS_FLAGS PKEY_INDEX
        XRC_RECV   | RTR RTS    | TIMEOUT SQ_PSN                                                  | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
        XRC_RECV   | RTS RTS    |                                                                 | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
        XRC_RECV   | RTS SQD    |                                                                 | EN_SQD_ASYNC_NOTIFY
        XRC_RECV   | SQD RTS    |                                                                 | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
        XRC_RECV   | SQD SQD    |                                                                 | PORT AV TIMEOUT MAX_DEST_RD_ATOMIC ALT_PATH ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
        XRC_RECV   | SQE RTS    |                                                                 |
        """;

    private static final Map<String, QueuePairStateTable.Transition> EXPECTED = expected();

    private static Map<String, QueuePairStateTable.Transition> expected() {
        Map<String, QueuePairStateTable.Transition> rows = new HashMap<>();
        for (String line : ROWS.lines().toList()) {
            String[] cells = line.split("\\|", -1);
            rows.put(
                    cells[0].strip() + " " + cells[1].strip().replaceAll(" +", " "),
                    new QueuePairStateTable.Transition(attributes(cells[2]), attributes(cells[3])));
        }
        return rows;
    }

    private static Set<QueuePairAttribute> attributes(String names) {
        return Arrays.stream(names.strip().split(" +"))
                .filter(name -> !name.isEmpty())
                .map(QueuePairAttribute::valueOf)
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @EnumSource(value = QueuePairType.class, mode = EnumSource.Mode.EXCLUDE, names = "DRIVER")
    void everyPairOfStatesIsAsTheSpecificationHasIt(QueuePairType type) {
        for (QueuePairState from : QueuePairState.values()) {
            for (QueuePairState to : QueuePairState.values()) {
                Optional<QueuePairStateTable.Transition> actual = QueuePairStateTable.find(type, from, to);
                assertThat(actual)
                        .as("%s from %s to %s", type, from, to)
                        .isEqualTo(Optional.ofNullable(expected(type, from, to)));
            }
        }
    }

    private static QueuePairStateTable.Transition expected(QueuePairType type, QueuePairState from, QueuePairState to) {
        boolean known = from != QueuePairState.UNKNOWN;
        if (known && (to == RESET || to == ERR && from != RESET)) {
            return new QueuePairStateTable.Transition(Set.of(), Set.of());
        }
        return EXPECTED.get(type + " " + from + " " + to);
    }

    @Test
    void rowsAreWhole() {
        assertThat(EXPECTED).hasSize(6 * 9);
    }

    @Test
    void attributesOfDriversAreUnknown() {
        assertThat(QueuePairStateTable.knows(QueuePairType.DRIVER)).isFalse();
        assertThat(QueuePairStateTable.knows(QueuePairType.RC)).isTrue();
        assertThat(QueuePairStateTable.find(QueuePairType.DRIVER, RESET, INIT)).isEmpty();
    }

    @Test
    void shortestWayIsFound() {
        assertThat(QueuePairStateTable.way(QueuePairType.RC, RESET, RTS)).containsExactly(RESET, INIT, RTR, RTS);
        assertThat(QueuePairStateTable.way(QueuePairType.UD, ERR, INIT)).containsExactly(ERR, RESET, INIT);
        assertThat(QueuePairStateTable.way(QueuePairType.RC, RESET, SQD)).containsExactly(RESET, INIT, RTR, RTS, SQD);
        assertThat(QueuePairStateTable.way(QueuePairType.RC, RTS, RTR)).containsExactly(RTS, RESET, INIT, RTR);
        assertThat(QueuePairStateTable.way(QueuePairType.RC, RESET, SQE)).isEmpty();
        assertThat(QueuePairStateTable.next(QueuePairType.RC, RESET)).containsExactly(INIT);
        assertThat(QueuePairStateTable.next(QueuePairType.RC, SQD)).containsExactly(RESET, RTS, ERR);
    }

    @Test
    void missingAndSuperfluousAttributesAreReported() {
        QueuePairStateTable.Transition transition =
                QueuePairStateTable.find(QueuePairType.UD, RTR, RTS).orElseThrow();
        Set<QueuePairAttribute> given = EnumSet.of(
                QueuePairAttribute.STATE, QueuePairAttribute.QKEY, QueuePairAttribute.TIMEOUT, QueuePairAttribute.AV);
        assertThat(transition.missing(given)).containsExactly(QueuePairAttribute.SQ_PSN);
        assertThat(transition.superfluous(given)).containsExactly(QueuePairAttribute.AV, QueuePairAttribute.TIMEOUT);
        given.add(QueuePairAttribute.SQ_PSN);
        assertThat(transition.missing(given)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 7, 11, 254})
    void codesThatAreNoTypeAreADrivers(int code) {
        assertThat(QueuePairType.ofCode(code)).isEqualTo(QueuePairType.DRIVER);
    }
}
