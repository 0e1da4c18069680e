// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.PciLink;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.NumaTopology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Checks the distance between adapters and this process, and the speed of the links between them. */
final class PlacementChecks {
    private static final String CPUS = "/sys/devices/system/cpu";
    private static final String FASTEST = "performance";
    private static final Pattern RATE = Pattern.compile("(\\d{1,5}(?:\\.\\d)?) Gb/sec");
    /** The share of a link that is left for data beside the headers of PCI Express. */
    private static final double USABLE = 0.9;

    private static final Pattern CPU_LIST = Pattern.compile("\\d{1,4}(-\\d{1,4})?(,\\d{1,4}(-\\d{1,4})?)*");

    private final MachineFiles files;
    private final List<RdmaDevice> devices;
    private final NumaTopology numa;

    PlacementChecks(Machine machine) {
        this.files = machine.files();
        this.devices = machine.devices();
        this.numa = machine.numa();
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        for (RdmaDevice device : devices) {
            device.function().ifPresent(function -> {
                findings.add(link(device, function));
                findings.add(node(device, function));
                findings.add(interrupts(device, function));
            });
        }
        findings.add(governor());
        return findings;
    }

    private Finding link(RdmaDevice device, PciFunction function) {
        PciLink link = function.link();
        String source = "/sys/bus/pci/devices/" + function.address();
        if (link.bandwidth() == 0) {
            return new Finding(
                    Check.PCI_LINK,
                    device.name(),
                    source,
                    UNKNOWN,
                    "sysfs does not report the speed and width of the link",
                    "a link with few or slow lanes limits bandwidth",
                    "lspci -vv -s " + function.address() + " as root, and compare LnkSta with LnkCap");
        }
        String seen = String.format(Locale.ROOT, "%s: %.0f Gbit/s", link, link.bandwidth());
        double needed = rateOfCard(device);
        boolean limits = needed == 0 || link.bandwidth() * USABLE < needed;
        if ((link.isNarrowed() || link.isSlowed()) && !limits) {
            seen += String.format(Locale.ROOT, ", enough for the %.0f Gbit/s of the card's ports", needed);
        }
        return (link.isNarrowed() || link.isSlowed()) && limits
                ? new Finding(
                        Check.PCI_LINK,
                        device.name(),
                        source,
                        WARNING,
                        seen,
                        "the link has fewer or slower lanes than the adapter, which limits bandwidth",
                        "reseat the card, or use a slot with all lanes of its generation; lspci -vv -s "
                                + function.address())
                : Finding.ok(Check.PCI_LINK, device.name(), source, seen);
    }

    /** Returns the sum of the rates of all active ports that share the link, in Gbit/s; 0 if unknown. */
    private double rateOfCard(RdmaDevice device) {
        // Virtual functions and subfunctions share the ports of their physical function.
        Map<PciAddress, Double> rates = new HashMap<>();
        for (RdmaDevice other : devices) {
            if (other.sharesCard(device)) {
                PciFunction function = other.function().orElseThrow();
                rates.merge(function.physicalFunction().orElse(function.address()), rate(other), Math::max);
            }
        }
        return rates.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    private static double rate(RdmaDevice device) {
        return device.ports().stream()
                .filter(port -> port.isActive() && !port.rawOnly())
                .map(port -> RATE.matcher(port.rate()))
                .filter(Matcher::lookingAt)
                .mapToDouble(rate -> Double.parseDouble(rate.group(1)))
                .sum();
    }

    private Finding node(RdmaDevice device, PciFunction function) {
        String source = "/sys/bus/pci/devices/" + function.address() + "/numa_node";
        if (numa.nodes().size() <= 1) {
            return Finding.ok(Check.NUMA, device.name(), source, "the machine has one NUMA node");
        }
        int node = function.numaNode();
        if (node < 0) {
            return new Finding(
                    Check.NUMA,
                    device.name(),
                    source,
                    UNKNOWN,
                    "the firmware does not report the adapter's NUMA node",
                    "threads and memory on another node than the adapter's are slower",
                    "");
        }
        CpuList allowed = numa.allowedCpus();
        CpuList near = numa.cpusOf(node).and(allowed);
        String seen = "the adapter is on node " + node + "; this process may use CPUs " + allowed;
        String bind =
                "bind the process to the node: numactl --cpunodebind=" + node + " --membind=" + node + " java ...";
        if (near.isEmpty()) {
            return new Finding(
                    Check.NUMA,
                    device.name(),
                    source,
                    WARNING,
                    seen + ", none of them on that node",
                    "each access goes through the link between processors: more latency, less bandwidth",
                    bind);
        }
        return allowed.without(near).isEmpty()
                ? Finding.ok(Check.NUMA, device.name(), source, seen + ", all of them on that node")
                : new Finding(
                        Check.NUMA,
                        device.name(),
                        source,
                        NOTE,
                        seen + "; of these, " + near + " are on that node",
                        "threads on the other CPUs are slower, and the scheduler may use either",
                        bind);
    }

    private Finding interrupts(RdmaDevice device, PciFunction function) {
        String source = "/sys/bus/pci/devices/" + function.address() + "/msi_irqs";
        List<CpuList> targets = files.names(source.substring(1)).stream()
                .map(number -> files.text("proc/irq/" + number + "/effective_affinity_list")
                        .or(() -> files.text("proc/irq/" + number + "/smp_affinity_list")))
                .flatMap(Optional::stream)
                .filter(text -> CPU_LIST.matcher(text).matches())
                .map(CpuList::parse)
                .toList();
        if (targets.isEmpty()) {
            return new Finding(
                    Check.INTERRUPTS,
                    device.name(),
                    source,
                    UNKNOWN,
                    "/proc/irq does not show which CPUs take the adapter's interrupts",
                    "these interrupts wake the threads that sleep until a completion arrives",
                    "");
        }
        CpuList near = numa.cpusOf(function.numaNode());
        long far = targets.stream()
                .filter(cpus -> !near.isEmpty() && cpus.and(near).isEmpty())
                .count();
        return far == 0
                ? Finding.ok(
                        Check.INTERRUPTS,
                        device.name(),
                        source,
                        targets.size() + " interrupt vectors"
                                + (near.isEmpty() ? "" : ", all to CPUs of the adapter's node"))
                : new Finding(
                        Check.INTERRUPTS,
                        device.name(),
                        source,
                        NOTE,
                        far + " of " + targets.size() + " interrupt vectors go to CPUs of another node than the"
                                + " adapter's",
                        "threads that sleep until a completion arrives wake up later; polling threads are not"
                                + " affected",
                        "write " + near + " to /proc/irq/N/smp_affinity_list for each N in " + source
                                + ", and keep irqbalance from changing it");
    }

    private Finding governor() {
        TreeSet<String> governors = Arrays.stream(numa.allowedCpus().toArray())
                .mapToObj(numa::frequencyGovernor)
                .flatMap(found -> found.stream())
                .collect(Collectors.toCollection(TreeSet::new));
        String source = CPUS + "/cpu*/cpufreq/scaling_governor";
        if (governors.isEmpty()) {
            return Finding.ok(
                    Check.GOVERNOR, "", source, "the kernel does not control CPU frequencies on this" + " machine");
        }
        String seen = String.join(", ", governors);
        governors.remove(FASTEST);
        return governors.isEmpty()
                ? Finding.ok(Check.GOVERNOR, "", source, seen)
                : new Finding(
                        Check.GOVERNOR,
                        "",
                        source,
                        WARNING,
                        seen,
                        "CPUs slow down while they are idle, so latencies are higher and vary more",
                        "run cpupower frequency-set -g performance");
    }
}
