// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.NoSuchDeviceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The RDMA devices that the kernel has, whether libibverbs can use them or not. */
public final class KernelDevices {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final Path USER_DEVICES = Path.of("/sys/class/infiniband_verbs");

    private KernelDevices() {}

    /** {@return their names, in alphabetical order} */
    public static List<String> names() {
        return names(DEVICES);
    }

    private static List<String> names(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The failure of a program that asks for a device that the kernel has and libibverbs does not list. */
    public static NoSuchDeviceException unusable(String operation, List<String> names) {
        String devices = String.join(", ", names);
        boolean forPrograms = names(USER_DEVICES).stream().anyMatch(name -> name.startsWith("uverbs"));
        return forPrograms
                ? new NoSuchDeviceException(
                        operation,
                        "the kernel has %s, and libibverbs has no user-space driver for it".formatted(devices),
                        "install the drivers (Debian, Ubuntu: apt-get install ibverbs-providers; Fedora, RHEL: dnf install"
                                + " libibverbs), and in a container in its image; 'ibv_devices' must list the device")
                : new NoSuchDeviceException(
                        operation,
                        "the kernel has %s, and does not offer it to programs".formatted(devices),
                        "load the kernel module ib_uverbs ('modprobe ib_uverbs')");
    }
}
