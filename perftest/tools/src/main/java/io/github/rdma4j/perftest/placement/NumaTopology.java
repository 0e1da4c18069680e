// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The NUMA nodes of this machine, with their CPUs and memory, as sysfs and procfs show them, and the part that this
 * process may use. A kernel without NUMA support has no nodes: everything is then empty.
 */
public final class NumaTopology {
    private static final String NODES = "sys/devices/system/node";
    private static final String CPUS = "sys/devices/system/cpu";

    private final Path root;

    private NumaTopology(Path root) {
        this.root = root;
    }

    /** Returns the topology of this machine. */
    public static NumaTopology ofThisMachine() {
        return new NumaTopology(Path.of("/"));
    }

    /**
     * One recorded elsewhere.
     *
     * @param root folder with "sys" and "proc" in it
     */
    public static NumaTopology recorded(Path root) {
        return new NumaTopology(root);
    }

    /** The CPUs that are switched on. */
    public CpuList onlineCpus() {
        return list(root.resolve(CPUS).resolve("online"));
    }

    /**
     * Returns the CPUs that the calling thread may use: the online CPUs that taskset, numactl and cgroups permit.
     */
    public CpuList allowedCpus() {
        CpuList allowed = allowed("Cpus_allowed_list:");
        return allowed.isEmpty() ? onlineCpus() : allowed;
    }

    /**
     * Returns how many CPUs this process can keep busy: the CPUs allowed to the calling thread, or fewer if a control
     * group limits the CPU time.
     */
    public double usableCpus() {
        double usable = allowedCpus().size();
        for (String line :
                read(root.resolve("proc/self/cgroup")).orElse("").lines().toList()) {
            String[] fields = line.split(":", 3);
            boolean second = fields.length == 3 && fields[1].isEmpty();
            if (!second && (fields.length < 3 || !List.of(fields[1].split(",")).contains("cpu"))) {
                continue;
            }
            Path mount = root.resolve(second ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
            // Each group is a limit, and the innermost limit need not be the tightest. A container sees its own group
            // as the mount.
            for (Path group = mount.resolve(fields[2].substring(1));
                    group.startsWith(mount);
                    group = group.getParent()) {
                usable = Math.min(usable, second ? quota(group.resolve("cpu.max")) : firstQuota(group));
            }
        }
        return usable;
    }

    /** CPUs that a control group of version 1 allows; infinite without a limit. */
    private static double firstQuota(Path group) {
        return quota(read(group.resolve("cpu.cfs_quota_us")).orElse("")
                + " "
                + read(group.resolve("cpu.cfs_period_us")).orElse(""));
    }

    private static double quota(Path file) {
        return quota(read(file).orElse(""));
    }

    /** Parses a line such as {@code 150000 100000}, or {@code max 100000} and {@code -1 100000} for no limit. */
    private static double quota(String text) {
        return text.matches("\\d{1,12} \\d{1,12}")
                ? Double.parseDouble(text.split(" ")[0]) / Double.parseDouble(text.split(" ")[1])
                : Double.POSITIVE_INFINITY;
    }

    /** The nodes that the calling thread may take memory from. */
    public CpuList allowedMemoryNodes() {
        return allowed("Mems_allowed_list:").and(memoryNodes());
    }

    /** The nodes that there are. */
    public CpuList nodes() {
        return list(root.resolve(NODES).resolve("online"));
    }

    /** The nodes that have memory. */
    public CpuList memoryNodes() {
        return list(root.resolve(NODES).resolve("has_memory"));
    }

    /** The CPUs of a node that are switched on; none where there is no such node, or only memory in it. */
    public CpuList cpusOf(int node) {
        return list(root.resolve(NODES).resolve("node" + node).resolve("cpulist"));
    }

    /**
     * Returns the node that an RDMA device is attached to; empty for a software device, and if the firmware reports
     * none.
     */
    public OptionalInt nodeOfDevice(String device) {
        Optional<String> text =
                read(root.resolve("sys/class/infiniband").resolve(device).resolve("device/numa_node"));
        try {
            int node = text.map(Integer::parseInt).orElse(-1);
            return node < 0 ? OptionalInt.empty() : OptionalInt.of(node);
        } catch (NumberFormatException _) {
            return OptionalInt.empty();
        }
    }

    /** Returns the frequency governor of a CPU ("performance", "powersave"); empty if the kernel does not govern it. */
    public Optional<String> frequencyGovernor(int cpu) {
        return read(root.resolve(CPUS).resolve("cpu" + cpu).resolve("cpufreq/scaling_governor"));
    }

    /** The threads of this process that there are now, by the kernel's number. */
    int[] threads() {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(root.resolve("proc/self/task"))) {
            IntStream.Builder numbers = IntStream.builder();
            for (Path task : tasks) {
                numbers.add(Integer.parseInt(task.getFileName().toString()));
            }
            return numbers.build().toArray();
        } catch (IOException | NumberFormatException _) {
            return new int[0];
        }
    }

    /** Parses the line of a thread's status with its CPUs or its memory nodes. */
    private CpuList allowed(String label) {
        return read(root.resolve("proc/thread-self/status"))
                .flatMap(status -> status.lines()
                        .filter(line -> line.startsWith(label))
                        .map(line -> line.substring(label.length()).strip())
                        .findFirst())
                .map(NumaTopology::parse)
                .orElse(CpuList.NONE);
    }

    private static CpuList list(Path file) {
        return read(file).map(NumaTopology::parse).orElse(CpuList.NONE);
    }

    private static CpuList parse(String text) {
        try {
            return CpuList.parse(text);
        } catch (IllegalArgumentException _) {
            return CpuList.NONE;
        }
    }

    private static Optional<String> read(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException _) {
            return Optional.empty();
        }
    }
}
