// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.github.rdma4j.perftest.exit.Unreadable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** An object of a JSON file whose fields have line numbers for error messages. */
final class Described {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final double LARGEST_WHOLE = Integer.MAX_VALUE;

    private final Source source;
    private final int line;
    private final Map<String, Value> fields;
    private final Set<String> asked = new HashSet<>();

    /** A file, and what helps if it is wrong. */
    record Source(String file, String remedy) {
        MachineFileException wrong(int line, String reason) {
            return new MachineFileException(file + ":" + line + ": " + reason, remedy);
        }
    }

    private Described(Source source, int line, Map<String, Value> fields) {
        this.source = source;
        this.line = line;
        this.fields = fields;
    }

    private record Value(Object content, int line) {}

    /**
     * Parses a file's text, which must be one object.
     *
     * @param source for messages
     * @throws MachineFileException if it is not an object; the message begins with file and line
     */
    static Described read(Source source, String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                throw source.wrong(1, first == null ? "the file is empty" : "a file must be one JSON object");
            }
            Described root = object(source, parser);
            if (parser.nextToken() != null) {
                throw source.wrong(line(parser), "something follows the object");
            }
            return root;
        } catch (JsonProcessingException failure) {
            int line = failure.getLocation() == null ? 1 : failure.getLocation().getLineNr();
            throw source.wrong(Math.max(1, line), "no JSON: " + Unreadable.json(failure));
        } catch (IOException failure) {
            // Reading from a string cannot fail.
            throw new IllegalStateException(failure);
        }
    }

    private static int line(JsonParser parser) {
        return parser.currentTokenLocation().getLineNr();
    }

    private static Described object(Source source, JsonParser parser) throws IOException {
        int line = line(parser);
        Map<String, Value> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            int at = line(parser);
            parser.nextToken();
            fields.put(name, new Value(value(source, parser), at));
        }
        return new Described(source, line, fields);
    }

    private static Object value(Source source, JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(source, parser);
            case START_ARRAY -> {
                List<Object> items = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(source, parser));
                }
                yield items;
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_STRING -> parser.getText();
            default -> Optional.empty();
        };
    }

    private Value value(String name) {
        asked.add(name);
        Value value = fields.get(name);
        if (value == null) {
            throw source.wrong(line, "\"" + name + "\" is missing");
        }
        return value;
    }

    /** Returns whether a field exists. */
    boolean has(String name) {
        asked.add(name);
        return fields.containsKey(name);
    }

    /** Returns a required string. */
    String text(String name) {
        if (value(name).content instanceof String text && !text.isBlank()) {
            return text;
        }
        throw wrong(name, "is not a text");
    }

    /** Returns a required number. */
    double number(String name) {
        if (value(name).content instanceof Double number && Double.isFinite(number)) {
            return number;
        }
        throw wrong(name, "is not a number");
    }

    /** Returns a number, or a default if there is none. */
    double number(String name, double otherwise) {
        return has(name) ? number(name) : otherwise;
    }

    /** Returns a required whole number. */
    int whole(String name) {
        double number = number(name);
        if (number != Math.rint(number) || Math.abs(number) > LARGEST_WHOLE) {
            throw wrong(name, "is not a whole number");
        }
        return (int) number;
    }

    /** Returns a whole number, or a default if there is none. */
    int whole(String name, int otherwise) {
        return has(name) ? whole(name) : otherwise;
    }

    /** Returns a constant from its name. */
    <T extends Enum<T>> T word(String name, Class<T> type) {
        String text = text(name);
        List<String> words = new ArrayList<>();
        for (T constant : type.getEnumConstants()) {
            String word = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            if (word.equals(text)) {
                return constant;
            }
            words.add(word);
        }
        throw wrong(name, "is '" + text + "', not one of " + String.join(", ", words));
    }

    /** An array of strings. */
    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (value(name).content instanceof List<?> items) {
            for (Object item : items) {
                if (!(item instanceof String text)) {
                    throw wrong(name, "has something that is not a text");
                }
                texts.add(text);
            }
            return texts;
        }
        throw wrong(name, "is not a list");
    }

    /** Returns an object; empty if there is none. */
    Optional<Described> object(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        if (value(name).content instanceof Described object) {
            return Optional.of(object);
        }
        throw wrong(name, "is not an object");
    }

    /** Returns a list of objects, or a single object, as C's tools write it. */
    List<Described> objects(String name) {
        List<Described> objects = new ArrayList<>();
        if (value(name).content instanceof Described object) {
            return List.of(object);
        }
        if (value(name).content instanceof List<?> items) {
            for (Object item : items) {
                if (!(item instanceof Described object)) {
                    throw wrong(name, "has something that is not an object");
                }
                objects.add(object);
            }
            return objects;
        }
        throw wrong(name, "is not a list");
    }

    /** Creates a value from the fields. If they are invalid, the exception names their lines. */
    <T> T make(Supplier<T> maker) {
        T made;
        try {
            made = maker.get();
        } catch (IllegalArgumentException failure) {
            throw source.wrong(line, "this object makes no sense: " + failure.getMessage());
        }
        for (Map.Entry<String, Value> field : fields.entrySet()) {
            if (!asked.contains(field.getKey())) {
                throw wrong(
                        field.getKey(),
                        "is unknown here; there are "
                                + String.join(", ", asked.stream().sorted().toList()));
            }
        }
        return made;
    }

    private MachineFileException wrong(String name, String reason) {
        return source.wrong(fields.get(name).line, "\"" + name + "\" " + reason);
    }
}
