// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of sysfs and procfs that placement reads, as found on machines of several kinds, written into a folder. */
final class RecordedMachine {
    private final Path root;

    private RecordedMachine(Path root) {
        this.root = root;
    }

    /** Two sockets of four CPUs, an adapter on the second one. */
    static RecordedMachine twoSockets(Path root) {
        return new RecordedMachine(root)
                .with("sys/devices/system/cpu/online", "0-7")
                .with("sys/devices/system/node/online", "0-1")
                .with("sys/devices/system/node/has_memory", "0-1")
                .with("sys/devices/system/node/node0/cpulist", "0-3")
                .with("sys/devices/system/node/node1/cpulist", "4-7")
                .with("sys/class/infiniband/mlx5_0/device/numa_node", "1")
                .with("sys/class/infiniband/rxe0/hca_type", "")
                .allowing("0-7", "0-1");
    }

    /**
     * Sub-NUMA clustering with interleaved numbers, a node without memory (1) and one without CPUs (2), such as CXL
     * memory.
     */
    static RecordedMachine unusual(Path root) {
        return new RecordedMachine(root)
                .with("sys/devices/system/cpu/online", "0-5,8-9")
                .with("sys/devices/system/node/online", "0-2")
                .with("sys/devices/system/node/has_memory", "0,2")
                .with("sys/devices/system/node/node0/cpulist", "0,2,4,8")
                .with("sys/devices/system/node/node1/cpulist", "1,3,5,9")
                .with("sys/devices/system/node/node2/cpulist", "")
                .with("sys/class/infiniband/mlx5_0/device/numa_node", "1")
                .with("sys/class/infiniband/mlx5_2/device/numa_node", "2")
                .with("sys/class/infiniband/bnxt_re0/device/numa_node", "0")
                .allowing("0-5,8-9", "0,2");
    }

    /** One socket. */
    static RecordedMachine small(Path root) {
        return new RecordedMachine(root)
                .with("sys/devices/system/cpu/online", "0-1")
                .with("sys/devices/system/node/online", "0")
                .with("sys/devices/system/node/has_memory", "0")
                .with("sys/devices/system/node/node0/cpulist", "0-1")
                .with("sys/class/infiniband/mlx5_0/device/numa_node", "0")
                .with("sys/class/infiniband/irdma0/device/numa_node", "-1")
                .allowing("0-1", "0");
    }

    /** A kernel built without NUMA. */
    static RecordedMachine withoutNuma(Path root) {
        return new RecordedMachine(root)
                .with("sys/devices/system/cpu/online", "0")
                .with("proc/thread-self/status", "Name:\tjava\nCpus_allowed:\t1\nCpus_allowed_list:\t0\n");
    }

    RecordedMachine allowing(String cpus, String memoryNodes) {
        return with(
                "proc/thread-self/status",
                "Name:\tjava\nCpus_allowed_list:\t" + cpus + "\nMems_allowed_list:\t" + memoryNodes + "\n");
    }

    RecordedMachine with(String file, String content) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, content + "\n");
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    NumaTopology topology() {
        return NumaTopology.recorded(root);
    }
}
