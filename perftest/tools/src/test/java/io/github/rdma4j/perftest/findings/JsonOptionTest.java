// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonOptionTest {
    @Test
    void fileKeepsItsContentIfTheDocumentCannotBeCreated(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("mesh.json"), "{}");

        assertThatThrownBy(() -> JsonOption.write(file, out -> {
                    out.write('[');
                    throw new NoClassDefFoundError("the jar was replaced meanwhile");
                }))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(file).hasContent("{}");

        JsonOption.write(file, out -> out.write('7'));
        assertThat(file).hasContent("7");
    }
}
