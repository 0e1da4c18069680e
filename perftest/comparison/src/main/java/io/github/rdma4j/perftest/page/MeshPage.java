// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import com.samskivert.mustache.Mustache;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.Unreadable;
import io.github.rdma4j.perftest.figures.HeatScale;
import io.github.rdma4j.perftest.figures.MedianInterval;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The page of a mesh: what stands out, and a heat map for each metric. It needs no script. */
final class MeshPage {
    private static final String PAIRS = "pairs";
    private static final String GPU = "gpu";

    private final JsonObject root;
    private final JsonObject mesh;
    private final List<JsonObject> hosts;

    private MeshPage(JsonObject root, JsonObject mesh) {
        this.root = root;
        this.mesh = mesh;
        this.hosts = mesh.objects("hosts");
    }

    /** The figure and the colour of a cell. */
    private record Cell(double median, boolean failed) {}

    /**
     * Creates the page.
     *
     * @param title null for the usual one
     * @return empty if the document is no mesh
     * @throws ReportException when the document cannot be read, or is invalid
     */
    static Optional<String> of(Path file, String title) throws IOException {
        JsonObject root;
        try {
            root = JsonTree.read(file);
        } catch (IOException failure) {
            throw new ReportException(Unreadable.sentence(file, failure), "");
        }
        JsonObject mesh = root.object("mesh");
        if (mesh == null) {
            return Optional.empty();
        }
        ResultsReader.checkSchema(file, root);
        return Optional.of(new MeshPage(root, mesh).text(title));
    }

    private String text(String title) throws IOException {
        Map<String, Object> model = new HashMap<>();
        model.put("title", title == null ? "Mesh of " + hosts.size() + " hosts" : title);
        model.put("version", BuildInfo.version());
        model.put("style", Page.own("report.css"));
        model.put("conditions", conditions());
        model.put(
                "findings",
                mesh.objects("findings").stream()
                        .map(finding -> Map.of("text", words(finding, "text"), "remedy", words(finding, "remedy")))
                        .toList());
        List<Map<String, Object>> maps = new ArrayList<>(List.of(
                map("host", "t_typical", "Latency [usec]", false),
                map("host", "BW_average", "Bandwidth [MiB/s], from row to column", true)));
        if (hosts.stream().anyMatch(host -> host.has("gpu"))) {
            maps.add(map(GPU, "t_typical", "GPU memory latency [usec]", false));
            maps.add(map(GPU, "BW_average", "GPU memory bandwidth [MiB/s], from row to column", true));
        }
        model.put("maps", maps);
        model.put("hosts", hosts().model());
        return Mustache.compiler()
                .emptyStringIsFalse(true)
                .defaultValue("")
                .withLoader(name -> new StringReader(Page.own(name + ".html")))
                .compile(Page.own("mesh.html"))
                .execute(model);
    }

    private static String words(JsonObject object, String name) {
        String text = object.text(name);
        return text == null ? "" : text;
    }

    private String conditions() {
        String state = words(root, "state");
        return "%s; %s%s"
                .formatted(
                        words(root, "started"), words(mesh, "launcher"), state.equals("complete") ? "" : "; " + state);
    }

    /** Returns a heat map. */
    private Map<String, Object> map(String memory, String metric, String title, boolean higherIsBetter) {
        int n = hosts.size();
        Cell[][] cells = new Cell[n][n];
        List<Double> medians = new ArrayList<>();
        for (JsonObject pair : mesh.objects(PAIRS)) {
            boolean failed = pair.has("failure");
            int[] ranks = ranks(pair);
            cells[ranks[0]][ranks[1]] = new Cell(Double.NaN, failed);
            cells[ranks[1]][ranks[0]] = new Cell(Double.NaN, failed);
            for (JsonObject result : pair.objects("results")) {
                if (metric.equals(result.text("metric")) && memory.equals(result.text("memory"))) {
                    Cell cell = new Cell(result.number("median"), false);
                    int from = rank(result, "from");
                    int to = rank(result, "to");
                    cells[from][to] = cell;
                    if (!higherIsBetter) {
                        cells[to][from] = cell;
                    }
                    medians.add(cell.median);
                }
            }
        }
        MedianInterval median = MedianInterval.of(
                medians.stream().mapToDouble(Double::doubleValue).toArray());
        List<String> columns = new ArrayList<>(List.of("", ""));
        for (int to = 0; to < n; to++) {
            columns.add(to + ">");
        }
        Table table = new Table(title, columns);
        for (int from = 0; from < n; from++) {
            table.row().number(Integer.toString(from)).text(words(hosts.get(from), "name"));
            for (int to = 0; to < n; to++) {
                heat(table, cells[from][to], median.median(), higherIsBetter);
            }
        }
        Map<String, Object> model = new HashMap<>();
        model.put("id", memory + "-" + metric);
        model.put("title", title);
        model.put(
                "note",
                Double.isNaN(median.median())
                        ? "nothing was measured"
                        : "median " + HeatScale.number(median.median())
                                + (median.isBounded()
                                        ? ", 95 % interval " + HeatScale.number(median.low()) + " to "
                                                + HeatScale.number(median.high())
                                        : "")
                                + "; colours from %s, %s and %s times as bad as the median on"
                                        .formatted(HeatScale.LIMITS.toArray()));
        model.put("table", table.model());
        return model;
    }

    private static void heat(Table table, Cell cell, double median, boolean higherIsBetter) {
        if (cell == null || Double.isNaN(cell.median)) {
            table.heat(cell != null && cell.failed ? "failed" : "", cell != null && cell.failed ? "failed" : "");
            return;
        }
        double badness = higherIsBetter ? median / cell.median : cell.median / median;
        table.heat(HeatScale.number(cell.median), "heat" + HeatScale.step(badness));
    }

    private int[] ranks(JsonObject pair) {
        return new int[] {rank(pair, "a"), rank(pair, "b")};
    }

    private int rank(JsonObject object, String name) {
        long rank = object.whole(name);
        if (rank >= hosts.size()) {
            throw object.wrong(name, "is not the number of a host");
        }
        return (int) rank;
    }

    private Table hosts() {
        Table table = new Table("Hosts", List.of("", "name", "address", "device", "GPU memory", "state"));
        for (int i = 0; i < hosts.size(); i++) {
            JsonObject host = hosts.get(i);
            table.row()
                    .number(Integer.toString(i))
                    .text(words(host, "name"))
                    .text(words(host, "address"))
                    .text(words(host, "device"))
                    .longText(
                            host.has(GPU)
                                    ? words(host, GPU) + ", " + words(host, "gpu_path")
                                    : host.has("gpu_reason") ? "none" : "")
                    .longText(host.has("failure") ? words(host, "failure") : "measured");
        }
        return table;
    }
}
