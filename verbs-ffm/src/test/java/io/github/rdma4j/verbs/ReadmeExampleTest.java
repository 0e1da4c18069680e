// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class ReadmeExampleTest {
    @Test
    void theReadmeShowsTheProgramThatTheTestsRun() throws Exception {
        assertThat(Files.readString(ExamplePrograms.project().resolve("README.md")))
                .contains("```java\n" + Files.readString(ExamplePrograms.source("WriteToPeer")) + "```\n");
    }
}
