// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadmeExampleTest {
    private static final String NAME = "FirstEndpoint";

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/endpoints.md"})
    void thePageShowsTheProgramThatTheTestsRun(String page) throws Exception {
        assertThat(Files.readString(Project.folder().resolve(page)))
                .contains("```java\n" + Files.readString(ExamplePrograms.source(NAME)) + "```\n");
    }

    @Test
    void theProgramIsShort() throws Exception {
        assertThat(Files.readAllLines(ExamplePrograms.source(NAME))).hasSizeLessThan(30);
    }
}
