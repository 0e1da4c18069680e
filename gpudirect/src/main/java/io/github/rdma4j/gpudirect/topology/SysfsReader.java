// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads PCI functions and RDMA devices below a sysfs root. A value that cannot be read is unknown, not an error:
 * containers hide parts of sysfs.
 */
final class SysfsReader {
    private static final Pattern ROOT_COMPLEX = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");
    private static final int MOST_LANES = 32;
    /** Network interfaces report their speed in Mbit/s. */
    private static final double MEGABITS = 1000;

    private final Path sysfs;

    SysfsReader(Path sysfs) {
        this.sysfs = sysfs;
    }

    /** Returns all PCI functions by address. */
    SortedMap<PciAddress, PciFunction> functions() {
        SortedMap<PciAddress, PciFunction> functions = new TreeMap<>();
        for (Path entry : entries("bus/pci/devices")) {
            PciAddress.find(entry.getFileName().toString())
                    .flatMap(address -> function(address, entry))
                    .ifPresent(function -> functions.put(function.address(), function));
        }
        functions.replaceAll((_, function) -> withPhysicalLink(function, functions));
        return functions;
    }

    /** Returns all RDMA devices that programs can use, ordered by name with {@link NaturalOrder}. */
    List<RdmaAdapter> adapters(SortedMap<PciAddress, PciFunction> functions) {
        Set<String> offered = entries("class/infiniband_verbs").stream()
                .map(node -> text(node.resolve("ibdev")))
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
        List<RdmaAdapter> all = entries("class/infiniband").stream()
                .map(entry -> new RdmaAdapter(
                        entry.getFileName().toString(),
                        above(entry.resolve("device")).map(functions::get),
                        entries("class/infiniband/" + entry.getFileName() + "/ports").stream()
                                .mapToDouble(this::rate)
                                .max()
                                .orElse(0)))
                .sorted((one, other) -> NaturalOrder.compare(one.name(), other.name()))
                .toList();
        return all.stream()
                .filter(adapter -> !isManagement(adapter, all, offered))
                .toList();
    }

    /**
     * Whether the kernel hides a device from programs because it is a part of another one: the subnet management
     * interface (SMI) of an adapter with several planes has no uverbs device, and shares its function with a device
     * that has one.
     */
    private static boolean isManagement(RdmaAdapter adapter, List<RdmaAdapter> all, Set<String> offered) {
        return adapter.function().isPresent()
                && !offered.contains(adapter.name())
                && all.stream()
                        .anyMatch(other -> offered.contains(other.name())
                                && other.function().equals(adapter.function()));
    }

    /**
     * Returns the rate of a port. The port reports the rate of one link even if it is a bond of several; the bond's
     * network interface reports the sum.
     */
    private double rate(Path port) {
        double bond = entries(port.resolve("gid_attrs/ndevs")).stream()
                .map(SysfsReader::text)
                .flatMap(Optional::stream)
                .distinct()
                .map(name -> sysfs.resolve("class/net/" + name))
                .filter(folder -> Files.isDirectory(folder.resolve("bonding")))
                .mapToDouble(folder -> number(folder.resolve("speed")) / MEGABITS)
                .max()
                .orElse(0);
        return Math.max(number(port.resolve("rate")), bond);
    }

    /** Returns the number of NUMA nodes; 1 without NUMA. */
    int numaNodes() {
        return (int) Math.max(
                1,
                entries("devices/system/node").stream()
                        .filter(entry -> entry.getFileName().toString().matches("node\\d+"))
                        .count());
    }

