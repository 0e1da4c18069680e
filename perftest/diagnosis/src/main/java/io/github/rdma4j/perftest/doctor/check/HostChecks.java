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
                            : "the kernel does not report it (before 5.2)",
                    "network namespaces share RDMA devices, or each owns its own",
                    machine.devices().isEmpty() ? "" : "rdma system");
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
                "exclusive: each network namespace sees its own RDMA devices alone",
                "a container has those that were moved into its network namespace",
                "rdma dev set, option netns, moves one; rdma system set netns shared, while no namespace is in use");
    }

    private Finding container() {
        return container
                .map(file -> new Finding(
                        Check.CONTAINER,
                        "",
                        "/" + file,
                        NOTE,
                        "this is a container: there is /" + file,
                        "it needs the devices' files, the limit on locked memory and a network with RoCE addresses",
                        "start it with --device=/dev/infiniband --ulimit memlock=-1 --network host"))
                .orElseGet(() -> Finding.ok(
                        Check.CONTAINER, "", "/" + CONTAINERS.getFirst(), "none of the files that engines leave"));
    }

    private Finding hugePages() {
        Optional<Long> total = pages("HugePages_Total:");
        if (total.isEmpty()) {
            return new Finding(
                    Check.HUGE_PAGES, "", "/" + MEMORY, UNKNOWN, "/" + MEMORY + " does not list them", "", "");
        }
        if (total.get() == 0) {
            return new Finding(
                    Check.HUGE_PAGES,
                    "",
                    "/" + MEMORY,
                    NOTE,
                    "none reserved; transparent ones: "
                            + files.text("sys/kernel/mm/transparent_hugepage/enabled")
                                    .map(text -> text.replaceFirst(".*\\[(\\w+)].*", "$1"))
                                    .orElse("not in this kernel"),
                    "large regions take the adapter more entries and more time to register; HugePages.EXPLICIT of a"
                            + " pool is refused",
                    "sysctl vm.nr_hugepages=512");
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
            return Finding.ok(Check.IOMMU, "", "/" + GROUPS, "no adapter of hardware that it could slow");
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
                        "the type of group " + group.get() + " cannot be read",
                        "an IOMMU that translates makes registering slower",
                        "");
            }
            types.add(type.get());
        }
        String owners = gpus.isEmpty() ? "the adapters" : "adapters and GPUs";
        String seen =
                types.isEmpty() ? owners + " are in no group" : "groups of " + owners + ": " + String.join(", ", types);
        types.remove("identity");
        return types.isEmpty()
                ? Finding.ok(Check.IOMMU, "", "/" + GROUPS, seen)
                : new Finding(
                        Check.IOMMU,
                        "",
                        "/" + GROUPS,
                        WARNING,
                        seen,
                        "the IOMMU translates what adapters do: registering takes longer, and bandwidth can fall"
                                + (gpus.isEmpty()
                                        ? ""
                                        : "; transfers between GPU and adapter may go through the processor or fail with"
                                                + " nvidia_peermem"),
                        "boot with iommu=pt on the kernel's command line; on arm64 iommu.passthrough=1");
    }

    /** Only x86 CPUs report that they are in a virtual machine. */
    private boolean isVirtual() {
        return files.labelled("proc/cpuinfo", "flags")
                .filter(flags -> List.of(flags.split("\\s+")).contains("hypervisor"))
                .isPresent();
    }
}
