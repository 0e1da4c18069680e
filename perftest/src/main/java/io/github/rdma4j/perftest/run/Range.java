// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

/** The numbers that a test takes, each with its option and the values that make sense on any device. */
public enum Range {
    /** TCP port. */
    PORT("-p/--port", 1, 65535),
    /** Port of the device. */
    DEVICE_PORT("-i/--ib-port", 1, 255),
    /** Message size in bytes; a verbs message has at most 2 GiB. */
    SIZE("-s/--size", 1, 1L << 31),
    /** Messages per queue pair. */
    ITERATIONS("-n/--iters", 5, 100_000_000),
    /** Seconds of a timed run. */
    DURATION("-D/--duration", 1, 1_000_000),
    /** Seconds at both ends of a timed run that are not measured. */
    MARGIN("-f/--margin", 0, 1_000_000),
    /** Index into the GID table. */
    GID_INDEX("-x/--gid-index", 0, 255),
    /** Path MTU; of these only powers of two. */
    MTU("-m/--mtu", 256, 4096),
    /** Queue pairs. */
    QUEUE_PAIRS("-q/--qp", 1, 16384),
    /** Most messages under way per queue pair. */
    TRANSMIT_DEPTH("-t/--tx-depth", 1, 15000),
    /** Messages up to so many bytes are sent inline. */
    INLINE_SIZE("-I/--inline_size", 0, 912),
    /** Local ACK timeout, 4.096 µs × 2^n; 0 is for ever, so that a dead peer would not be noticed. */
    QUEUE_PAIR_TIMEOUT("-u/--qp-timeout", 1, 31),
    /** Service level. */
    SERVICE_LEVEL("-S/--sl", 0, 15),
    /** Messages per completion. */
    COMPLETION_MODERATION("-Q/--cq-mod", 1, 1024),
    /** Seconds to wait for the peer. */
    TIMEOUT("--timeout", 1, 86_400),
    /** Seconds to wait for a run; 0 for no limit. */
    RUN_TIMEOUT("--run-timeout", 0, 1_000_000);

    private final String option;
    private final long least;
    private final long most;

    Range(String option, long least, long most) {
        this.option = option;
        this.least = least;
        this.most = most;
    }

    /** Short and long name of the option. */
    public String option() {
        return option;
    }

    /**
     * Reads a number, decimal or hexadecimal after 0x; a size may end in K or M.
     *
     * @throws IllegalParameterException when it is none, or out of range
     */
    public long parse(String text) {
        long factor = 1;
        String digits = text;
        if (this == SIZE && text.endsWith("K")) {
            factor = 1L << 10;
        } else if (this == SIZE && text.endsWith("M")) {
            factor = 1L << 20;
        }
        if (factor > 1) {
            digits = text.substring(0, text.length() - 1);
        }
        long value;
        try {
            value = digits.startsWith("0x") ? Long.parseLong(digits.substring(2), 16) : Long.parseLong(digits);
        } catch (NumberFormatException _) {
            throw new IllegalParameterException(
                    option + ": '" + text + "' is not a whole number; allowed is " + allowed());
        }
        if (value > most / factor) {
            throw notAllowed(text);
        }
        return check(value * factor);
    }

    long check(long value) {
        if (value < least || value > most) {
            throw notAllowed(Long.toString(value));
        }
        return value;
    }

    private IllegalParameterException notAllowed(String value) {
        return new IllegalParameterException(option + ": " + value + " is out of range; allowed is " + allowed());
    }

    private String allowed() {
        return this == MTU ? "256, 512, 1024, 2048 or 4096" : least + " to " + most;
    }
}
