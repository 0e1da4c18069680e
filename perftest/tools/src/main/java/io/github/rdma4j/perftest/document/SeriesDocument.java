// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunState;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A results document of a tool without a peer of the same tool: series of results, each with its settings.
 *
 * @param started the start time of the tool
 * @param seconds the duration
 * @param environment the environment
 * @param state how it ended
 * @param failure the failure that ended it, in words; null when it is complete
 * @param series in the order of their display
 */
public record SeriesDocument(
        Instant started, double seconds, Environment environment, RunState state, String failure, List<Series> series) {
    /** Copies the list. */
    public SeriesDocument {
        series = List.copyOf(series);
    }

    /**
     * Results that differ only in their sizes.
     *
     * @param info "test_info": text, numbers, truth values, lists and maps of these, or null
     * @param results maps with such values
     */
    public record Series(Map<String, Object> info, List<Map<String, Object>> results) {}

    /**
     * Writes it.
     *
     * @param out receives UTF-8; it is flushed, not closed
     */
    public void write(OutputStream out) throws IOException {
        JsonFactory factory = new JsonFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        try (JsonGenerator json =
                factory.createGenerator(out, JsonEncoding.UTF8).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            EnvironmentJson.write(json, started, seconds, environment);
            EnvironmentJson.writeState(json, state, failure);
            json.writeArrayFieldStart("tests");
            for (Series each : series) {
                json.writeStartObject();
                field(json, "test_info", each.info());
                field(json, "results", each.results());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void field(JsonGenerator json, String key, Object value) throws IOException {
        if (value instanceof Double number) {
            ResultJson.number(json, key, number);
        } else {
            json.writeFieldName(key);
            value(json, value);
        }
    }

    private static void value(JsonGenerator json, Object value) throws IOException {
        switch (value) {
            case null -> json.writeNull();
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Boolean flag -> json.writeBoolean(flag);
            case List<?> items -> {
                json.writeStartArray();
                for (Object each : items) {
                    value(json, each);
                }
                json.writeEndArray();
            }
            case Map<?, ?> fields -> {
                json.writeStartObject();
                for (Map.Entry<?, ?> each : fields.entrySet()) {
                    field(json, each.getKey().toString(), each.getValue());
                }
                json.writeEndObject();
            }
            default -> json.writeString(value.toString());
        }
    }
}
