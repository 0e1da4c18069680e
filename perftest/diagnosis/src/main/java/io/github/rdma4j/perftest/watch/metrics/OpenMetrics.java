// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.metrics;

import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import io.github.rdma4j.perftest.watch.resource.QueuePairs;
import io.github.rdma4j.perftest.watch.resource.Reading;
import io.github.rdma4j.perftest.watch.sample.Flow;
import io.github.rdma4j.perftest.watch.sample.PortSample;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** Samples as OpenMetrics text, version 1.0.0, which Prometheus and its relatives read. */
public final class OpenMetrics {
    /** Its media type. */
    public static final String TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private final StringBuilder text = new StringBuilder();

    private OpenMetrics() {}

    /**
     * Returns the whole text.
     *
     * @param samples of the ports
     * @param queuePairs the queue pairs that the kernel reports; without a report there are no lines about them
     */
    public static String of(List<PortSample> samples, Reading queuePairs) {
        OpenMetrics metrics = new OpenMetrics();
        metrics.link(samples);
        metrics.flow(samples, Flow.RECEIVED_BYTES, "rdma4j_port_receive_bytes", "bytes", "Bytes that came in.");
        metrics.flow(samples, Flow.SENT_BYTES, "rdma4j_port_transmit_bytes", "bytes", "Bytes that went out.");
        metrics.flow(samples, Flow.RECEIVED_PACKETS, "rdma4j_port_receive_packets", "packets", "Packets that came in.");
        metrics.flow(samples, Flow.SENT_PACKETS, "rdma4j_port_transmit_packets", "packets", "Packets that went out.");
        metrics.troubles(samples);
        metrics.queuePairs(
                "rdma4j_queue_pairs", "Queue pairs, by the program that has them.", queuePairs, QueuePairs::count);
        metrics.queuePairs("rdma4j_queue_pairs_failed", "Those in state SQE or ERR.", queuePairs, QueuePairs::inError);
        return metrics.text.append("# EOF\n").toString();
    }

    private void link(List<PortSample> samples) {
        family("rdma4j_port", "info", "", "A port of an RDMA device.");
        for (PortSample sample : samples) {
            line(
                    "rdma4j_port_info",
                    labels(sample) + label("link_layer", sample.linkLayer()) + label("rate", sample.rate()),
                    1);
        }
        family("rdma4j_port_active", "gauge", "", "Whether the port carries data: 1 yes, 0 no.");
        for (PortSample sample : samples) {
            line("rdma4j_port_active", labels(sample), sample.isActive() ? 1 : 0);
        }
    }

    private void flow(List<PortSample> samples, Flow flow, String name, String unit, String help) {
        family(name, "counter", unit, help);
        for (PortSample sample : samples) {
            Long value = sample.flows().get(flow);
            if (value != null) {
                line(name + "_total", labels(sample), value);
            }
        }
    }

    private void troubles(List<PortSample> samples) {
        family(
                "rdma4j_port_trouble",
                "counter",
                "",
                "Loss, congestion and errors, by the driver's name for its counter.");
        for (PortSample sample : samples) {
            for (Map.Entry<String, Long> trouble : sample.troubles().entrySet()) {
                String kind = CounterMeaning.of(trouble.getKey())
                        .map(meaning -> meaning.name().toLowerCase(Locale.ROOT))
                        .orElse("");
                line(
                        "rdma4j_port_trouble_total",
                        labels(sample) + label("counter", trouble.getKey()) + label("kind", kind),
                        trouble.getValue());
            }
        }
    }

    /** Processes of one name are one: a number of each would be a new series with each start. */
    private void queuePairs(String name, String help, Reading reading, ToIntFunction<QueuePairs> value) {
        Map<String, Integer> sums = new TreeMap<>();
        for (QueuePairs one : reading.queuePairs()) {
            sums.merge(
                    label("device", one.device()) + label("owner", one.program()), value.applyAsInt(one), Integer::sum);
        }
        family(name, "gauge", "", help);
        sums.forEach((labels, sum) -> line(name, labels, sum));
    }

    private void family(String name, String type, String unit, String help) {
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        if (!unit.isEmpty()) {
            text.append("# UNIT ").append(name).append(' ').append(unit).append('\n');
        }
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    }

    private void line(String name, String labels, long value) {
        text.append(name)
                .append('{')
                .append(labels, 0, labels.length() - 1)
                .append("} ")
                .append(value)
                .append('\n');
    }

    private static String labels(PortSample sample) {
        return label("device", sample.device()) + label("port", Integer.toString(sample.port()));
    }

    /** Returns a label, followed by a comma. */
    private static String label(String name, String value) {
        return name + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\",";
    }
}
