// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemFilesTest {
    @TempDir
    private Path root;

    private SystemFiles files;

    @BeforeEach
    void look() {
        files = new SystemFiles(root);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void machineWithAnAdapter() throws IOException {
        write("sys/class/infiniband/mlx5_0/device/numa_node", "1\n");
        Path driver = Files.createDirectories(root.resolve("sys/bus/pci/drivers/mlx5_core"));
        Files.createSymbolicLink(root.resolve("sys/class/infiniband/mlx5_0/device/driver"), driver);
        write("proc/cpuinfo", "processor\t: 0\nmodel name\t: A Fast One: 3 GHz\n\nmodel name\t: Another\n");
        write("proc/thread-self/status", "Name:\tjava\nCpus_allowed:\t0f\nCpus_allowed_list:\t0-3\n");
        write("sys/devices/system/cpu/online", "0-7\n");
        write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
        assertThat(files.driver("mlx5_0")).isEqualTo("mlx5_core");
        assertThat(files.numaNode("mlx5_0")).isEqualTo(1);
        assertThat(files.processorModel()).isEqualTo("A Fast One: 3 GHz");
        assertThat(files.boundProcessors()).isEqualTo("0-3");
        assertThat(files.clockSource()).isEqualTo("tsc");
        write("sys/devices/system/cpu/online", "0-3\n");
        assertThat(files.boundProcessors()).as("all there are").isNull();
    }

    @Test
    void missingFileIsUnknown() throws IOException {
        assertThat(files.driver("rxe0")).isNull();
        assertThat(files.numaNode("rxe0")).isNull();
        assertThat(files.processorModel()).isNull();
        assertThat(files.boundProcessors()).isNull();
        assertThat(files.clockSource()).isNull();
        write("sys/class/infiniband/mlx5_0/device/numa_node", "-1\n");
        assertThat(files.numaNode("mlx5_0")).isNull();
    }

    @Test
    void malformedValueIsUnknown() throws IOException {
        for (String text : new String[] {"node1", "99999999999", "0x1", "+1", ""}) {
            write("sys/class/infiniband/mlx5_0/device/numa_node", text);
            assertThat(files.numaNode("mlx5_0")).as(text).isNull();
        }
        Files.createSymbolicLink(root.resolve("sys/class/infiniband/mlx5_0/device/driver"), Path.of("/"));
        assertThat(files.driver("mlx5_0")).isNull();
    }
}
