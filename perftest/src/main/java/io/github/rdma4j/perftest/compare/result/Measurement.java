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
 * @param implementation whose it was
 * @param output what it printed
 * @param figures the figures that count, under the keys of the C tools' JSON
 * @param seconds how long the run took, with its handshake, and in C with the start of the processes
 * @param messages messages of the whole run, both directions together; 0 when not known
 * @param cpu used by the whole run
 * @param latency all samples of a latency; null where there are none
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

    /** Takes the figures from what was printed. */
    public static Measurement of(Implementation implementation, ToolOutput output) {
        return new Measurement(implementation, output, output.figures(), 0, 0, CpuUse.UNKNOWN, null);
    }

    /** This measurement with figures that are known better than they were printed. */
    public Measurement with(Map<String, Double> exact) {
        Map<String, Double> merged = new LinkedHashMap<>(figures);
        merged.putAll(exact);
        return new Measurement(implementation, output, merged, seconds, messages, cpu, latency);
    }

    /** This measurement with the time it took. */
    public Measurement taking(double time) {
        return new Measurement(implementation, output, figures, time, messages, cpu, latency);
    }

    /** This measurement with all samples. */
    public Measurement with(LatencyFigures all) {
        return new Measurement(implementation, output, figures, seconds, messages, cpu, all);
    }

    /** This measurement with the CPU time that its processes used for so many messages, of {@link CpuTime}. */
    public Measurement using(long sent, long processes) {
        CpuUse used = CpuUse.of(processes, CpuTime.UNKNOWN);
        return new Measurement(implementation, output, figures, seconds, sent, used, latency);
    }

    /** This measurement with the CPU time of the whole machine, of {@link CpuTime}. */
    public Measurement besides(long machine) {
        CpuUse used =
                new CpuUse(cpu.processes(), CpuUse.of(CpuTime.UNKNOWN, machine).machine());
        return new Measurement(implementation, output, figures, seconds, messages, used, latency);
    }

    /** This measurement with the lesser CPU time of two. */
    public Measurement withLeast(CpuUse other) {
        return new Measurement(implementation, output, figures, seconds, messages, cpu.least(other), latency);
    }

    /**
     * This measurement with what a message cost, as figures.
     *
     * @param fewer a run with fewer messages; null when this one has nothing around its messages
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

    /** Message size in bytes that was really sent; what was asked for where the output does not tell. */
    public long bytes(long asked) {
        Double sent = figures.get("bytes");
        return sent == null ? asked : sent.longValue();
    }

    /** The keys of what was measured, without size, number of messages and costs. */
    public List<String> columns() {
        List<String> other =
                List.of("bytes", "iterations", Metric.CPU_PER_MESSAGE.key(), Metric.MACHINE_PER_MESSAGE.key());
        return figures.keySet().stream().filter(key -> !other.contains(key)).toList();
    }

    /**
     * A figure that is compared.
     *
     * @throws CompareException when the tool did not print it, or something that is no figure
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

    /** A figure that may be missing; NaN then. */
    double figureOrNaN(Metric metric) {
        Double value = figures.get(metric.key());
        return value == null || !(value > 0) || value.isInfinite() ? Double.NaN : value;
    }
}
