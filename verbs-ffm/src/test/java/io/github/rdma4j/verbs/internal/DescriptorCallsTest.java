// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DescriptorCallsTest {
    @TempDir
    Path folder;

    /** As a listing gives it: no characters stand for its name. The folder must have no other file afterwards. */
    @Test
    void fileIsFoundByTheBytesOfItsName() throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", ": >\"$(printf 'name-\\344 +%%41')\"")
                .directory(folder.toFile())
                .start();
        assertThat(shell.waitFor()).isZero();
        List<Path> listed = list();
        int descriptor = DescriptorCalls.open(listed.getFirst(), true);
        DescriptorCalls.close(descriptor);
        assertThat(listed.getFirst().toString()).contains("\ufffd");
        assertThat(list()).isEqualTo(listed).hasSize(1);
    }

    private List<Path> list() throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
