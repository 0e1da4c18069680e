// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Only docs/compatibility.md lists the hardware that rdma4j has been run on. */
class StatusTest {
    private static final Path HOME = Pages.root().resolve("docs/compatibility.md");
    private static final Pattern STATUS = Pattern.compile("\\*\\*rdma4j has not yet run on [^*]+\\*\\*");
    private static final Pattern TAG = Pattern.compile("@experimental ([^@/]*[^@/*\\s])");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.*?) \\|.*\\|$");

    /** As a claim about hardware in a page of its own would be written. */
    private static final Pattern CLAIM = Pattern.compile(
            "(?i)\\b(?:adapters?|GPUs?|H[12]00|hardware|machines?)\\b[^.|]{0,60}\\b(?:has|have) (?:ever )?(?:run|met|seen)\\b"
                    + "|\\bnot (?:yet )?(?:been )?run on (?:an? |any )?(?:RDMA )?(?:adapter|GPU|aarch64)");

    @Test
    void experimentalTagsAreThoseOfTheTable() {
        String section = Pages.text(HOME).split("\n## Experimental\n")[1].split("\n## ")[0];
        List<String> rows = found(ROW, section, match -> match.group(1)).skip(1).toList();
        List<String> tags = PublicApiTest.MODULES.stream()
                .flatMap(module -> PublicApi.sources(module).stream())
                .flatMap(file ->
                        found(TAG, Pages.text(file), match -> match.group(1).replaceAll("\\s+\\* ", " ")))
                .distinct()
                .toList();
        assertThat(tags).containsExactlyInAnyOrderElementsOf(rows);
    }

    @Test
    void readmeRepeatsTheStatus() {
        assertThat(found(STATUS, Pages.text(Pages.root().resolve("README.md")), MatchResult::group))
                .containsExactlyElementsOf(
                        found(STATUS, Pages.text(HOME), MatchResult::group).toList())
                .hasSize(1);
    }

    @Test
    void noOtherPageMakesAClaimAboutHardware() {
        assertThat(Pages.all().stream()
                        .filter(page -> !page.equals(HOME))
                        .flatMap(page -> found(
                                CLAIM,
                                STATUS.matcher(Pages.text(page)).replaceAll(""),
                                match -> Pages.root().relativize(page) + ": " + match.group())))
                .isEmpty();
    }

    private static Stream<String> found(Pattern pattern, String text, Function<MatchResult, String> part) {
        return pattern.matcher(text).results().map(part);
    }
}
