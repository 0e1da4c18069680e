// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;

import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Detects machines on which GPUDirect differs from a server: WSL2, Jetson and similar boards, virtual GPUs. */
final class PlatformCheck {
    /** Types of vGPU, such as {@code GRID A100-10C}, {@code NVIDIA H100-1-10C}; no card's name ends like this. */
    private static final Pattern VIRTUAL_GPU = Pattern.compile(".*-(?:\\d{1,2}-)?\\d{1,3}[ABCQ](?:ME)?");

    private PlatformCheck() {}

    static Finding of(MachineFiles files, GpuInventory gpus) {
        Optional<String> windows = files.text("proc/sys/kernel/osrelease")
                .filter(release -> release.toLowerCase(Locale.ROOT).contains("microsoft"));
        if (windows.isPresent() || files.exists("dev/dxg")) {
            return note(
                    "WSL2" + windows.map(release -> " (Linux " + release + ")").orElse(""),
                    "GPUs come from Windows and are not PCI functions: there are no dma-bufs, no nvidia_peermem and"
                            + " no adapters of the host. All transfers are staged, over SoftRoCE or TCP, and pinned"
                            + " memory is scarce",
                    "for GPUDirect, boot Linux, or use a virtual machine with GPU and adapter passed through");
        }
        Optional<String> board = files.text("proc/device-tree/compatible")
                .filter(text -> text.contains("nvidia,tegra"))
                .map(_ -> files.text("proc/device-tree/model")
                        .map(model -> model.replace("\0", ""))
                        .orElse("Tegra"))
                .or(() -> files.text("sys/class/dmi/id/product_name").filter(name -> name.matches(".*DGX[ _]Spark.*")));
        if (board.isPresent()) {
            return note(
                    board.get() + ", whose GPU is integrated",
                    "GPU and processor share one memory. Adapters can access memory that was allocated for the"
                            + " host, but not memory that was allocated for the device: no dma-bufs, no"
                            + " nvidia_peermem",
                    "allocate with CudaContext.allocateHost and register that memory with the protection domain:"
                            + " kernels see it without a copy");
        }
        List<String> virtual = Stream.concat(
                        KernelGpu.all(files).stream().map(KernelGpu::model),
                        gpus.gpus().stream().map(GpuFacts::name))
                .filter(name -> VIRTUAL_GPU.matcher(name).matches())
                .distinct()
                .toList();
        if (!virtual.isEmpty()) {
            return note(
                    "virtual GPU (vGPU): " + String.join(", ", virtual),
                    "NVIDIA supports GPUDirect RDMA only for some vGPU types and guests, with an adapter passed"
                            + " through to the same guest; distances and ACS are as the hypervisor shows them",
                    "see gpu-rdma and gpu-dma-buf below for what the guest's driver offers, and NVIDIA's list of"
                            + " vGPU types for what is supported");
        }
        return Finding.ok(
                Check.PLATFORM, "", "/proc/sys/kernel/osrelease", "neither WSL2 nor Jetson nor a virtual GPU");
    }

    private static Finding note(String seen, String meaning, String remedy) {
        return new Finding(Check.PLATFORM, "", "/proc/sys/kernel/osrelease", NOTE, seen, meaning, remedy);
    }
}
