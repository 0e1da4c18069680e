// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A missing GPU is reported before the adapter is opened and the peer contacted, so these tests need neither. */
@Timeout(600)
@ExtendWith(StandInDriver.class)
class GpuRefusalTest {
    private static final String NOWHERE = " no-such-host.invalid";

    @Test
    void gpuThatIsNotThereIsAnsweredWithThoseThatAre() {
        StandInDriver.devices(2);
        CommandRun run = Program.run("ib_write_bw --use_cuda=2" + NOWHERE);
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains("--use_cuda: 2 is not allowed; there is CUDA device 0, ", "; CUDA device 1, ");
    }

    @Test
    void soIsAnAddressWithoutOne() {
        CommandRun run = Program.run("ib_send_lat --use_cuda_bus_id=ffff:ff:1f.7" + NOWHERE);
        assertThat(run.status()).as(run.toString()).isEqualTo(2);
        assertThat(run.err()).contains("--use_cuda_bus_id: 'ffff:ff:1f.7' is not allowed; there is CUDA device 0, ");
    }

    @Test
    void driverWithoutGpuIsReported() {
        StandInDriver.devices(0);
        CommandRun run = Program.run("ib_read_bw --use_cuda=0" + NOWHERE);
        assertThat(run.status()).as(run.toString()).isEqualTo(1);
        assertThat(run.err()).contains("--use_cuda: CUDA cannot be used: ");
    }

    @Test
    void missingDriverIsReportedWithItsReason() throws Exception {
        List<String> without =
                List.of("env", "JAVA_TOOL_OPTIONS=-D" + StandInDriver.PROPERTY + "=/no/such/libcuda.so.1");
        try (PeerProcess tool = PeerProcess.ofJava(without, "ib_write_lat --use_cuda=0" + NOWHERE)) {
            assertThat(tool.await(Duration.ofSeconds(50))).as(tool.output()).isEqualTo(1);
            assertThat(tool.output())
                    .contains(
                            "ib_write_lat: --use_cuda: CUDA cannot be used: ",
                            "/no/such/libcuda.so.1",
                            ". Install NVIDIA's driver");
        }
    }
}
