// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingDocument;
import io.github.rdma4j.perftest.predict.machine.Calibration;
import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Writes a prediction as one JSON document; docs/predict.schema.json has its fields. */
final class PredictJson {
    /** A reader of version n understands every document of version n. */
    static final int SCHEMA_VERSION = 1;

    static final String SCHEMA = "https://rdma4j.github.io/schema/predict-1.json";

    private PredictJson() {}

    /**
     * Writes a prediction.
     *
     * @param out receives UTF-8; it is flushed, not closed
     */
    static void write(Prediction prediction, OutputStream out) throws IOException {
        FindingDocument.write(out, SCHEMA, SCHEMA_VERSION, BuildInfo.version(), json -> {
            json.writeObjectFieldStart("machine");
            json.writeStringField("name", prediction.machine().name());
            texts(json, "sources", prediction.machine().sources());
            texts(json, "assumptions", prediction.machine().assumptions());
            json.writeEndObject();
            json.writeNumberField("depth", prediction.depth());
            json.writeArrayFieldStart("paths");
            for (DataPath path : prediction.paths()) {
                write(json, path, prediction);
            }
            json.writeEndArray();
        });
    }

    private static void write(JsonGenerator json, DataPath path, Prediction prediction) throws IOException {
        json.writeStartObject();
        json.writeStringField("path", path.kind().key());
        json.writeStringField("title", path.kind().title());
        json.writeNumberField("limit", Math.round(path.limit()));
        json.writeStringField("bottleneck", path.bottleneck());
        texts(json, "copies", path.copies());
        json.writeArrayFieldStart("links");
        for (Map.Entry<String, Double> link : path.limits().entrySet()) {
            json.writeStartObject();
            json.writeStringField("link", link.getKey());
            json.writeNumberField(
                    "bytes_per_byte",
                    path.loads().stream()
                            .filter(load -> load.name().equals(link.getKey()))
                            .mapToDouble(Load::perByte)
                            .sum());
            json.writeNumberField("limit", Math.round(link.getValue()));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("sizes");
        for (long size : prediction.sizes()) {
            DataPath.Expectation expected = path.expect(size, prediction.depth());
            json.writeStartObject();
            json.writeNumberField("size", size);
            json.writeNumberField("expected", Math.round(expected.bandwidth()));
            json.writeStringField("bound", expected.bound());
            json.writeNumberField("processor_seconds_per_gibibyte", expected.processor());
            json.writeNumberField("one_way_microseconds", path.oneWay(size));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /**
     * Writes a calibration.
     *
     * @param others sizes to predict besides the measured ones
     * @param out receives UTF-8; it is flushed, not closed
     */
    static void write(Calibration calibration, List<Long> others, OutputStream out) throws IOException {
        FindingDocument.write(out, SCHEMA, SCHEMA_VERSION, BuildInfo.version(), json -> {
            json.writeObjectFieldStart("calibration");
            json.writeStringField("tool", calibration.tool());
            json.writeStringField("device", calibration.device());
            json.writeNumberField("mtu", calibration.mtu());
            json.writeNumberField("message_us", calibration.times().message());
            json.writeNumberField("packet_us", calibration.times().packet());
            json.writeNumberField("kibibyte_us", calibration.times().kibibyte());
            json.writeArrayFieldStart("sizes");
            Set<Long> sizes = new TreeSet<>(calibration.measured().keySet());
            sizes.addAll(others);
            for (long size : sizes) {
                json.writeStartObject();
                json.writeNumberField("size", size);
                Double measured = calibration.measured().get(size);
                if (measured == null) {
                    json.writeNullField("measured");
                } else {
                    json.writeNumberField("measured", Math.round(measured));
                }
                json.writeNumberField("predicted", Math.round(calibration.predict(size)));
                json.writeBooleanField("fitted", calibration.fitted().contains(size));
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    private static void texts(JsonGenerator json, String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
