// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the queries to the CUDA driver, with the stand-in driver. */
@ExtendWith(StandInDriver.class)
class CudaGpusTest {
    @Test
    void allIsAskedAndNoContextMade() {
        StandInDriver.set("pci.0", "0001:17:03.0");
        GpuInventory inventory = CudaGpus.read();
        assertThat(inventory.problem()).isEmpty();
        assertThat(inventory.cudaVersion()).isEqualTo(13000);
        assertThat(inventory.gpus()).singleElement().satisfies(gpu -> {
            assertThat(gpu.address()).isEqualTo(PciAddress.parse("0001:17:03.0"));
            assertThat(gpu.ordinal()).isZero();
            assertThat(gpu.computeCapability()).isEqualTo(90);
            assertThat(gpu.memory()).isEqualTo(4L << 30);
            assertThat(gpu.rdma()).isEqualTo(Support.YES);
            assertThat(gpu.name()).isNotBlank();
        });
        assertThat(StandInDriver.open()).isEmpty();
    }

    @Test
    void refusedAttributeCountsAsNo() {
        StandInDriver.dmaBuf(StandInDriver.DmaBufWay.REFUSED);
        assertThat(CudaGpus.read().gpus().getFirst().dmaBuf()).isEqualTo(Support.NO);
    }

    @Test
    void gpuThatUsesTheHostsPageTablesIsCoherent() {
        assertThat(CudaGpus.read().gpus().getFirst().coherent()).isFalse();
        StandInDriver.attribute(CudaHeaders.CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES(), 1);
        assertThat(CudaGpus.read().gpus().getFirst().coherent()).isTrue();
    }

    @Test
    void howAdaptersWritesAreOrderedIsAsked() {
        StandInDriver.attribute(CudaHeaders.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS(), 3);
        StandInDriver.attribute(CudaHeaders.CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING(), 100);
        GpuFacts gpu = CudaGpus.read().gpus().getFirst();
        assertThat(gpu.flushOptions()).isEqualTo(3);
        assertThat(gpu.writesOrdering()).isEqualTo(100);
    }

    @Test
    void noDeviceIsAProblemWithARemedy() {
        StandInDriver.devices(0);
        GpuInventory inventory = CudaGpus.read();
        assertThat(inventory.gpus()).isEmpty();
        assertThat(inventory.problem()).hasValueSatisfying(problem -> {
            assertThat(problem.reason()).startsWith("CUDA cannot be used: ").doesNotContain(". ");
            assertThat(problem.remedy()).isNotEmpty();
        });
    }
}
