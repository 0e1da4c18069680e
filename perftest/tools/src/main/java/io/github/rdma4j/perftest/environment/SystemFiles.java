// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Values from {@code /proc} and {@code /sys}; null if the kernel has none. */
final class SystemFiles {
    private final Path root;

    /**
     * @param root where {@code proc} and {@code sys} are
     */
    SystemFiles(Path root) {
        this.root = root;
    }

    static SystemFiles ofThisMachine() {
        return new SystemFiles(Path.of("/"));
    }

    /** Returns the kernel driver of an RDMA device. */
    String driver(String device) {
        try {
            Path name = root.resolve("sys/class/infiniband/" + device + "/device/driver")
                    .toRealPath()
                    .getFileName();
            return name == null ? null : name.toString();
        } catch (IOException _) {
            return null;
        }
    }

    /** Returns the NUMA node of an RDMA device. */
    Integer numaNode(String device) {
        String text = first("sys/class/infiniband/" + device + "/device/numa_node");
        // The kernel has -1 if the firmware does not report a node.
        return text == null || !text.matches("\\d{1,6}") ? null : Integer.valueOf(text);
    }

    /** The name of the processor. Not all architectures have one. */
    String processorModel() {
        return valueOf("proc/cpuinfo", "model name");
    }

    /** Processors that this thread is bound to; null when it may use all. */
    String boundProcessors() {
        String allowed = valueOf("proc/thread-self/status", "Cpus_allowed_list");
        String online = first("sys/devices/system/cpu/online");
        return allowed == null || allowed.equals(online) ? null : allowed;
    }

    /** The name of the machine. */
    String hostName() {
        return first("proc/sys/kernel/hostname");
    }

    /** Returns the source of the kernel's monotonic clock. */
    String clockSource() {
        return first("sys/devices/system/clocksource/clocksource0/current_clocksource");
    }

    private String valueOf(String file, String key) {
        for (String line : lines(file)) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).strip().equals(key)) {
                return line.substring(colon + 1).strip();
            }
        }
        return null;
    }

    private String first(String file) {
        List<String> lines = lines(file);
        return lines.isEmpty() || lines.getFirst().isBlank()
                ? null
                : lines.getFirst().strip();
    }

    private List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException _) {
            return List.of();
        }
    }
}
