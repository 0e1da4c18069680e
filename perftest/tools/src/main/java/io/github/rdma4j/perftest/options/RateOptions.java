// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;

/** The rate limit of a bandwidth test: as in the C tools, bursts of messages at a constant interval. */
public final class RateOptions {
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIGABIT_IN_BYTES = 125e6;

    private Double rate;
    private String units;
    private String type;
    private int burst;

    void declare(OptionList options) {
        options.value(Double.class, "--rate_limit")
                .label("<rate>")
                .onlyFor(ToolSet.BANDWIDTH, ToolSet.WRITE_OR_READ)
                .description("Limit the rate to this, over all queue pairs, in bursts (see --rate_units).")
                .into(value -> rate = value);
        options.value(String.class, "--rate_units")
                .label("<units>")
                .onlyFor(ToolSet.BANDWIDTH, ToolSet.WRITE_OR_READ)
                .ignoredElsewhere()
                .description("Unit of --rate_limit: M (MiB/sec), g (Gb/sec) or p (messages/sec) (default g).")
                .into(value -> units = value);
        options.value(String.class, "--rate_limit_type")
                .label("<type>")
                .onlyFor(ToolSet.BANDWIDTH, ToolSet.WRITE_OR_READ)
                .description("The rate limiter: SW, this program (default).")
                .into(value -> type = value);
        options.number("--burst_size")
                .label("<num>")
                .within(0, 1_000_000)
                .onlyFor(ToolSet.BANDWIDTH, ToolSet.WRITE_OR_READ)
                .alwaysElsewhere(0)
                .description("Messages of a burst (default, and 0: the transmit depth).")
                .initially(0)
                .into(value -> burst = value);
    }

    /** Returns whether there is a limit. */
    public boolean limited() {
        return rate != null;
    }

    /** Returns how many messages of this size are sent per second, over all queue pairs. */
    public double messagesPerSecond(long size) {
        return switch (unit()) {
            case "M" -> rate * MEBIBYTE / size;
            case "p" -> rate;
            default -> rate * GIGABIT_IN_BYTES / size;
        };
    }

    /** Messages of a burst; 0 for the default. */
    int burst() {
        return burst;
    }

    private String unit() {
        return units != null ? units : "g";
    }

    void check(int list, boolean events, Adjustments adjustments) {
        IllegalParameterException.when(
                type != null && !type.equals("SW"),
                "--rate_limit_type: "
                        + switch (String.valueOf(type)) {
                            case "HW" ->
                                "HW is the static rate of InfiniBand paths, which Ethernet ports do not keep to";
                            case "PP" -> "PP is the packet pacing of raw Ethernet queue pairs";
                            default -> "'" + type + "' is no type";
                        }
                        + "; allowed is SW");
        IllegalParameterException.when(
                rate == null && (type != null || burst != 0),
                "--rate_limit_type and --burst_size are for a limited rate: give --rate_limit");
        adjustments.when(rate == null && units != null, "--rate_units has no effect without --rate_limit");
        IllegalParameterException.when(
                rate != null && !(rate > 0 && rate <= 1e12),
                "--rate_limit: " + rate + " is out of range; allowed is above 0");
        IllegalParameterException.when(
                !"M".equals(unit()) && !"g".equals(unit()) && !"p".equals(unit()),
                "--rate_units: '" + unit() + "' is no unit; allowed is M, g or p");
        IllegalParameterException.when(
                burst % list != 0,
                "--burst_size: " + burst + " is not allowed; a multiple of " + list
                        + ", the messages of a list (-l/--post_list)");
        IllegalParameterException.when(
                rate != null && events,
                "--rate_limit and -e/--events exclude each other: a sleeping program misses its bursts");
    }
}
