// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The inline size of adapters that refuse the usual one. */
class RunQueuePairsTest {
    private final List<Integer> added = new ArrayList<>();

    private void add(int size, int limit) {
        if (size > limit) {
            throw new VerbsException("ibv_create_qp", 22, "", "");
        }
        added.add(size);
    }

    /** ConnectX, QLogic, Intel E810, Broadcom, Intel X722, and an adapter without inline data. */
    @ParameterizedTest
    @CsvSource({"1000, 220", "128, 128", "101, 101", "96, 96", "100, 96", "48, 48", "0, 0"})
    void largestGrantedSizeIsTaken(int limit, int granted) {
        assertThat(RunQueuePairs.largestGranted(220, size -> add(size, limit))).isEqualTo(granted);
        assertThat(added).containsExactly(granted);
    }

    @ParameterizedTest
    @CsvSource({"220", "0"})
    void refusalOfEverySizeIsThrown(int wanted) {
        assertThatThrownBy(() -> RunQueuePairs.largestGranted(wanted, size -> add(size, -1)))
                .isInstanceOf(VerbsException.class);
        assertThat(added).isEmpty();
    }
}
