// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An object of a JSON document, with its position for error messages. A field that is null counts as absent. */
final class JsonObject {
    private static final double LARGEST_WHOLE = 1L << 53;

    private final String file;
    private final String path;
    private final Map<String, Object> fields;

    /**
     * @param file for messages
     * @param path where in the file, as tests[0]; empty for the whole
     * @param fields of {@link JsonTree}
     */
    JsonObject(String file, String path, Map<String, Object> fields) {
        this.file = file;
        this.path = path;
        this.fields = fields;
    }

    /** The fields as they are. */
    Map<String, Object> fields() {
        return fields;
    }

    /** Returns an object at the same position in the file with other fields. */
    JsonObject with(Map<String, Object> others) {
        return new JsonObject(file, path, others);
    }

    /** Returns whether a field exists and is not null. */
    boolean has(String name) {
        return fields.get(name) != null;
    }

    /** Returns a string; null when there is none. */
    String text(String name) {
        Object value = fields.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw wrong(name, "is not a string");
    }

    /** Returns a boolean; false when there is none. */
    boolean flag(String name) {
        Object value = fields.get(name);
        if (value == null || value instanceof Boolean) {
            return Boolean.TRUE.equals(value);
        }
        throw wrong(name, "is not true or false");
    }

    /** Returns a number; NaN when there is none. */
    double number(String name) {
        Object value = fields.get(name);
        if (value == null) {
            return Double.NaN;
        }
        if (value instanceof Double number && Double.isFinite(number)) {
            return number;
        }
        throw wrong(name, "is not a number");
    }

    /** Returns a required number, whole and not below 0. */
    long whole(String name) {
        double value = number(name);
        if (Double.isNaN(value)) {
            throw wrong(name, "is missing");
        }
        if (value < 0 || value > LARGEST_WHOLE || value != Math.rint(value)) {
            throw wrong(name, "is not a whole number from 0 on");
        }
        return (long) value;
    }

    /** Returns an object; null when there is none. */
    JsonObject object(String name) {
        Object value = fields.get(name);
        return value == null ? null : object(value, name);
    }

    /** Returns an array of objects, or a single object, as C's tools write it; empty when there is neither. */
    List<JsonObject> objects(String name) {
        Object value = fields.get(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> items)) {
            return List.of(object(value, name));
        }
        List<JsonObject> objects = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            objects.add(object(items.get(i), name + "[" + i + "]"));
        }
        return objects;
    }

    @SuppressWarnings("unchecked") // JsonTree makes no other maps
    private JsonObject object(Object value, String name) {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject(file, path.isEmpty() ? name : path + "." + name, (Map<String, Object>) map);
        }
        throw wrong(name, "is not an object");
    }

    /** Returns an exception about an invalid field. */
    ReportException wrong(String name, String reason) {
        return new ReportException(file + ": " + (path.isEmpty() ? "" : path + ".") + name + " " + reason, "");
    }
}
