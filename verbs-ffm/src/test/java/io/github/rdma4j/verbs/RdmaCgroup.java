// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A control group whose processes may have few RDMA objects of each device; only root can create one. */
public final class RdmaCgroup implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");

    private final Path group = ROOT.resolve("rdma4j-limited");
    private final boolean mounted = Files.notExists(ROOT.resolve("cgroup.controllers"));

    /**
     * Creates the group, and mounts the hierarchy of control groups if nobody has, as in the test guests.
     *
     * @param limit the limit of rdma.max, such as {@code hca_object=2}
     */
    public RdmaCgroup(String limit) throws IOException, InterruptedException {
        if (mounted) {
            run("mount", "-t", "cgroup2", "none", ROOT.toString());
        }
        Files.writeString(ROOT.resolve("cgroup.subtree_control"), "+rdma");
        Files.createDirectory(group);
        for (Device device : Device.list()) {
            Files.writeString(group.resolve("rdma.max"), device.name() + " " + limit);
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as(List.of(command).toString())
                .isZero();
    }

    /** {@return the command by which a shell enters the group} */
    public String enter() {
        return "echo $$ >" + group.resolve("cgroup.procs");
    }

    /** {@return what to put before a command, so that it runs in the group} */
    public List<String> prefix() {
        return List.of("sh", "-c", enter() + " && exec \"$@\"", "sh");
    }

    @Override
    public void close() throws IOException, InterruptedException {
        Files.deleteIfExists(group);
        if (mounted) {
            run("umount", ROOT.toString());
        }
    }
}
