// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counters that the kernel keeps for a port of an RDMA device, and how they change. */
public final class PortCounters {
    private static final Path SYSFS = Path.of("/sys/class/infiniband");
    private static final List<String> FOLDERS = List.of("counters", "hw_counters");

    private final Path folder;
    private final Map<String, Long> last = new LinkedHashMap<>();

    private PortCounters(Path folder, List<String> names) {
        this.folder = folder;
        names.forEach(name -> last.put(name, 0L));
    }

    /**
     * Finds them and reads them for the first time.
     *
     * @param device name of the device
     * @param port its port, from 1
     * @param names of files below the port's folder in sysfs: "counters/port_xmit_data"
     * @throws IllegalArgumentException when one of them does not exist, and the message lists those that do, or has no
     *     number
     */
    public static PortCounters open(String device, int port, List<String> names) {
        return open(SYSFS, device, port, names);
    }

    static PortCounters open(Path devices, String device, int port, List<String> names) {
        Path folder = devices.resolve(device).resolve("ports").resolve(Integer.toString(port));
        PortCounters counters = new PortCounters(folder, names);
        for (String name : names) {
            try {
                counters.last.put(name, counters.read(name));
            } catch (IOException failure) {
                String where = " of port " + port + " of " + device;
                List<String> known = known(folder);
                throw new IllegalArgumentException("-W/--report-counters: " + name
                        + (Files.isRegularFile(folder.resolve(name))
                                ? where + " has no number: " + failure.getMessage() + "; leave it out"
                                : " is no counter" + where + "; it has "
                                        + (known.isEmpty() ? "none" : String.join(", ", known))));
            }
        }
        return counters;
    }

    private static List<String> known(Path port) {
        return FOLDERS.stream()
                .flatMap(folder -> {
                    try (Stream<Path> files = Files.list(port.resolve(folder))) {
                        return files.map(file -> folder + "/" + file.getFileName()).sorted().toList().stream();
                    } catch (IOException _) {
                        return Stream.empty();
                    }
                })
                .filter(name -> !name.endsWith("/lifespan"))
                .collect(Collectors.toList());
    }

    private long read(String name) throws IOException {
        String text = Files.readString(folder.resolve(name)).strip();
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException _) {
            throw new IOException("'" + text.lines().findFirst().orElse("") + "'");
        }
    }

    /**
     * Returns the change of each counter since the last call, in the order of the names. Leaves out counters that can
     * no longer be read, and counters that were reset, whose change is unknown.
     */
    public Map<String, Long> changes() {
        Map<String, Long> changes = new LinkedHashMap<>();
        last.replaceAll((name, before) -> {
            try {
                long now = read(name);
                // The subtraction is right also when the counter wraps at 64 bits.
                long change = now - before;
                if (change >= 0) {
                    changes.put(name, change);
                }
                return now;
            } catch (IOException _) {
                return before;
            }
        });
        return changes;
    }
}
