// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.github.rdma4j.perftest.exit.Unreadable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a JSON document as maps, lists, strings, numbers ({@code Double}), booleans and nulls. */
final class JsonTree {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonTree() {}

    /**
     * Reads a file that contains one JSON object.
     *
     * @param file UTF-8
     * @throws ReportException when it contains something else
     * @throws IOException when it cannot be read
     */
    static JsonObject read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file);
                JsonParser parser = FACTORY.createParser(in)) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                String found = first == null ? "it is empty" : "it is no JSON object";
                throw new ReportException(file + " is not a results document: " + found, "");
            }
            Map<String, Object> root = object(parser);
            if (parser.nextToken() != null) {
                throw new ReportException(
                        file + " is not a results document: something follows the JSON object, in line "
                                + parser.currentTokenLocation().getLineNr(),
                        "one document per file");
            }
            return new JsonObject(file.toString(), "", root);
        } catch (JsonProcessingException failure) {
            throw notJson(file, failure);
        }
    }

    private static ReportException notJson(Path file, JsonProcessingException failure) {
        int line = failure.getLocation() == null ? 0 : failure.getLocation().getLineNr();
        return new ReportException(
                file + " is not JSON" + (line > 0 ? ": line " + line : "") + ": " + Unreadable.json(failure),
                Unreadable.jsonOfC(failure));
    }

    private static Map<String, Object> object(JsonParser parser) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, value(parser));
        }
        return fields;
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield items;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> parser.getText();
        };
    }
}
