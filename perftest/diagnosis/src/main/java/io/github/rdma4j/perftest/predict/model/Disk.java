// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/**
 * Disks over which one file is striped.
 *
 * @param name for people
 * @param drives how many
 * @param pci the link of each
 * @param reads 10⁹ byte/s that each reads
 * @param latency microseconds of a small read
 */
public record Disk(String name, int drives, PciExpress pci, double reads, double latency) {
    /** Refuses invalid values. */
    public Disk {
        Ranges.within("drives", drives, 1, 1024);
        Ranges.positive("reads", reads);
        Ranges.notNegative("latency", latency);
    }
}
