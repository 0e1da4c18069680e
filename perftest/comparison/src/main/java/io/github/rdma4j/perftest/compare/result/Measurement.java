// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of one run.
 *
 * @param implementation the implementation that ran
 * @param output its output
 * @param figures the relevant figures, under the keys of the C tools' JSON
 * @param seconds the duration of the run, including its handshake, and for C the start of the processes
 * @param messages messages of the whole run, both directions together; 0 if unknown
 * @param cpu the CPU time of the whole run
 * @param latency all latency samples; null if there are none
 */
public record Measurement(
        Implementation implementation,
        ToolOutput output,
        Map<String, Double> figures,
        double seconds,
        long messages,
        CpuUse cpu,
        LatencyFigures latency) {
    private static final double MICROSECOND = 1e3;

    /** Parses a measurement from the output. */
    public static Measurement of(Implementation implementation, ToolOutput output) {
        return new Measurement(implementation, output, output.figures(), 0, 0, CpuUse.UNKNOWN, null);
    }

    /** Returns this measurement with figures that are more exact than the printed ones. */
    public Measurement with(Map<String, Double> exact) {
        Map<String, Double> merged = new LinkedHashMap<>(figures);
        merged.putAll(exact);
        return new Measurement(implementation, output, merged, seconds, messages, cpu, latency);
    }

    /** Returns this measurement with its duration. */
    public Measurement taking(double time) {
        return new Measurement(implementation, output, figures, time, messages, cpu, latency);
    }

    /** Returns this measurement with all samples. */
    public Measurement with(LatencyFigures all) {
        return new Measurement(implementation, output, figures, seconds, messages, cpu, all);
    }

    /** Returns this measurement with the CPU time, from {@link CpuTime}, that its processes used for the messages. */
    public Measurement using(long sent, long processes) {
        CpuUse used = CpuUse.of(processes, CpuTime.UNKNOWN);
        return new Measurement(implementation, output, figures, seconds, sent, used, latency);
    }

    /** Returns this measurement with the CPU time of the whole machine, from {@link CpuTime}. */
    public Measurement besides(long machine) {
        CpuUse used =
                new CpuUse(cpu.processes(), CpuUse.of(CpuTime.UNKNOWN, machine).machine());
        return new Measurement(implementation, output, figures, seconds, messages, used, latency);
    }

    /** Returns this measurement with the smaller CPU time of two. */
    public Measurement withLeast(CpuUse other) {
        return new Measurement(implementation, output, figures, seconds, messages, cpu.least(other), latency);
    }

    /**
     * Returns this measurement with the cost of a message as figures.
     *
     * @param fewer a run with fewer messages; null if this run has no overhead besides its messages
     */
    public Measurement costingMoreThan(Measurement fewer) {
        CpuUse base = fewer == null ? new CpuUse(0, 0) : fewer.cpu;
        long more = messages - (fewer == null ? 0 : fewer.messages);
        if (more <= 0) {
            return this;
        }
        CpuUse each = cpu.perMessage(base, more);
        return with(Map.of(
                Metric.CPU_PER_MESSAGE.key(), each.processes() / MICROSECOND,
                Metric.MACHINE_PER_MESSAGE.key(), each.machine() / MICROSECOND));
    }

    /** Returns the message size in bytes that was sent; the requested size if the output does not contain it. */
    public long bytes(long asked) {
        Double sent = figures.get("bytes");
        return sent == null ? asked : sent.longValue();
    }

    /** Returns the keys of the measured figures, without size, number of messages and costs. */
    public List<String> columns() {
        List<String> other =
                List.of("bytes", "iterations", Metric.CPU_PER_MESSAGE.key(), Metric.MACHINE_PER_MESSAGE.key());
        return figures.keySet().stream().filter(key -> !other.contains(key)).toList();
    }

    /**
     * Returns a compared figure.
     *
     * @throws CompareException when the tool did not print it, or printed something else than a number
     */
    public double figure(Metric metric) {
        double value = figureOrNaN(metric);
        if (Double.isNaN(value)) {
            throw new CompareException(
                    implementation.title() + " printed no usable " + metric.key() + ": '"
                            + output.row().strip() + "'",
                    "run more messages: -n");
        }
        return value;
    }

    /** Returns a figure; NaN when it is missing. */
    double figureOrNaN(Metric metric) {
        Double value = figures.get(metric.key());
        return value == null || !(value > 0) || value.isInfinite() ? Double.NaN : value;
    }
}
