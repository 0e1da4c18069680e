// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.micrometer;

import io.micrometer.core.instrument.Tags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the kernel and drivers count for each port, from their files in sysfs. */
final class PortMeters {
    private static final List<String> COUNTERS = List.of("counters", "hw_counters");

    private PortMeters() {}

    /** Makes the meters of all ports that there are now. */
    static void bind(RdmaMeters.Binding to, Path devices) {
        for (Path device : in(devices)) {
            for (Path port : in(device.resolve("ports"))) {
                Tags ofPort = to.tags().and("device", name(device), "port", name(port));
                // A registry does not keep what it asks; so what is asked here is a constant.
                Path state = port.resolve("state");
                to.gauge("rdma4j.port.active", "1 if it carries data, else 0", ofPort, COUNTERS, _ -> active(state));
                COUNTERS.stream()
                        .flatMap(folder -> in(port.resolve(folder)).stream())
                        .filter(file -> !name(file).equals("lifespan") && !Double.isNaN(number(file)))
                        .forEach(file -> to.counter(
                                "rdma4j.port.counter",
                                null,
                                "As the kernel or the driver counts, in its own units",
                                ofPort.and("counter", name(file)),
                                COUNTERS,
                                _ -> number(file)));
            }
        }
    }

    private static List<Path> in(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException _) {
            return List.of();
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    private static double number(Path file) {
        try {
            return Double.parseDouble(Files.readString(file).strip());
        } catch (IOException | NumberFormatException _) {
            return Double.NaN;
        }
    }

    private static double active(Path state) {
        try {
            return Files.readString(state).contains("ACTIVE") ? 1 : 0;
        } catch (IOException _) {
            return 0;
        }
    }
}
