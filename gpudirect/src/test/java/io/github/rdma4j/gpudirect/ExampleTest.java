// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExampleTest {
    @Test
    void theExampleCompilesWithoutAWarning(@TempDir Path classes) throws Exception {
        assertThat(ExampleProgram.compile(classes)).isEmpty();
    }
}