    /** Returns the distances from a NUMA node to all nodes in order; empty if the firmware does not report them. */
    Optional<int[]> numaDistances(int node) {
        try {
            return text(sysfs.resolve("devices/system/node/node" + node + "/distance"))
                    .map(line -> line.split("\\s+"))
                    .map(fields ->
                            List.of(fields).stream().mapToInt(Integer::parseInt).toArray());
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private Optional<PciFunction> function(PciAddress address, Path entry) {
        Path folder;
        try {
            folder = entry.toRealPath();
        } catch (IOException _) {
            return Optional.empty();
        }
        String rootComplex = null;
        List<PciAddress> chain = new ArrayList<>();
        for (Path part : folder) {
            String name = part.toString();
            if (ROOT_COMPLEX.matcher(name).matches()) {
                // On some hypervisors' buses, the path contains several host bridges; the last one is the function's.
                rootComplex = name;
                chain.clear();
            } else if (rootComplex != null) {
                PciAddress.find(name).ifPresent(chain::add);
            }
        }
        if (rootComplex == null || chain.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new PciFunction(
                address,
                hexadecimal(folder.resolve("class")),
                hexadecimal(folder.resolve("vendor")),
                hexadecimal(folder.resolve("device")),
                rootComplex,
                chain.subList(0, chain.size() - 1),
                text(folder.resolve("numa_node")).map(SysfsReader::node).orElse(-1),
                link(folder),
                nameOfTarget(folder.resolve("physfn")).flatMap(PciAddress::find),
                nameOfTarget(folder.resolve("driver")),
                folder));
    }

    private static PciLink link(Path folder) {
        return new PciLink(
                number(folder.resolve("current_link_speed")),
                lanes(folder.resolve("current_link_width")),
                number(folder.resolve("max_link_speed")),
                lanes(folder.resolve("max_link_width")));
    }

    /** Adds the link of the physical function, because the link registers of a virtual function read as zeros. */
    private static PciFunction withPhysicalLink(PciFunction function, SortedMap<PciAddress, PciFunction> functions) {
        PciFunction physical = function.physicalFunction().map(functions::get).orElse(null);
        if (physical == null || function.link().bandwidth() > 0) {
            return function;
        }
        return new PciFunction(
                function.address(),
                function.classCode(),
                function.vendor(),
                function.device(),
                function.rootComplex(),
                function.bridges(),
                function.numaNode(),
                physical.link(),
                function.physicalFunction(),
                function.driver(),
                function.folder());
    }

    /** Returns the PCI function of a device, also of a scalable function inside one. */
    private static Optional<PciAddress> above(Path device) {
        try {
            Path folder = device.toRealPath();
            for (int i = folder.getNameCount() - 1; i >= 0; i--) {
                Optional<PciAddress> address = PciAddress.find(folder.getName(i).toString());
                if (address.isPresent()) {
                    return address;
                }
            }
            return Optional.empty();
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private List<Path> entries(String folder) {
        return entries(sysfs.resolve(folder));
    }

    private static List<Path> entries(Path folder) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder)) {
            found.forEach(entries::add);
        } catch (IOException | DirectoryIteratorException _) {
            return List.of();
        }
        return entries;
    }

    /** Returns the name of a link's target. It is empty for the root folder, which has no name. */
    private static Optional<String> nameOfTarget(Path link) {
        try {
            return Optional.ofNullable(link.toRealPath().getFileName()).map(Path::toString);
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private static Optional<String> text(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    private static int node(String text) {
        return text.matches("\\d{1,6}") ? Integer.parseInt(text) : -1;
    }

    private static int hexadecimal(Path file) {
        return text(file)
                .filter(text -> text.matches("0x[0-9a-fA-F]{1,6}"))
                .map(Integer::decode)
                .orElse(0);
    }

    /** Parses texts such as {@code 16.0 GT/s PCIe} or {@code 200 Gb/sec (4X HDR)}; 0 for {@code Unknown}. */
    private static double number(Path file) {
        return text(file)
                .map(text -> text.split("\\s+")[0])
                .filter(first -> first.matches("\\d{1,6}(\\.\\d{1,6})?"))
                .map(Double::parseDouble)
                .orElse(0.0);
    }

    /** Returns 0 for a link that is down, which reads as 63 or 255 lanes. */
    private static int lanes(Path file) {
        int lanes = (int) number(file);
        return lanes > MOST_LANES ? 0 : lanes;
    }
}
