// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Counts the packets that a port has received from any sender. They are the only sign of the peer on a side whose
 * adapter answers without its program.
 */
public final class PortTraffic {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    /** The port counters of InfiniBand, SoftRoCE and EFA. */
    private static final List<String> NAMES =
            List.of("counters/port_rcv_packets", "hw_counters/rcvd_pkts", "hw_counters/rx_pkts");

    private final Path port;
    private final List<Path> files;

    /**
     * @param device its name
     * @param port from 1
     */
    public PortTraffic(String device, int port) {
        this(DEVICES, device, port);
    }

    PortTraffic(Path devices, String device, int port) {
        this.port = devices.resolve(device).resolve("ports").resolve(Integer.toString(port));
        this.files =
                NAMES.stream().map(this.port::resolve).filter(Files::isReadable).toList();
    }

    /** Packets received since some beginning; always 0 where the device does not count them. */
    public long received() {
        long sum = 0;
        for (Path file : files) {
            try {
                sum += Long.parseLong(Files.readString(file).strip());
            } catch (IOException | NumberFormatException _) {
                // A counter that cannot be read is ignored.
            }
        }
        return sum;
    }

    @Override
    public String toString() {
        return "port " + port.getFileName() + " of "
                + port.getParent().getParent().getFileName();
    }
}
