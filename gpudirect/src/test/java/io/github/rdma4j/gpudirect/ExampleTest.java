// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ExamplePrograms;
import org.junit.jupiter.api.Test;

class ExampleTest {
    @Test
    void exampleCompilesWithoutAWarning() throws Exception {
        assertThat(ExamplePrograms.compile("GpuTransfer")).isEmpty();
    }
}
