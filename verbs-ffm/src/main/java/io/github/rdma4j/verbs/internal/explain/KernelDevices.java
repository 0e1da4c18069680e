// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import io.github.rdma4j.verbs.device.GidEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The RDMA devices that the kernel has, and why libibverbs does not list one of them. */
public final class KernelDevices {
    /** The remedy for {@link #withoutFiles}. */
    public static final String PASS_IN =
            "in a container, pass the devices in (docker run --device=/dev/infiniband ...); else 'udevadm trigger'";

    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final Path USER_DEVICES = Path.of("/sys/class/infiniband_verbs");
    private static final Path FILES = Path.of("/dev/infiniband");
    private static final Path INTERFACES = Path.of("/sys/class/net");

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

    /**
     * The devices that the kernel offers to programs and libibverbs does not list.
     *
     * @param listed the names of those that it lists
     * @return the names of the others, in alphabetical order
     */
    public static List<String> besides(List<String> listed) {
        Set<String> offered = new TreeSet<>();
        for (String name : names(USER_DEVICES)) {
            offered.add(deviceOf(USER_DEVICES.resolve(name)));
        }
        offered.remove("");
        offered.removeAll(Set.copyOf(listed));
        return List.copyOf(offered);
    }

    /**
     * Explains why libibverbs does not list devices that the kernel has.
     *
     * @param names of these devices
     * @return cause and remedy
     */
    public static Explanation unlisted(List<String> names) {
        return unlisted(names, USER_DEVICES, FILES);
    }

    static Explanation unlisted(List<String> names, Path userDevices, Path files) {
        String devices = String.join(", ", names);
        if (Files.notExists(userDevices)) {
            return new Explanation()
                    .add(
                            "the kernel has %s, and does not offer it to programs".formatted(devices),
                            "load the kernel module ib_uverbs ('modprobe ib_uverbs')");
        }
        if (names(userDevices).stream().noneMatch(name -> names.contains(deviceOf(userDevices.resolve(name))))) {
            // Most drivers remove a device only when no program has it open.
            return new Explanation()
                    .add(
                            "the kernel has %s, and does not offer it to programs: it is being removed, or is only for"
                                            .formatted(devices)
                                    + " subnet management",
                            "end the programs that still have it open, and read the kernel's log (dmesg)");
        }
        Optional<String> withoutFiles = withoutFiles(names, userDevices, files);
        return withoutFiles.isPresent()
                ? new Explanation().add(withoutFiles.get(), PASS_IN)
                : new Explanation()
                        .add(
                                "the kernel has %s, and libibverbs has no user-space driver for it, or only one for another ABI than %s"
                                        .formatted(devices, interfaces(names, userDevices)),
                                "install the drivers (Debian, Ubuntu: apt-get install ibverbs-providers; Fedora, RHEL:"
                                        + " dnf install libibverbs), in a container in its image, from the maker of the"
                                        + " kernel's driver; 'IBV_SHOW_WARNINGS=1 ibv_devices' prints why an installed"
                                        + " one is not used");
    }

    /** The versions of the interface between the kernel's drivers and theirs in user space. */
    private static String interfaces(List<String> names, Path userDevices) {
        return names(userDevices).stream()
                .map(userDevices::resolve)
                .filter(userDevice -> names.contains(deviceOf(userDevice)))
                .map(userDevice -> text(userDevice.resolve("abi_version")))
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** {@return why there is no device, if the kernel has none} */
    public static Explanation absent() {
        return new Explanation()
                .add(
                        Files.exists(DEVICES)
                                ? "this machine has no RDMA device"
                                : "this machine has no RDMA device, and its kernel has no RDMA driver loaded",
                        "load the adapter's driver, or make a SoftRoCE device (rdma link add rxe0 type rxe netdev"
                                + " eth0), or run the program under scripts/softroce");
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

    /**
     * Says whether a device belongs to a network interface: its ports have GIDs of the interface, or the interface is
     * its own IPoIB interface.
     *
     * @param device the device's folder in sysfs
     * @param networkInterface the interface's name, such as {@code eth0}
     * @return whether it does
     */
    public static boolean serves(Path device, String networkInterface) {
        if (Files.exists(device.resolve("device/net").resolve(networkInterface))) {
            return true;
        }
        Path ports = device.resolve("ports");
        return names(ports).stream()
                .map(port -> ports.resolve(port).resolve("gid_attrs/ndevs"))
                .anyMatch(indexes -> names(indexes).stream()
                        .anyMatch(index -> text(indexes.resolve(index)).equals(networkInterface)));
    }

    /**
     * Selects the GIDs of network interfaces of this process's network namespace. The table of a shared device also
     * lists the GIDs of the host and of other containers.
     *
     * @param device the device's folder in sysfs
     * @param table entries of the device's GID tables
     * @return the entries of this namespace; all entries if there is none, as on InfiniBand
     */
    public static List<GidEntry> gidsHere(Path device, List<GidEntry> table) {
        return gidsHere(device, table, INTERFACES);
    }

    static List<GidEntry> gidsHere(Path device, List<GidEntry> table, Path interfaces) {
        List<GidEntry> here = table.stream()
                .filter(entry -> {
                    String name =
                            text(device.resolve("ports/%d/gid_attrs/ndevs/%d".formatted(entry.port(), entry.index())));
                    return !name.isEmpty()
                            && text(interfaces.resolve(name).resolve("ifindex"))
                                    .equals(Integer.toString(entry.networkInterfaceIndex()));
                })
                .toList();
        return here.isEmpty() ? table : here;
    }

    private static String deviceOf(Path userDevice) {
        return text(userDevice.resolve("ibdev"));
    }

    /** {@return a file's text; empty if it cannot be read, as the file of a GID that is not in use} */
    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
