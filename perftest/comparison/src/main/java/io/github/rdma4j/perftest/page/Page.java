// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import com.samskivert.mustache.Mustache;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The page: one HTML document that loads nothing. Its policy lets the browser run only the scripts in it, identified by
 * their hashes, and not even a script that is smuggled in by a document.
 */
final class Page {
    /** The path of the chart library in the class path; its version is the one in the project's pom.xml. */
    static final String ECHARTS = "META-INF/resources/_static/echarts/6.0.0/dist/echarts.common.min.js";

    private final List<Document> documents;
    private final Optional<MachineModel> machine;
    private final List<Chapter> chapters;
    private final List<Chart> charts = new ArrayList<>();

    /**
     * @param documents at least one, with different names
     */
    Page(List<Document> documents) {
        this(documents, Optional.empty());
    }

    /**
     * Creates a page with the limits of a machine.
     *
     * @param machine the machine; empty for none
     */
    Page(List<Document> documents, Optional<MachineModel> machine) {
        this.documents = documents;
        this.machine = machine;
        this.chapters = Chapters.of(documents);
    }

    /**
     * Creates the page.
     *
     * @param documents at least one, with different names
     * @param title null for the usual one
     * @throws IOException when a part of the program is missing
     */
    static String of(List<Document> documents, String title) throws IOException {
        return of(documents, title, Optional.empty());
    }

    /** Creates the page with the limits of a machine. */
    static String of(List<Document> documents, String title, Optional<MachineModel> machine) throws IOException {
        return new Page(documents, machine).text(title);
    }

    private String text(String title) throws IOException {
        String echarts = resource(Page.class.getClassLoader().getResourceAsStream(ECHARTS), ECHARTS);
        String axes = own("axes.js");
        String script = own("report.js");
        Map<String, Object> model = model(title);
        model.put("version", BuildInfo.version());
        model.put("style", own("report.css"));
        model.put("echarts", echarts);
        model.put("axes", axes);
        model.put("script", script);
        model.put("scriptHashes", hash(echarts) + " " + hash(axes) + " " + hash(script));
        return Mustache.compiler()
                .emptyStringIsFalse(true)
                .defaultValue("")
                .withLoader(name -> new StringReader(own(name + ".html")))
                .compile(own("report.html"))
                .execute(model);
    }

    /** Returns the values that the template reads. */
    Map<String, Object> model(String title) throws IOException {
        Map<String, Object> model = new HashMap<>();
        model.put("title", title == null ? Wording.title(documents) : title);
        model.put("conditions", conditions());
        List<String> caveats = Caveats.of(documents, chapters);
        model.put("caveats", caveats);
        model.put("warned", !caveats.isEmpty());
        model.put("notes", Notes.of(chapters));
        model.put("glance", Tables.glance(chapters).model());
        List<Map<String, Object>> parts = new ArrayList<>();
        for (int i = 0; i < chapters.size(); i++) {
            parts.add(chapter(i));
        }
        model.put("chapters", parts);
        model.put("several", chapters.size() > 1);
        model.put("environment", environment().model());
        model.put("settings", settings().stream().map(Table::model).toList());
        model.put("data", ChartJson.of(charts));
        return model;
    }

    private List<Map<String, Object>> conditions() {
        return documents.stream()
                .map(document -> Map.<String, Object>of(
                        "name",
                        documents.size() > 1 ? document.name() + ": " : "",
                        "text",
                        Wording.conditions(document)))
                .toList();
    }

    private Map<String, Object> chapter(int number) {
        Chapter chapter = chapters.get(number);
        List<Map<String, Object>> figures = new ArrayList<>();
        for (Chart chart : Charts.of(chapter, Guides.of(chapter, machine))) {
            figures.add(figure(chapter, chart));
            charts.add(chart);
        }
        Map<String, Object> model = new HashMap<>();
        model.put("id", "chapter-" + (number + 1));
        model.put("title", chapter.title());
        model.put("settings", Wording.settings(chapter));
        model.put("figures", figures);
        model.put("tables", Tables.of(chapter).stream().map(Table::model).toList());
        return model;
    }

    private Map<String, Object> figure(Chapter chapter, Chart chart) {
        List<Map<String, Object>> panels = new ArrayList<>();
        for (int i = 0; i < chart.panels().size(); i++) {
            panels.add(Map.of("value", i, "label", chart.panels().get(i).label()));
        }
        boolean choose = panels.size() > 1;
        Map<String, Object> model = new HashMap<>();
        model.put("id", charts.size());
        model.put("title", chart.title());
        model.put("choice", chart.choice());
        model.put("choose", choose);
        String label = chart.panels().getFirst().label();
        model.put("only", choose || chart.title().startsWith(label) ? "" : label);
        model.put("scaled", chart.kind() != Chart.Kind.BARS);
        model.put("panels", panels);
        model.put("alternative", Alternative.of(chapter, chart));
        return model;
    }

    /** Returns a table of the documents' environments: a row per property, a column per document. */
    private Table environment() {
        List<String> columns = new ArrayList<>(List.of("Environment"));
        documents.forEach(document -> columns.add(document.name()));
        Table table = new Table("Where it was measured", columns);
        Set<String> keys = new LinkedHashSet<>();
        documents.forEach(document -> keys.addAll(document.environment().keySet()));
        for (String key : keys) {
            table.row().text(key);
            documents.forEach(document -> {
                String value = document.environment(key);
                table.longText(value.isEmpty() ? "–" : value);
            });
        }
        return table;
    }

    /** All settings of all tests: a table per chapter, a row per setting, a column per series. */
    private List<Table> settings() {
        List<Table> tables = new ArrayList<>();
        for (Chapter chapter : chapters) {
            List<String> columns = new ArrayList<>(List.of(chapter.title()));
            chapter.series().forEach(line -> columns.add(line.name()));
            Table table = new Table("What was run: " + chapter.title(), columns);
            Set<String> keys = chapter.series().stream()
                    .flatMap(line -> line.test().settings().keySet().stream())
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            for (String key : keys) {
                table.row().text(key);
                chapter.series().forEach(line -> {
                    String value = line.test().setting(key);
                    table.longText(value.isEmpty() ? "–" : value);
                });
            }
            tables.add(table);
        }
        return tables;
    }

    /** Returns the hash of a script for a Content-Security-Policy. */
    private static String hash(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Returns a file of this package. */
    static String own(String name) throws IOException {
        return resource(Page.class.getResourceAsStream(name), name);
    }

    private static String resource(InputStream stream, String name) throws IOException {
        if (stream == null) {
            throw new IOException(name + " is missing on the class path");
        }
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
