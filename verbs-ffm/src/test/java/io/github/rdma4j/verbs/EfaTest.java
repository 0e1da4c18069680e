// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.endpoint.EndpointPeersOnLibefa;
import io.github.rdma4j.verbs.endpoint.EndpointsOnLibefa;
import io.github.rdma4j.verbs.endpoint.GroupsOnLibefa;
import io.github.rdma4j.verbs.faults.FaultInjectionOnLibefa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/**
 * libefa itself on a kernel that seems to have its adapter: {@code src/test/c/efa-kernel}. The classes named
 * {@code …OnLibefa} contain the tests.
 */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was written for x86-64")
class EfaTest {
    @TempDir
    private static Path folder;

    private static StandInKernel kernel;

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        kernel = new StandInKernel("efa", folder);
        kernel.build();
    }

    /** libefa prints each refusal to stderr, or to the file that the variable names. */
    private static void play(List<Class<?>> types, String... settings) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("VERBS_LOG_FILE=/dev/null");
        kernel.play(types, all.toArray(String[]::new));
    }

    @Test
    void queuePairsOfOneProcessReachEachOther() throws IOException, InterruptedException {
        play(List.of(SrdOnLibefa.class, EndpointsOnLibefa.class, GroupsOnLibefa.class));
    }

    @Test
    void processesReachEachOther() throws IOException, InterruptedException {
        Path fabric = Files.createTempDirectory(folder, "fabric");
        play(
                List.of(SrdPeersOnLibefa.class, EndpointPeersOnLibefa.class),
                "RDMA4J_EFA_FABRIC=" + fabric,
                "-D%s=%s".formatted(EndpointPeersOnLibefa.RUN, kernel.run()));
    }

    @Test
    void failedCallsAreReported() throws IOException, InterruptedException {
        play(List.of(FaultInjectionOnLibefa.class), "-Drdma4j.test.address=127.0.0.1");
    }

    @Test
    void adapterWithoutReadsAndWritesSendsOnly() throws IOException, InterruptedException {
        play(List.of(SendsOnlyOnLibefa.class), "RDMA4J_EFA_CAPABILITIES=0");
    }

    @Test
    void postingAllocatesNothing() throws IOException, InterruptedException {
        play(List.of(SrdAllocationOnLibefa.class));
    }
}
