// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.ChildJvm;
import io.github.rdma4j.verbs.StandInKernel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;

/** Two doctors on libefa and its stand-in ({@code verbs-ffm/src/test/c/efa-kernel}). */
@EnabledOnOs(architectures = "amd64", disabledReason = "the stand-in was written for x86-64")
class EfaDoctorTest {
    @TempDir
    private static Path folder;

    private static StandInKernel kernel;

    @BeforeAll
    static void build() throws IOException, InterruptedException {
        kernel = new StandInKernel("efa", folder);
        kernel.build();
    }

    private static List<String> doctor(String... settings) throws IOException, InterruptedException {
        return ChildJvm.run(kernel.run(List.of(settings), ChildJvm.command(DoctorOnLibefa.class.getName(), List.of())));
    }

    @Test
    void healthyPairPasses() throws IOException, InterruptedException {
        assertThat(doctor())
                .endsWith("OK")
                .anyMatch(line -> line.startsWith("OK srd connected by an address handle at each end"))
                .anyMatch(line -> line.startsWith("OK rdma-read data arrived from 127.0.0.1"))
                .anyMatch(line -> line.startsWith("OK rdma-write data arrived in both directions")
                        || line.startsWith("NOTE rdma-write not tested: one of the two devices has no RDMA writes"));
    }

    @Test
    void adapterWithoutReadsAndWritesIsNoTrouble() throws IOException, InterruptedException {
        assertThat(doctor("RDMA4J_EFA_CAPABILITIES=0"))
                .endsWith("OK")
                .anyMatch(line -> line.startsWith("NOTE rdma-read not tested"))
                .anyMatch(line -> line.startsWith("NOTE rdma-write not tested"));
    }

    @Test
    void securityGroupIsNamed() throws IOException, InterruptedException {
        assertThat(doctor("RDMA4J_EFA_STATUS=15", "VERBS_LOG_FILE=/dev/null"))
                .endsWith("BROKEN")
                .anyMatch(line -> line.startsWith("FAIL srd here -> 127.0.0.1: ")
                        && line.contains("LOCAL_ERROR_UNREACH_REMOTE")
                        && line.contains("have both security groups admit all traffic"));
    }
}
