// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Formats distances as an aligned table. */
final class TopologyMatrix {
    private static final String GAP = "  ";

    private TopologyMatrix() {}

    /** A row or column: its name and its function. */
    private record Entry(String name, Optional<PciFunction> function) {}

    static String of(Topology topology) {
        List<Entry> entries = entries(topology);
        List<List<String>> rows = new ArrayList<>();
        rows.add(Stream.concat(
                        Stream.concat(Stream.of(""), entries.stream().map(Entry::name)),
                        Stream.of("NUMA", "PCI address"))
                .toList());
        for (Entry row : entries) {
            List<String> cells = new ArrayList<>();
            cells.add(row.name());
            for (Entry column : entries) {
                cells.add(distance(topology, row, column).label());
            }
            cells.add(row.function()
                    .map(PciFunction::numaNode)
                    .filter(node -> node >= 0)
                    .map(Object::toString)
                    .orElse("-"));
            cells.add(row.function()
                    .map(PciFunction::address)
                    .map(Object::toString)
                    .orElse("-"));
            rows.add(cells);
        }
        return aligned(rows);
    }

    private static List<Entry> entries(Topology topology) {
        List<Entry> entries = new ArrayList<>();
        for (PciFunction gpu : topology.gpus()) {
            entries.add(new Entry("GPU" + entries.size(), Optional.of(gpu)));
        }
        for (RdmaAdapter adapter : topology.adapters()) {
            entries.add(new Entry(adapter.name(), adapter.function()));
        }
        return entries;
    }

    private static PciDistance distance(Topology topology, Entry row, Entry column) {
        if (row.equals(column)) {
            return PciDistance.SELF;
        }
        if (row.function().isEmpty() || column.function().isEmpty()) {
            return PciDistance.NONE;
        }
        PciDistance distance =
                topology.distance(row.function().get(), column.function().get());
        // Two devices of one function, such as scalable functions, are nearer than any two functions.
        return distance == PciDistance.SELF ? PciDistance.PIX : distance;
    }

    private static String aligned(List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width = rows.stream()
                        .mapToInt(each -> each.get(at).length())
                        .max()
                        .orElse(0);
                line.append(row.get(column))
                        .repeat(' ', width - row.get(column).length())
                        .append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
