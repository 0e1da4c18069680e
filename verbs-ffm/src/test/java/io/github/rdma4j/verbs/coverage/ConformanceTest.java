// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.Project;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Holds docs/conformance.md to the tests: each behaviour that rdma-core tests on SoftRoCE has tests of ours, which
 * exist.
 */
class ConformanceTest {
    /** The tests of rdma-core 44 that run on SoftRoCE with Linux 6.12. */
    private static final int RUN_ON_SOFTROCE = 97;

    private static final Path PAGE = Project.page("conformance.md");
    private static final String NEXT_PART = "## The tools against C's";
    private final List<List<String>> rows =
            MarkdownTables.rows(MarkdownTables.text(PAGE).split(NEXT_PART)[0], 2);

    @Test
    void everyTestOfRdmaCoreThatRunsOnSoftRoceHasARow() {
        assertThat(rows).extracting(List::getFirst).doesNotHaveDuplicates().hasSize(RUN_ON_SOFTROCE);
    }

    @Test
    void everyRowNamesTestsThatExist() {
        assertThat(rows)
                .filteredOn(row -> MarkdownTables.code(row.get(1)).isEmpty())
                .isEmpty();
        assertThat(rows.stream().flatMap(row -> MarkdownTables.code(row.get(1)).stream()))
                .filteredOn(name -> !Members.isTest(name))
                .isEmpty();
    }
}
