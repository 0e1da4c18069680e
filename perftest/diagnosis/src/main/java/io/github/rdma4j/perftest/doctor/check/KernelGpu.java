// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A GPU in NVIDIA's files below /proc/driver/nvidia: always the whole GPU, even if a process may only use a part.
 *
 * @param address its PCI function
 * @param model its name; for a virtual GPU (vGPU) the name of its type
 * @param uuid as nvidia-smi writes it, such as {@code GPU-8932f937-d72c-4106-c12f-20bd9faed9f6}; empty if unknown
 * @param instances the number of instances (MIG) it is divided into; 0 for none
 */
record KernelGpu(PciAddress address, String model, String uuid, int instances) {
    private static final String GPUS = "proc/driver/nvidia/gpus";
    private static final String CAPABILITIES = "proc/driver/nvidia/capabilities/gpu";

    /** Returns all GPUs by address, as nvidia-smi numbers them; empty without the files. */
    static List<KernelGpu> all(MachineFiles files) {
        List<KernelGpu> found = new ArrayList<>();
        for (String name : files.names(GPUS)) {
            String information = GPUS + "/" + name + "/information";
            address(name)
                    .ifPresent(address -> found.add(new KernelGpu(
                            address,
                            files.labelled(information, "Model:").orElse(""),
                            files.labelled(information, "GPU UUID:").orElse(""),
                            instances(files, files.labelled(information, "Device Minor:")))));
        }
        found.sort(Comparator.comparing(KernelGpu::address));
        return found;
    }

    private static Optional<PciAddress> address(String name) {
        try {
            return Optional.of(PciAddress.parse(name));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static int instances(MachineFiles files, Optional<String> minor) {
        return minor.filter(text -> text.matches("\\d{1,4}"))
                .map(text -> (int) files.names(CAPABILITIES + text + "/mig").stream()
                        .filter(name -> name.matches("gi\\d{1,4}"))
                        .count())
                .orElse(0);
    }
}
