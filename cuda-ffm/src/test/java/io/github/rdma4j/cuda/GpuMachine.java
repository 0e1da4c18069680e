// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/** Prints driver and devices, or why there are none: step 2 of scripts/evidence gpu begins with it. */
final class GpuMachine {
    private GpuMachine() {}

    public static void main(String[] arguments) {
        try {
            System.out.println("driver: CUDA " + Cuda.driverVersion());
            for (CudaDevice device : Cuda.devices()) {
                System.out.printf(
                        "%s: compute capability %d, %d MiB, dma-buf %s, GPUDirect RDMA %s, writes ordered to %d, flush"
                                + " %d%n",
                        device,
                        device.computeCapability(),
                        device.totalMemory() >> 20,
                        device.has(DeviceAttribute.DMA_BUF_SUPPORTED) ? "yes" : "no",
                        device.has(DeviceAttribute.GPU_DIRECT_RDMA_SUPPORTED) ? "yes" : "no",
                        device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_WRITES_ORDERING),
                        device.attribute(DeviceAttribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS));
            }
        } catch (CudaUnavailableException e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
    }
}
