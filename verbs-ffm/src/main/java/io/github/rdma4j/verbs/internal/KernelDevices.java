// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.NoSuchDeviceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The RDMA devices that the kernel has, whether libibverbs can use them or not. */
public final class KernelDevices {
    /** What helps against {@link #withoutFiles}. */
    public static final String PASS_IN =
            "in a container, pass the devices in (docker run --device=/dev/infiniband ...); else 'udevadm trigger'";

    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final Path USER_DEVICES = Path.of("/sys/class/infiniband_verbs");
    private static final Path FILES = Path.of("/dev/infiniband");

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
        return unusable(operation, names, USER_DEVICES, FILES);
    }

    static NoSuchDeviceException unusable(String operation, List<String> names, Path userDevices, Path files) {
        String devices = String.join(", ", names);
        if (names(userDevices).stream().noneMatch(name -> name.startsWith("uverbs"))) {
            return new NoSuchDeviceException(
                    operation,
                    "the kernel has %s, and does not offer it to programs".formatted(devices),
                    "load the kernel module ib_uverbs ('modprobe ib_uverbs')");
        }
        return withoutFiles(names, userDevices, files)
                .map(cause -> new NoSuchDeviceException(operation, cause, PASS_IN))
                .orElseGet(() -> new NoSuchDeviceException(
                        operation,
                        "the kernel has %s, and libibverbs has no user-space driver for it".formatted(devices),
                        "install the drivers (Debian, Ubuntu: apt-get install ibverbs-providers; Fedora, RHEL: dnf"
                                + " install libibverbs), and in a container in its image; 'ibv_devices' must list the"
                                + " device"));
    }

    /**
     * libibverbs lists no device whose file it does not find, and a container has none that was not passed in.
     *
     * @param names of devices
     * @return that some of them have no file, in words; empty if all have theirs
     */
    public static Optional<String> withoutFiles(List<String> names) {
        return withoutFiles(names, USER_DEVICES, FILES);
    }

    static Optional<String> withoutFiles(List<String> names, Path userDevices, Path files) {
        String missing = names(userDevices).stream()
                .filter(name -> names.contains(deviceOf(userDevices.resolve(name))))
                .filter(name -> Files.notExists(files.resolve(name)))
                .collect(Collectors.joining(", "));
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "the kernel has %s, and %s has no %s".formatted(String.join(", ", names), files, missing));
    }

    private static String deviceOf(Path userDevice) {
        try {
            return Files.readString(userDevice.resolve("ibdev")).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
