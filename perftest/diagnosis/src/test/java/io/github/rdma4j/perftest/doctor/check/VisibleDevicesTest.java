// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.Check.CUDA_VISIBLE;
import static io.github.rdma4j.perftest.doctor.check.Check.GPU_MIG;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and instances (MIG), on the tree of a machine with eight GPUs: which GPU a
 * number names, and which adapter is the right one then.
 */
class VisibleDevicesTest {
    private static final String ENVIRONMENT = "proc/self/environ: HOME=/root\0";
    private static final String FIRST = "0000:18:00.0";
    private static final String THIRD = "0000:4b:00.0";
    /** The driver's numbering. The MIG instances belong to the third GPU. */
    private static final String KERNEL = """
        proc/driver/nvidia/gpus/0000:18:00.0/information: Model: \t NVIDIA H100 80GB HBM3\\nGPU UUID: \t GPU-8932f937-d72c-4106-c12f-20bd9faed9f6\\nDevice Minor: \t 3
        proc/driver/nvidia/gpus/0000:3a:00.0/information: Model: \t NVIDIA H100 80GB HBM3\\nGPU UUID: \t GPU-8933aaaa-d72c-4106-c12f-20bd9faed9f6\\nDevice Minor: \t 1
        proc/driver/nvidia/gpus/0000:4b:00.0/information: Model: \t NVIDIA H100 80GB HBM3\\nGPU UUID: \t GPU-1111aaaa-d72c-4106-c12f-20bd9faed9f6\\nDevice Minor: \t 2
        proc/driver/nvidia/capabilities/gpu2/mig/gi1/access: x
        proc/driver/nvidia/capabilities/gpu2/mig/gi2/access: x
        proc/driver/nvidia/capabilities/gpu2/mig/gi2/ci0/access: x
        """;

    @TempDir
    private Path root;

    private int machines;

    private Scenario machine(String variables) {
        return Scenario.of("hgx-h100", root.resolve("machine" + machines++))
                .with(ENVIRONMENT + variables)
                .with(KERNEL);
    }

    /** CUDA shows these. */
    private Scenario machine(String variables, String... addresses) {
        List<GpuFacts> gpus = new ArrayList<>();
        for (String address : addresses) {
            gpus.add(Scenario.gpu(gpus.size(), PciAddress.parse(address)));
        }
        return machine(variables).gpus(gpus);
    }

    private static Finding find(Scenario machine) {
        return Scenario.finding(CUDA_VISIBLE).apply(machine.diagnosis());
    }

    @Test
    void orderOtherThanNvidiaSmisIsReported() {
        assertThat(find(machine("A=1")).state()).isEqualTo(OK);
        Finding finding = find(machine("A=1", THIRD, FIRST));
        assertThat(finding.state()).isEqualTo(NOTE);
        assertThat(finding.seen())
                .contains("number the GPUs differently")
                .contains("CUDA's 0 is 0000:4b:00.0 (nvidia-smi's 2), CUDA's 1 is 0000:18:00.0 (nvidia-smi's 0)");
        assertThat(finding.remedy()).contains("CUDA_DEVICE_ORDER=PCI_BUS_ID");
    }

    /** Number 0 is another GPU, and its adapter is the one below its switch. */
    @Test
    void adapterIsTheOneNearTheGpuThatIsVisible() {
        Scenario machine = machine("CUDA_VISIBLE_DEVICES=2,0", THIRD, FIRST);
        assertThat(find(machine).seen())
                .isEqualTo("CUDA_VISIBLE_DEVICES=2,0: CUDA's 0 is 0000:4b:00.0 (nvidia-smi's 2), CUDA's 1 is"
                        + " 0000:18:00.0 (nvidia-smi's 0)");
        assertThat(machine.diagnosisOfAll().gpus().orElseThrow().verdicts(false).stream()
                        .map(pair -> Map.entry(pair.gpu(), pair.adapter())))
                .contains(Map.entry("GPU0", "mlx5_4"), Map.entry("GPU1", "mlx5_0"));
    }

