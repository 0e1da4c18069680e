// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fuzzes the readers of the system files that describe the conditions of a measurement. */
@Timeout(7200)
class SystemFilesFuzzTest {
    @Test
    void files(@TempDir Path root) throws Exception {
        List<Path> files = List.of(
                root.resolve("sys/class/infiniband/mlx5_0/device/numa_node"),
                root.resolve("proc/cpuinfo"),
                root.resolve("proc/thread-self/status"),
                root.resolve("sys/devices/system/cpu/online"),
                root.resolve("sys/devices/system/clocksource/clocksource0/current_clocksource"));
        for (Path file : files) {
            Files.createDirectories(file.getParent());
        }
        Spoiler texts = new Spoiler(
                Fuzzer.bytes("1\n", "-1\n", "model name\t: A CPU\n", "Cpus_allowed_list:\t0-7\n", "0-7\n", "tsc\n"));
        int[] turn = {0};
        new Fuzzer(texts, null, 1 << 20, 1 << 12).oneIn(4).feed(input -> {
            Files.write(files.get(turn[0]++ % files.size()), input);
            SystemFiles read = new SystemFiles(root);
            read.driver("mlx5_0");
            read.numaNode("mlx5_0");
            read.processorModel();
            read.boundProcessors();
            read.clockSource();
        });
    }
}
