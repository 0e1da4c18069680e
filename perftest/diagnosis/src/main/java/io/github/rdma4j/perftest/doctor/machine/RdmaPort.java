// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.verbs.device.GidEntry;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A port of an RDMA device, as sysfs shows it.
 *
 * @param device its device's name
 * @param number from 1
 * @param folder in sysfs, such as {@code sys/class/infiniband/mlx5_0/ports/1}
 * @param state such as {@code ACTIVE}; empty if it cannot be read
 * @param physicalState such as {@code LinkUp}; empty if it cannot be read
 * @param linkLayer {@code Ethernet} or {@code InfiniBand}; empty if it cannot be read
 * @param rate such as {@code 100 Gb/sec (4X EDR)}
 * @param rawOnly whether it has no GID table, so that it carries raw Ethernet packets only. Ports of mlx5 are like this
 *     in switchdev mode, where they represent virtual functions, and while RoCE is switched off.
 * @param gids the entries of its GID table that are in use, by index
 * @param interfaces the network interface of each GID, by the GID's index
 * @param networkInterface the interface of the port; empty if unknown
 * @param bond the bond of the port; empty without a bond
 * @param facts the port as libibverbs reports it; empty if the device cannot be opened
 */
public record RdmaPort(
        String device,
        int number,
        String folder,
        String state,
        String physicalState,
        String linkLayer,
        String rate,
        boolean rawOnly,
        List<GidEntry> gids,
        Map<Integer, String> interfaces,
        Optional<String> networkInterface,
        Optional<Bond> bond,
        Optional<PortFacts> facts) {
    /** Copies list and map. */
    public RdmaPort {
        gids = List.copyOf(gids);
        interfaces = Map.copyOf(interfaces);
    }

    /** Returns the name, such as {@code mlx5_0/1}, as rdma(8) writes it. */
    public String name() {
        return device + "/" + number;
    }

    /** Returns whether it carries data. */
    public boolean isActive() {
        return state.equals("ACTIVE");
    }

    /** Returns whether it is an InfiniBand port. */
    public boolean isInfiniBand() {
        return linkLayer.equals("InfiniBand");
    }

    /** Returns whether its packets are Ethernet packets. */
    public boolean isEthernet() {
        return linkLayer.equals("Ethernet");
    }
}