    /** Without CUDA, by the variable alone. */
    @Test
    void entriesAreReadAsCudaReadsThem() {
        assertThat(seen("CUDA_VISIBLE_DEVICES=2")).contains("CUDA's 0 is 0000:4b:00.0 (nvidia-smi's 2)");
        assertThat(seen("CUDA_VISIBLE_DEVICES=GPU-8932")).contains("CUDA's 0 is 0000:18:00.0 (nvidia-smi's 0)");
        assertThat(seen("CUDA_DEVICE_ORDER=PCI_BUS_ID\0CUDA_VISIBLE_DEVICES=1, GPU-1111aaaa"))
                .contains("CUDA's 0 is 0000:3a:00.0 (nvidia-smi's 1), CUDA's 1 is 0000:4b:00.0 (nvidia-smi's 2)");
        assertThat(seen("CUDA_VISIBLE_DEVICES=MIG-GPU-1111aaaa-d72c-4106-c12f-20bd9faed9f6/2/0"))
                .contains("CUDA's 0 is an instance of 0000:4b:00.0");
        assertThat(seen("CUDA_VISIBLE_DEVICES=MIG-5a1b")).contains("CUDA's 0 is the instance MIG-5a1b");
        // Cut off where CUDA cuts.
        for (String wrong : List.of("0,9", "GPU-893", "GPU-ffff", "-1", "MIG-GPU-ffff/1/0", "all", "0,,1")) {
            Finding finding = find(machine("CUDA_VISIBLE_DEVICES=" + wrong).noCuda("no libcuda.so.1", ""));
            assertThat(finding.state()).as(wrong).isEqualTo(WARNING);
            assertThat(finding.seen()).contains("names no GPU of this machine");
        }
        assertThat(seen("CUDA_VISIBLE_DEVICES=")).contains("it names no GPU");
        assertThat(seen("CUDA_VISIBLE_DEVICES=MIG-5a1b,MIG-5a1c")).contains("one of them is an instance (MIG)");
    }

    private String seen(String variables) {
        return find(machine(variables).noCuda("no libcuda.so.1", "")).seen();
    }

    /** Of GPUs of several kinds CUDA's order is not known without it. */
    @Test
    void fastestIsFirstUnlessTheOrderIsSet() {
        String other = "sys/devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:39:00.0/0000:3a:00.0/device: 0x20b5";
        assertThat(find(machine("CUDA_VISIBLE_DEVICES=1").with(other).noCuda("no libcuda.so.1", ""))
                        .seen())
                .contains("number 1 in CUDA's own order, fastest first");
        assertThat(find(machine("CUDA_DEVICE_ORDER=PCI_BUS_ID\0CUDA_VISIBLE_DEVICES=1")
                                .with(other)
                                .noCuda("no libcuda.so.1", ""))
                        .seen())
                .contains("CUDA's 0 is 0000:3a:00.0");
    }

    @Test
    void instanceIsPairedAsItsGpu() {
        Scenario machine = machine("CUDA_VISIBLE_DEVICES=MIG-5a1b", THIRD)
                .gpu(Scenario.named("NVIDIA H100 80GB HBM3 MIG 3g.40gb"));
        Finding finding = Scenario.finding(GPU_MIG).apply(machine.diagnosis());
        assertThat(finding.state()).isEqualTo(NOTE);
        assertThat(finding.seen())
                .isEqualTo("instance 3g.40gb of the GPU at 0000:4b:00.0, one of 2, which is"
                        + " GPU-1111aaaa-d72c-4106-c12f-20bd9faed9f6");
        assertThat(finding.meaning()).contains("distance and path are the GPU's", "no CUDA IPC");
        assertThat(machine.diagnosisOfAll().gpus().orElseThrow().verdicts(false).stream()
                        .map(PairVerdict::adapter))
                .containsExactly("mlx5_4");
        // A GPU that is divided, of which CUDA cannot be asked.
        assertThat(Scenario.finding(GPU_MIG)
                        .apply(machine("A=1")
                                .noCuda("no libcuda.so.1", "")
                                .pair(2, "mlx5_4")
                                .diagnosis())
                        .seen())
                .startsWith("divided into instances: 2, which is GPU-1111aaaa");
    }
}
