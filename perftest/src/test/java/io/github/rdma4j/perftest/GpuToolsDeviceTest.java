// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each tool with the memory of the stand-in's GPU on both sides, on each path that SoftRoCE has, with all data
 * validated.
 */
@Tag("device")
@Timeout(600)
@ExtendWith(StandInDriver.class)
class GpuToolsDeviceTest {
    @TempDir
    Path root;

    @BeforeEach
    void peerMemory() throws Exception {
        GpuRun.withPeerMemoryModule(root);
    }

    @AfterEach
    void noPeerMemory() {
        GpuRun.withoutPeerMemoryModule();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ib_write_lat -s 2 -n 30",
                "ib_write_lat -s 3000 -n 20",
                "ib_write_bw -s 16 -n 300",
                "ib_write_bw -s 70000 -q 2 -n 30",
                "ib_write_bw -s 64 -b -l 4 -n 100",
                "ib_read_lat -s 64 -n 20",
                "ib_read_bw -s 1000 -q 2 -n 100",
                "ib_send_lat -s 100 -n 30",
                "ib_send_bw -s 64 -n 300 -r 20",
                "ib_send_bw -s 70000 -n 30 -q 2 -b",
                "ib_atomic_lat -n 20",
                "ib_atomic_bw -q 2 -n 50",
            })
    void arrivedDataIsCompleteOnEachPath(String tool) throws Exception {
        for (String path : new String[] {"staged", "peermem"}) {
            String options = "--data_validation --use_cuda=0 --gpu-path " + path;
            GpuRun run = GpuRun.of(tool, options, options + " --details").passed();
            assertThat(run.client().out()).contains("GPU             : CUDA device 0, ", " GPU path        : " + path);
            assertThat(run.server().out()).doesNotContain("GPU");
            assertThat(run.server().err()).contains("note: the path to the GPU's memory is " + path);
            assertThat(StandInDriver.open()).as("what is left open").isEmpty();
        }
    }
}
