// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.GpuInventory;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The GPUs that a process sees, with their numbers: from CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, and in the order
 * of nvidia-smi, which is the order of PCI addresses.
 */
final class VisibleDevices {
    private static final String VISIBLE = "CUDA_VISIBLE_DEVICES";
    private static final String ORDER = "CUDA_DEVICE_ORDER";
    private static final String BY_ADDRESS = "PCI_BUS_ID";
    private static final String OF_INSTANCE = "MIG-";
    private static final String OF_GPU = "GPU-";

    private final MachineFiles files;
    private final GpuInventory gpus;
    private final List<PciAddress> byAddress;
    private final List<KernelGpu> kernel;
    private final boolean alike;

    VisibleDevices(MachineFiles files, Topology topology, GpuInventory gpus) {
        this.files = files;
        this.gpus = gpus;
        this.kernel = KernelGpu.all(files);
        this.byAddress = topology.gpus().isEmpty()
                ? kernel.stream().map(KernelGpu::address).toList()
                : topology.gpus().stream().map(gpu -> gpu.address()).toList();
        this.alike =
                topology.gpus().stream().map(gpu -> gpu.device()).distinct().count() <= 1;
    }

    /** An entry of the variable, in words; whether it names a GPU, and whether it names an instance. */
    private record Entry(String words, boolean valid, boolean instance) {}

    Finding finding() {
        if (files.text(MachineFiles.ENVIRONMENT).isEmpty()) {
            return new Finding(
                    Check.CUDA_VISIBLE,
                    "",
                    "/" + MachineFiles.ENVIRONMENT,
                    UNKNOWN,
                    "/proc/self/environ cannot be read",
                    "it is unknown which GPUs this process sees, and by which numbers",
                    "check CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER in the environment");
        }
        Optional<String> visible = files.variable(VISIBLE);
        boolean ordered = files.variable(ORDER).filter(BY_ADDRESS::equals).isPresent();
        return visible.map(value -> chosen(value, ordered)).orElseGet(() -> all(ordered));
    }

    private Finding all(boolean ordered) {
        List<Integer> found = numbersOfNvidiaSmi();
        // A GPU that is not on the bus, as on WSL2, has no number to compare with.
        List<Integer> numbers = found.contains(-1) ? List.of() : found;
        boolean same = IntStream.range(0, numbers.size()).allMatch(i -> numbers.get(i) == i);
        if (same && (ordered || alike || !numbers.isEmpty())) {
            return Finding.ok(
                    Check.CUDA_VISIBLE,
                    "",
                    "/" + MachineFiles.ENVIRONMENT,
                    "CUDA_VISIBLE_DEVICES is not set"
                            + (numbers.isEmpty() ? "" : "; CUDA numbers the GPUs as nvidia-smi does"));
        }
        return new Finding(
                Check.CUDA_VISIBLE,
                "",
                "/" + MachineFiles.ENVIRONMENT,
                NOTE,
                numbers.isEmpty()
                        ? "CUDA_VISIBLE_DEVICES is not set, and the GPUs are of different models"
                        : "CUDA and nvidia-smi number the GPUs differently: " + words(numbers),
                "without CUDA_DEVICE_ORDER=PCI_BUS_ID, CUDA gives the number 0 to the fastest GPU; this page uses"
                        + " CUDA's numbers",
                "set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by UUID (nvidia-smi -L)");
    }

    private Finding chosen(String value, boolean ordered) {
        List<String> entries =
                Arrays.stream(value.split(",", -1)).map(String::strip).toList();
        if (value.isBlank()) {
            return warning(value, "it names no GPU", "this process sees no GPU");
        }
        List<Entry> named = new ArrayList<>();
        for (String entry : entries) {
            Entry found = entry(entry, ordered);
            if (!found.valid()) {
                return warning(
                        value,
                        "'" + entry + "' names no GPU of this machine",
                        "CUDA ignores this entry and all entries after it");
            }
            named.add(found);
        }
        if (named.size() > 1 && named.stream().anyMatch(Entry::instance)) {
            return warning(
                    value,
                    "it names several devices, and one of them is an instance (MIG)",
                    "CUDA shows a process only one instance, and no other GPU with it");
        }
        String seen = IntStream.range(0, named.size())
                .mapToObj(i -> "CUDA's " + i + " is " + named.get(i).words())
                .collect(Collectors.joining(", "));
        List<Integer> numbers = numbersOfNvidiaSmi();
        return new Finding(
                Check.CUDA_VISIBLE,
                "",
                "/" + MachineFiles.ENVIRONMENT,
                NOTE,
                "CUDA_VISIBLE_DEVICES=" + value + ": " + (numbers.isEmpty() ? seen : words(numbers)),
                "this page uses CUDA's numbers in this process, and shows the adapters nearest to the named GPUs",
                "");
    }

    private Finding warning(String value, String what, String meaning) {
        return new Finding(
                Check.CUDA_VISIBLE,
                "",
                "/" + MachineFiles.ENVIRONMENT,
                WARNING,
                "CUDA_VISIBLE_DEVICES=" + value + ": " + what,
                meaning,
                "name GPUs by UUID (nvidia-smi -L), or unset the variable");
    }

    private Entry entry(String text, boolean ordered) {
        if (text.matches("\\d{1,4}")) {
            int number = Integer.parseInt(text);
            if (number >= byAddress.size()) {
                return new Entry("", byAddress.isEmpty(), false);
            }
            return new Entry(
                    ordered || alike
                            ? byAddress.get(number) + smi(number)
                            : "number " + number + " in CUDA's own order, fastest first",
                    true,
                    false);
        }
        if (text.startsWith(OF_INSTANCE + OF_GPU)) {
            String gpu = text.substring(OF_INSTANCE.length()).replaceFirst("/.*", "");
            return byUuid(gpu)
                    .map(found -> new Entry("an instance of " + found.address(), true, true))
                    .orElse(new Entry("", kernel.isEmpty(), true));
        }
        if (text.startsWith(OF_INSTANCE)) {
            // The kernel's files do not contain the UUIDs of instances.
            boolean divided = kernel.stream().anyMatch(gpu -> gpu.instances() > 0);
            return new Entry("the instance " + text, kernel.isEmpty() || divided, true);
        }
        if (text.startsWith(OF_GPU)) {
            return byUuid(text)
                    .map(found -> new Entry(found.address() + smi(byAddress.indexOf(found.address())), true, false))
                    .orElse(new Entry(text, kernel.isEmpty(), false));
        }
        return new Entry("", false, false);
    }

    /** The beginning of a UUID is enough if it is unique. */
    private Optional<KernelGpu> byUuid(String text) {
        List<KernelGpu> found =
                kernel.stream().filter(gpu -> gpu.uuid().startsWith(text)).toList();
        return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
    }

    private static String smi(int number) {
        return number < 0 ? "" : " (nvidia-smi's " + number + ")";
    }

    /**
     * Returns nvidia-smi's number of each GPU that CUDA shows, in CUDA's order; -1 for a GPU that is not on the bus.
     */
    private List<Integer> numbersOfNvidiaSmi() {
        return gpus.gpus().stream().map(gpu -> byAddress.indexOf(gpu.address())).toList();
    }

    private String words(List<Integer> numbers) {
        return IntStream.range(0, numbers.size())
                .mapToObj(i -> "CUDA's " + gpus.gpus().get(i).ordinal() + " is "
                        + gpus.gpus().get(i).address() + smi(numbers.get(i)))
                .collect(Collectors.joining(", "));
    }
}
