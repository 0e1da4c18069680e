// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Ends of a test that spin while they wait, and so need a CPU each. */
public final class SpinningEnds {
    private SpinningEnds() {}

    /**
     * Warns if there are too few CPUs.
     *
     * @param ends how many spin on this machine
     * @param cpus how many can be kept busy
     * @return a sentence and what to do; empty if there are enough
     */
    public static String shortage(int ends, double cpus) {
        if (cpus >= ends) {
            return "";
        }
        String number = BigDecimal.valueOf(cpus)
                .setScale(2, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
        return (ends == 1 ? "1 end spins" : ends + " ends spin") + " on this machine, with " + number + " CPU"
                + (cpus == 1 ? "" : "s") + " for " + (ends == 1 ? "it" : "them")
                + ": the times show the scheduler's time slices, not the network. Allow this process " + ends
                + " CPU" + (ends == 1 ? "" : "s") + " (taskset, the CPU limit of the container)"
                + (ends == 1 ? "." : ", or use two machines.");
    }
}
