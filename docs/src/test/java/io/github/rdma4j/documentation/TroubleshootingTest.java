// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/troubleshooting.md quotes real messages: each quoted symptom is found in the sources. */
class TroubleshootingTest {
    private static final Path PAGE = Pages.root().resolve("docs/troubleshooting.md");
    private static String sources;

    @BeforeAll
    static void readSources() throws IOException {
        try (Stream<Path> files = Files.walk(Pages.root())) {
            sources = files.filter(file -> file.toString().contains("/src/main/java/")
                            || file.toString().contains("/scripts/"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .filter(Files::isRegularFile)
                    .filter(file -> file.toString().matches(".*[.](java|sh)")
                            || !file.getFileName().toString().contains("."))
                    .map(Pages::text)
                    // A long string is written in pieces.
                    .map(text -> text.replaceAll("\"\\s*\\+\\s*\"", ""))
                    .collect(Collectors.joining("\n"));
        }
    }

    static List<String> symptoms() {
        return Pages.codeInHeadings(PAGE, 3);
    }

    @ParameterizedTest
    @MethodSource("symptoms")
    void symptomExistsInTheCode(String symptom) {
        assertThat(sources.contains(symptom))
                .as("the sources have '%s'", symptom)
                .isTrue();
    }

    @Test
    void pageHasSymptoms() {
        assertThat(symptoms()).hasSizeGreaterThan(20);
    }
}
