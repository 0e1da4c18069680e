// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import java.util.function.ToDoubleFunction;

/** The compared metrics, with their names in results documents. */
public enum EchoMetric {
    /** Messages per second that were answered. */
    REACHED("rate_reached", false, one -> one.perSecond()),

    /** Median latency in microseconds. */
    MEDIAN("t_typical", true, one -> one.latency().median()),

    /** 99th percentile of the latency in microseconds. */
    PERCENTILE_99("percentile_99", true, one -> one.latency().percentile(99)),

    /** User time of the server in nanoseconds of a message. */
    SERVER_USER("server_user_ns_per_message", true, one -> one.cost().serverUser()),

    /** System time of the server in nanoseconds of a message. */
    SERVER_SYSTEM("server_system_ns_per_message", true, one -> one.cost().serverSystem()),

    /** User time of the client in nanoseconds of a message. */
    CLIENT_USER("client_user_ns_per_message", true, one -> one.cost().clientUser()),

    /** System time of the client in nanoseconds of a message. */
    CLIENT_SYSTEM("client_system_ns_per_message", true, one -> one.cost().clientSystem()),

    /** The busy time of all processors, in nanoseconds per message. */
    MACHINE("machine_ns_per_message", true, one -> one.cost().machine());

    private final String key;
    private final boolean lowerIsBetter;
    private final ToDoubleFunction<EchoMeasurement> of;

    EchoMetric(String key, boolean lowerIsBetter, ToDoubleFunction<EchoMeasurement> of) {
        this.key = key;
        this.lowerIsBetter = lowerIsBetter;
        this.of = of;
    }

    /** Returns the key in results documents. */
    public String key() {
        return key;
    }

    /** Returns whether less is better. */
    public boolean lowerIsBetter() {
        return lowerIsBetter;
    }

    /** Returns the figure of a measurement; NaN if unknown. */
    public double of(EchoMeasurement measurement) {
        return of.applyAsDouble(measurement);
    }
}
