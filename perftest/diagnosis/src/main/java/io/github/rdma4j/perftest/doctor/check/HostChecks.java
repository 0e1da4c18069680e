// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Checks namespaces, containers and how memory is mapped. */
final class HostChecks {
    private static final String NAMESPACES = "sys/module/ib_core/parameters/netns_mode";
    private static final List<String> CONTAINERS =
            List.of(".dockerenv", "run/.containerenv", "run/systemd/container", "var/run/secrets/kubernetes.io");
    private static final String MEMORY = "proc/meminfo";
    private static final String GROUPS = "sys/kernel/iommu_groups";

    private final Machine machine;
    private final MachineFiles files;
    private final Optional<String> container;

    HostChecks(Machine machine) {
        this.machine = machine;
        this.files = machine.files();
        this.container = CONTAINERS.stream().filter(files::exists).findFirst();
    }

    List<Finding> findings() {
        return List.of(namespaces(), container(), hugePages(), iommu());
    }

    private Finding namespaces() {
        Optional<String> mode = files.text(NAMESPACES);
        if (mode.isEmpty()) {
            return new Finding(
                    Check.NAMESPACES,
                    "",
                    "/" + NAMESPACES,
                    UNKNOWN,
                    machine.devices().isEmpty()
                            ? "ib_core is not loaded"
                            : "the kernel does not report it (Linux before 5.2)",
                    "it is unknown whether network namespaces share RDMA devices or each has its own",
                    machine.devices().isEmpty() ? "" : "run rdma system to see the mode");
        }
        if (mode.get().equals("Y")) {
            return Finding.ok(
                    Check.NAMESPACES, "", "/" + NAMESPACES, "shared: every network namespace sees all RDMA devices");
        }
        return new Finding(
                Check.NAMESPACES,
                "",
                "/" + NAMESPACES,
                NOTE,
                "exclusive: each network namespace sees only its own RDMA devices",
                "a container sees only the devices that were moved into its network namespace",
                "move a device into the container's namespace with rdma dev set (option netns), or, while no other"
                        + " network namespace exists, share all devices with rdma system set netns shared");
    }

    private Finding container() {
        return container
                .map(file -> new Finding(
                        Check.CONTAINER,
                        "",
                        "/" + file,
                        NOTE,
                        "this process runs in a container: there is /" + file,
                        "a container needs the device files, a high limit on locked memory, and a network with RoCE"
                                + " addresses",
                        "start the container with --device=/dev/infiniband --ulimit memlock=-1 --network host"))
                .orElseGet(() -> Finding.ok(
                        Check.CONTAINER, "", "/" + CONTAINERS.getFirst(), "no container engine has left a file here"));
    }

    private Finding hugePages() {
        Optional<Long> total = pages("HugePages_Total:");
        if (total.isEmpty()) {
            return new Finding(
                    Check.HUGE_PAGES, "", "/" + MEMORY, UNKNOWN, "/" + MEMORY + " does not list huge pages", "", "");
        }
        if (total.get() == 0) {
            return new Finding(
                    Check.HUGE_PAGES,
                    "",
                    "/" + MEMORY,
                    NOTE,
                    "no huge pages are reserved; transparent huge pages: "
                            + files.text("sys/kernel/mm/transparent_hugepage/enabled")
                                    .map(text -> text.replaceFirst(".*\\[(\\w+)].*", "$1"))
                                    .orElse("not in this kernel"),
                    "large regions take longer to register and use more of the adapter's translation entries; a"
                            + " pool with HugePages.EXPLICIT cannot be created",
                    "reserve some: sysctl vm.nr_hugepages=512");
        }
        return Finding.ok(
                Check.HUGE_PAGES,
                "",
                "/" + MEMORY,
                total.get() + " of "
                        + files.labelled(MEMORY, "Hugepagesize:").orElse("unknown size") + ", "
                        + pages("HugePages_Free:").orElse(0L) + " free");
    }

    private Optional<Long> pages(String label) {
        return files.labelled(MEMORY, label)
                .filter(text -> text.matches("\\d{1,15}"))
                .map(Long::parseLong);
    }

    private Finding iommu() {
        List<PciFunction> gpus = machine.topology().gpus();
        List<PciFunction> functions = Stream.concat(
                        machine.devices().stream().flatMap(device -> device.function().stream()), gpus.stream())
                .toList();
        if (functions.isEmpty()) {
            return Finding.ok(
                    Check.IOMMU, "", "/" + GROUPS, "there is no hardware device that an IOMMU could slow down");
        }
        if (files.names(GROUPS).isEmpty()) {
            return Finding.ok(
                    Check.IOMMU,
                    "",
                    "/" + GROUPS,
                    isVirtual()
                            ? "no IOMMU is in use in this virtual machine; its host may use one"
                            : "no IOMMU is in use");
        }
        TreeSet<String> types = new TreeSet<>();
        for (PciFunction function : functions) {
            Optional<String> group = files.target("sys/bus/pci/devices/" + function.address() + "/iommu_group");
            if (group.isEmpty()) {
                continue;
            }
            Optional<String> type = files.text(GROUPS + "/" + group.get() + "/type");
            if (type.isEmpty()) {
                return new Finding(
                        Check.IOMMU,
                        "",
                        "/" + GROUPS,
                        UNKNOWN,
                        "the type of IOMMU group " + group.get() + " cannot be read",
                        "an IOMMU that translates addresses makes registration slower",
                        "");
            }
            types.add(type.get());
        }
        String owners = gpus.isEmpty() ? "the adapters" : "adapters and GPUs";
        String seen = types.isEmpty()
                ? owners + " are in no IOMMU group"
                : "IOMMU groups of " + owners + ": " + String.join(", ", types);
        types.remove("identity");
        return types.isEmpty()
                ? Finding.ok(Check.IOMMU, "", "/" + GROUPS, seen)
                : new Finding(
                        Check.IOMMU,
                        "",
                        "/" + GROUPS,
                        WARNING,
                        seen,
                        "the IOMMU translates the addresses that adapters use: registration takes longer, and"
                                + " bandwidth can fall"
                                + (gpus.isEmpty()
                                        ? ""
                                        : "; transfers between GPU and adapter may go through the processor, or"
                                                + " fail with nvidia_peermem"),
                        "add iommu=pt (arm64: iommu.passthrough=1) to the kernel's command line and reboot");
    }

    /** Only x86 CPUs report that they are in a virtual machine. */
    private boolean isVirtual() {
        return files.labelled("proc/cpuinfo", "flags")
                .filter(flags -> List.of(flags.split("\\s+")).contains("hypervisor"))
                .isPresent();
    }
}
