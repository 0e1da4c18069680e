// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.Optional;

/**
 * An RDMA adapter, and the cost of the software that drives it.
 *
 * @param name for people
 * @param network its link
 * @param pci its PCI link; empty for a software device
 * @param latency microseconds of an empty message, one way
 * @param message microseconds of the sender for each message that do not overlap with other work: the inverse of the
 *     message rate
 * @param packet likewise for each packet: 0 if hardware makes packets
 * @param kibibyte likewise for each 1024 bytes: 0 if hardware moves data
 * @param processor microseconds of a CPU for each message: posting it, and polling its completion
 */
public record Adapter(
        String name,
        NetworkLink network,
        Optional<PciExpress> pci,
        double latency,
        double message,
        double packet,
        double kibibyte,
        double processor) {
    private static final double LEAST = 1e-6;

    /** Refuses invalid values. */
    public Adapter {
        Ranges.notNegative("latency", latency);
        Ranges.notNegative("message", message);
        Ranges.notNegative("packet", packet);
        Ranges.notNegative("kibibyte", kibibyte);
        Ranges.notNegative("processor", processor);
        if (pci.isEmpty() && !network.hasLimit() && packet + kibibyte < LEAST) {
            throw new IllegalArgumentException(
                    "nothing limits the adapter: it needs pci, gigabits, packet or kibibyte");
        }
    }

    /** Returns whether software makes its packets, so that the CPU limits it. */
    public boolean isSoftware() {
        return pci.isEmpty();
    }
}
