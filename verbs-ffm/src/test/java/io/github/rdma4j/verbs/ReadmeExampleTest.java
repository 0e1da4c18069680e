// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's program is the one that is tested, and it compiles. */
class ReadmeExampleTest {

    @Test
    void theReadmeShowsTheProgram() throws Exception {
        assertThat(Files.readString(ReadmeExample.README))
                .contains("```java\n" + Files.readString(ReadmeExample.SOURCE) + "```\n");
    }

    @Test
    void theProgramCompiles(@TempDir Path classes) throws Exception {
        assertThat(ReadmeExample.compileInto(classes)).isTrue();
    }
}
