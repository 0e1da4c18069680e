// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;

/** The charts as JSON in a script element. */
final class ChartJson {
    private static final double PRECISION = 1e6;

    private ChartJson() {}

    /** The charts as an array; it contains no character that could end or open an element. */
    static String of(List<Chart> charts) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartArray();
            for (Chart chart : charts) {
                write(json, chart);
            }
            json.writeEndArray();
        }
        // Outside of strings JSON has none of these characters, and inside a string they may be escaped.
        return text.toString().replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
    }

    private static void write(JsonGenerator json, Chart chart) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", chart.kind().name().toLowerCase(Locale.ROOT));
        json.writeStringField("title", chart.title());
        json.writeStringField("unit", chart.unit());
        json.writeNumberField("decimals", Metric.decimals(chart.unit()));
        json.writeArrayFieldStart("guides");
        for (Chart.Guide guide : chart.guides()) {
            json.writeStartObject();
            json.writeStringField("name", guide.name());
            points(json, "points", guide.points());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("panels");
        for (Chart.Panel panel : chart.panels()) {
            json.writeStartObject();
            json.writeStringField("label", panel.label());
            json.writeArrayFieldStart("lines");
            for (Chart.Line line : panel.lines()) {
                json.writeStartObject();
                json.writeStringField("name", line.name());
                json.writeStringField("party", line.series().party().key());
                json.writeNumberField("variant", line.series().variant());
                json.writeBooleanField("complete", line.complete());
                points(json, "points", line.points());
                points(json, "rounds", line.rounds());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void points(JsonGenerator json, String name, List<double[]> points) throws IOException {
        json.writeArrayFieldStart(name);
        for (double[] point : points) {
            json.writeStartArray();
            for (double coordinate : point) {
                number(json, coordinate);
            }
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private static void number(JsonGenerator json, double value) throws IOException {
        double rounded = Math.abs(value) < 1e9 ? Math.round(value * PRECISION) / PRECISION : value;
        if (rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15) {
            json.writeNumber((long) rounded);
        } else {
            json.writeNumber(rounded);
        }
    }
}
