// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlGroupMemoryTest {
    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    @Test
    void lowestLimitOfAllGroupsApplies() throws IOException {
        write("proc/self/cgroup", "0::/user.slice/job");
        write("sys/fs/cgroup/user.slice/job/memory.max", "max");
        assertThat(ControlGroupMemory.limit(root)).isEmpty();
        write("sys/fs/cgroup/user.slice/memory.max", "209715200");
        assertThat(ControlGroupMemory.limit(root)).hasValue(209_715_200);
        write("sys/fs/cgroup/user.slice/job/memory.max", "409715200");
        assertThat(ControlGroupMemory.limit(root)).hasValue(209_715_200);
    }

    @Test
    void containerHasItsLimitAtTheRoot() throws IOException {
        write("proc/self/cgroup", "0::/");
        write("sys/fs/cgroup/memory.max", "1048576");
        assertThat(ControlGroupMemory.limit(root)).hasValue(1_048_576);
    }

    @Test
    void firstVersionHasAHierarchyForMemory() throws IOException {
        write("proc/self/cgroup", "9:cpu,cpuacct:/a\n5:memory:/job");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
        write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4096");
        assertThat(ControlGroupMemory.limit(root)).hasValue(4096);
    }

    @Test
    void machineWithoutControlGroupsHasNoLimit() {
        assertThat(ControlGroupMemory.limit(root)).isEmpty();
    }
}
