// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;

/** The frame of a JSON document with findings: its schema and its origin. */
public final class FindingDocument {
    private FindingDocument() {}

    /** Writes the fields of one command's document. */
    @FunctionalInterface
    public interface Body {
        /** Writes them. */
        void write(JsonGenerator json) throws IOException;
    }

    /**
     * Writes a document.
     *
     * @param out receives UTF-8; it is flushed, not closed
     * @param schema the address of the schema
     * @param version of the schema
     * @param writer the version of rdma4j
     * @param body the other fields
     */
    public static void write(OutputStream out, String schema, int version, String writer, Body body)
            throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("schema", schema);
            json.writeNumberField("schema_version", version);
            json.writeStringField("rdma4j", writer);
            body.write(json);
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }
}
