// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.Locale;
import java.util.Optional;

/**
 * An RDMA device and where it sits.
 *
 * @param name such as {@code mlx5_0}
 * @param function its PCI function; empty for a device of software, such as SoftRoCE
 * @param rate the nominal rate of its fastest port, in Gbit/s, or of the bond that the port is; 0 if not known
 * @since 0.1.0
 */
public record RdmaAdapter(String name, Optional<PciFunction> function, double rate) {
    /** {@return whether it is one without hardware: its packets are made by the processor} */
    public boolean isSoftware() {
        return function.isEmpty();
    }

    /**
     * What can go in and out of it each way: the lesser of what its PCI Express link carries and its port's rate.
     *
     * @return in Gbit/s; 0 if neither is known
     */
    public double bandwidth() {
        double link = function.map(PciFunction::link)
                .map(found -> found.bandwidth() > 0 ? found.bandwidth() : found.maxBandwidth())
                .orElse(0.0);
        return link == 0 || rate == 0 ? Math.max(link, rate) : Math.min(link, rate);
    }

    /** {@return name, function and rate in one line} */
    @Override
    public String toString() {
        return name + " ("
                + function.map(PciFunction::toString).orElse("software device")
                + (rate > 0 ? String.format(Locale.ROOT, ", port %.0f Gbit/s", rate) : "") + ")";
    }
}
