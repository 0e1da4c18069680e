// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.Locale;
import java.util.Optional;

/**
 * An RDMA device and its position.
 *
 * @param name such as {@code mlx5_0}
 * @param function its PCI function; empty for a software device, such as SoftRoCE
 * @param rate the nominal rate of its fastest port, or of that port's bond, in Gbit/s; 0 if unknown
 * @since 0.1.0
 */
public record RdmaAdapter(String name, Optional<PciFunction> function, double rate) {
    /** {@return whether it is a software device, whose packets the CPU makes} */
    public boolean isSoftware() {
        return function.isEmpty();
    }

    /**
     * Returns its bandwidth in each direction: the lower one of its PCI Express link and its port.
     *
     * @return in Gbit/s; 0 if neither is known
     */
    public double bandwidth() {
        double link = function.map(PciFunction::link)
                .map(found -> found.bandwidth() > 0 ? found.bandwidth() : found.maxBandwidth())
                .orElse(0.0);
        return link == 0 || rate == 0 ? Math.max(link, rate) : Math.min(link, rate);
    }

    /** {@return the name, the function and the rate in one line} */
    @Override
    public String toString() {
        return name + " ("
                + function.map(PciFunction::toString).orElse("software device")
                + (rate > 0 ? String.format(Locale.ROOT, ", port %.0f Gbit/s", rate) : "") + ")";
    }
}
