// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The manual stays small enough to read. */
class ManualSizeTest {
    private static final int MAX_PAGES = 30;
    private static final int MAX_WORDS = 40_000;

    private final List<Path> pages = Pages.all().stream()
            .filter(page -> page.getParent().equals(Pages.root().resolve("docs")))
            .filter(page -> !page.endsWith("README.md"))
            .toList();

    @Test
    void pagesAreFew() {
        assertThat(pages).isNotEmpty().hasSizeLessThanOrEqualTo(MAX_PAGES);
    }

    /** Without tables, most of which are generated or compared with the code. */
    @Test
    void wordsAreFew() {
        assertThat(pages.stream()
                        .flatMap(page -> Pages.text(page).lines())
                        .filter(line -> !line.startsWith("|"))
                        .mapToLong(line -> line.strip().split("\\s+").length)
                        .sum())
                .isLessThanOrEqualTo(MAX_WORDS);
    }
}
