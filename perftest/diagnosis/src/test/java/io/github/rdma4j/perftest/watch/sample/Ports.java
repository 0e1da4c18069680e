// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Ports in a folder that stands for the root of a machine. */
public record Ports(Path root) {
    private static final String DEVICES = "sys/class/infiniband/";

    /** A port that is up, with 100 Gb/s. */
    public Ports up(String device) {
        return with(device, "state", "4: ACTIVE\n")
                .with(device, "link_layer", "Ethernet\n")
                .with(device, "rate", "100 Gb/sec (4X EDR)\n");
    }

    /** Writes a file of port 1. */
    public Ports with(String device, String file, String text) {
        try {
            Path path = root.resolve(DEVICES + device + "/ports/1/" + file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, text);
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Writes the four files of bytes and packets as InfiniBand's drivers have them. */
    public Ports traffic(String device, long words, long packets) {
        return with(device, "counters/port_rcv_data", words + "\n")
                .with(device, "counters/port_xmit_data", 2 * words + "\n")
                .with(device, "counters/port_rcv_packets", packets + "\n")
                .with(device, "counters/port_xmit_packets", 2 * packets + "\n");
    }

    /** Takes a device out. */
    public void remove(String device) {
        try (Stream<Path> files = Files.walk(root.resolve(DEVICES + device))) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
