// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.Optional;

/**
 * An RDMA adapter, and what the software that drives it costs.
 *
 * @param name for people
 * @param network its link
 * @param pci how it hangs on its machine; empty for a device of software
 * @param latency microseconds of an empty message, one way
 * @param message microseconds of the sender for each message, which no other work hides: the inverse of the message
 *     rate
 * @param packet the same for each packet: 0 where hardware makes packets
 * @param kibibyte the same for each 1024 bytes: 0 where hardware moves data
 * @param processor microseconds of a processor for each message: posting it, and finding its completion
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

    /** Refuses what makes no sense. */
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

    /** Whether software makes its packets, so that the processor is what limits it. */
    public boolean isSoftware() {
        return pci.isEmpty();
    }
}
