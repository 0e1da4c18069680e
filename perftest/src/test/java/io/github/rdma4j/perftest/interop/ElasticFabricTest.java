// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/** The tools over SRD, with C's: two ports of a simulated Elastic Fabric Adapter. */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was written for x86-64")
class ElasticFabricTest {
    @TempDir
    private Path folder;

    @Test
    void toolsMeetThoseOfC() throws IOException, InterruptedException {
        new StandInAdapter("efa", folder).play(EncountersOnEfa.class);
    }
}
