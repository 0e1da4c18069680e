// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paths and memory that cannot be had, and GPUs that fail in the middle. */
@Tag("device")
@Timeout(600)
@ExtendWith(StandInDriver.class)
class GpuFailureDeviceTest {
    private static final String NOWHERE = " --use_cuda=0 no-such-host.invalid";

    private static final int OUT_OF_MEMORY = 2;
    private static final int NO_LONGER_THERE = 46;
    private static final int UNKNOWN = 999;

    @TempDir
    Path root;

    @AfterEach
    void noPeerMemory() {
        GpuRun.withoutPeerMemoryModule();
    }

    private static void assertFails(String command, String... words) {
        CommandRun run = Program.run(command);
        assertThat(run.status()).as(run.toString()).isEqualTo(1);
        assertThat(run.err()).contains(words).hasLineCount(run.err().contains("\n    ") ? 2 : 1);
        assertThat(run.out()).doesNotContain("local address");
        assertThat(StandInDriver.open()).isEmpty();
    }

    @Test
    void pathThatIsNotThereIsRefusedWithItsReason() {
        assertFails(
                "ib_write_bw --gpu-path peermem" + NOWHERE,
                "GPU memory: ",
                "cannot be registered, not by peer memory: no peer-memory module is loaded");
        assertFails(
                "ib_write_bw --use_cuda_dmabuf" + NOWHERE,
                "cannot be registered, not by dma-buf: ",
                "dma-buf",
                "staged");
        assertFails(
                "ib_write_bw --use_cuda_dmabuf --use_data_direct" + NOWHERE,
                "cannot be registered, not by Data Direct: ",
                "cannot register dma-bufs");
    }

    @Test
    void moduleThatDoesNotKnowTheMemoryIsNoPath() throws Exception {
        GpuRun.withPeerMemoryModule(root);
        StandInDriver.peerMemory(false);
        assertFails("ib_write_bw --gpu-path peermem" + NOWHERE, "ibv_reg_mr", "EFAULT");
        GpuRun run = GpuRun.of("ib_send_bw -n 20 -s 100", "", "--use_cuda=0 --details")
                .passed();
        assertThat(run.client().out())
                .contains(" GPU path        : staged: ", "   not dmabuf    : ", "   not peermem   : ", "EFAULT");
        assertThat(run.server().out()).doesNotContain("GPU");
    }

    @Test
    void memoryThatIsNotThereIsMissedBeforeThePeerIsContacted() {
        StandInDriver.memory(4 << 20);
        assertFails("ib_write_bw -s 4M" + NOWHERE, "GPU memory: ", "CUDA_ERROR_OUT_OF_MEMORY", "use smaller messages");
        StandInDriver.failAt("cuMemHostAlloc", 2, OUT_OF_MEMORY);
        assertFails("ib_send_bw -s 64K" + NOWHERE, "GPU memory, staged: ", "cannot be pinned", "use smaller messages");
    }

    /** The other side has no GPU, so it fails only because its peer is missing. */
    @ParameterizedTest
    @CsvSource({
        "ib_write_bw -s 5000, cuMemcpyDtoHAsync",
        "ib_read_bw -s 5000, cuMemcpyHtoDAsync",
        "ib_send_lat, cuEventQuery",
        "ib_write_lat, cuEventRecord"
    })
    void callThatFailsInTheMiddleEndsTheRun(String tool, String call) throws Exception {
        StandInDriver.failAt(call, 40, NO_LONGER_THERE);
        GpuRun run = GpuRun.of(tool + " -n 5000 --timeout 20 --run-timeout 20", "", "--use_cuda=0");
        assertThat(run.client().status()).as(run.toString()).isEqualTo(1);
        assertThat(run.client().err())
                .contains(": note: the path to the GPU's memory is staged", ": GPU memory: " + call)
                .hasLineCount(2);
        assertThat(run.server().status()).as(run.toString()).isEqualTo(1);
        assertThat(StandInDriver.open()).isEmpty();
    }

    @Test
    void driverThatDisappearsEndsTheRunToo() throws Exception {
        StandInDriver.failFrom("*", 400, UNKNOWN);
        GpuRun run = GpuRun.of("ib_write_bw -s 5000 -n 5000 --timeout 20 --run-timeout 20", "", "--use_cuda=0");
        assertThat(run.client().status()).as(run.toString()).isEqualTo(1);
        assertThat(run.client().err())
                .contains(": note: the path", "ib_write_bw: GPU memory: cu", "CUDA_ERROR_UNKNOWN")
                .hasLineCount(2);
        assertThat(run.server().status()).as(run.toString()).isEqualTo(1);
    }
}
