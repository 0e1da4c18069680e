// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.options.Tool;
import java.util.List;

/** The compared metrics. */
public enum Metric {
    /** Median of half the round trip. */
    TYPICAL_LATENCY("t_typical", "t_typical [usec]", true, 2),

    /** Mean of half the round trip. */
    AVERAGE_LATENCY("t_avg", "t_avg [usec]", true, 2),

    /** Half of the 99th percentile of the round trip: interruptions of a program show here. */
    PERCENTILE_99("percentile_99", "99% [usec]", true, 2),

    /** Bytes divided by the time from the first post to the last completion. */
    AVERAGE_BANDWIDTH("BW_average", "BW average [MiB/s]", false, 2),

    /** Messages per second. */
    MESSAGE_RATE("MsgRate", "MsgRate [Mpps]", false, 6),

    /** CPU time of the processes of both ends, per message. */
    CPU_PER_MESSAGE("cpu_per_message", "CPU/message [usec]", true, 2),

    /** The busy time of all processors of the machine, per message. */
    MACHINE_PER_MESSAGE("machine_per_message", "machine/msg [usec]", true, 2);

    private final String key;
    private final String title;
    private final boolean lowerIsBetter;
    private final int decimals;

    Metric(String key, String title, boolean lowerIsBetter, int decimals) {
        this.key = key;
        this.title = title;
        this.lowerIsBetter = lowerIsBetter;
        this.decimals = decimals;
    }

    /** Returns the metrics of a tool; expectations are about the first one. */
    public static List<Metric> of(Tool tool) {
        return tool.isLatency() ? List.of(TYPICAL_LATENCY, AVERAGE_LATENCY) : List.of(AVERAGE_BANDWIDTH, MESSAGE_RATE);
    }

    /** Returns the costs of a message; a run without them is still valid. */
    public static List<Metric> costs() {
        return List.of(CPU_PER_MESSAGE, MACHINE_PER_MESSAGE);
    }

    /** Returns the key in the C tools' JSON, or a similar one. */
    public String key() {
        return key;
    }

    /** Returns name and unit, as printed. */
    public String title() {
        return title;
    }

    /** Returns whether less is better. */
    public boolean lowerIsBetter() {
        return lowerIsBetter;
    }

    /** Returns the number of decimals that the C tools print. */
    public int decimals() {
        return decimals;
    }
}
