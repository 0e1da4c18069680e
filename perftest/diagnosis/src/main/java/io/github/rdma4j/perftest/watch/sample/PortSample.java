// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The contents of a port's files at one time. Files that could not be read are missing.
 *
 * @param device such as {@code mlx5_0}
 * @param port from 1
 * @param state such as {@code ACTIVE}; empty if it could not be read
 * @param linkLayer {@code Ethernet} or {@code InfiniBand}; empty if it could not be read
 * @param rate such as {@code 100 Gb/sec (4X EDR)}; empty if it could not be read
 * @param flows bytes and packets since the driver was loaded
 * @param troubles counters that have a {@link CounterMeaning}, by the driver's name for them
 */
public record PortSample(
        String device,
        int port,
        String state,
        String linkLayer,
        String rate,
        Map<Flow, Long> flows,
        Map<String, Long> troubles) {
    /** Copies the maps; troubles are in the order of their names. */
    public PortSample {
        flows = Map.copyOf(flows);
        troubles = Collections.unmodifiableSortedMap(new TreeMap<>(troubles));
    }

    /** Returns the name, such as {@code mlx5_0/1}, as rdma(8) writes it. */
    public String name() {
        return device + "/" + port;
    }

    /** Returns whether it carries data. */
    public boolean isActive() {
        return state.equals("ACTIVE");
    }
}
