// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds the tables of docs/findings.md to the findings. */
class DocumentationTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9-]+)` \\| ([A-Z ]+) \\|");

    @Test
    void eachFindingHasARowWithItsStates() throws IOException {
        // Tests run in their module's folder.
        String page = Files.readString(Path.of("../docs/findings.md")).split("\n## GPUDirect", 2)[1];
        TreeMap<String, Set<FindingState>> rows = new TreeMap<>();
        ROW.matcher(page)
                .results()
                .forEach(row -> rows.put(
                        row.group(1),
                        Arrays.stream(row.group(2).strip().split(" "))
                                .map(FindingState::valueOf)
                                .collect(Collectors.toSet())));
        assertThat(rows)
                .isEqualTo(Arrays.stream(CheckId.values())
                        .collect(Collectors.toMap(CheckId::key, CheckId::states, (one, _) -> one, TreeMap::new)));
    }
}
