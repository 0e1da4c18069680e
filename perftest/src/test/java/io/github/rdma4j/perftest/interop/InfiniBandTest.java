// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs our tools and the C tools on InfiniBand, between two ports of a stand-in for an mlx5 adapter, each with a LID.
 */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was tried on x86-64 alone")
class InfiniBandTest {
    @TempDir
    private Path folder;

    @Test
    void toolsMeetThoseOfC() throws IOException, InterruptedException {
        new StandInAdapter("mlx5", folder).play(EncountersOnInfiniBand.class);
    }
}
