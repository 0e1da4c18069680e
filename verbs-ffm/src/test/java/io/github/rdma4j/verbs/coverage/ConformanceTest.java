// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Project;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds docs/conformance.md to the tests: each behaviour that rdma-core tests on SoftRoCE, or of SRD queue pairs, has
 * tests of ours, which exist.
 */
class ConformanceTest {
    /** The tests of rdma-core 44 that run on SoftRoCE with Linux 6.12. */
    private static final int RUN_ON_SOFTROCE = 97;

    /** The tests of SRD queue pairs in rdma-core 65. */
    private static final int OF_SRD = 15;

    private static final String EFA_PART = "## rdma-core's tests of EFA";
    private static final String NEXT_PART = "## The tools against C's";

    private static List<List<String>> rows(int part) {
        String page = MarkdownTables.text(Project.page("conformance.md")).split(NEXT_PART)[0];
        return MarkdownTables.rows(page.split(EFA_PART)[part], 2);
    }

    @Test
    void everyTestOfRdmaCoreThatRunsOnSoftRoceHasARow() {
        assertThat(rows(0)).extracting(List::getFirst).doesNotHaveDuplicates().hasSize(RUN_ON_SOFTROCE);
    }

    @Test
    void everyTestOfSrdHasARow() {
        assertThat(rows(1)).extracting(List::getFirst).doesNotHaveDuplicates().hasSize(OF_SRD);
    }

    @Test
    void everyRowNamesTestsThatExist() {
        List<List<String>> rows =
                Stream.of(rows(0), rows(1)).flatMap(List::stream).toList();
        assertThat(rows)
                .filteredOn(row -> MarkdownTables.code(row.get(1)).isEmpty())
                .isEmpty();
        assertThat(rows.stream().flatMap(row -> MarkdownTables.code(row.get(1)).stream()))
                .filteredOn(name -> !Members.isTest(name))
                .isEmpty();
    }
}
