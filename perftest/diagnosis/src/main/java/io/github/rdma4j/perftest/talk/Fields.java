// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The content of a message: names and values, one line of UTF-8 for each ({@code name=value}). Sizes are bounded, and
 * every value that is read as a number is checked against a range, because the other end is not trusted.
 */
public final class Fields {
    /** The longest body of a message, in bytes. */
    public static final int MOST_BYTES = 64 * 1024;

    /** The longest value, in characters; longer ones are cut when they are written, and refused when they are read. */
    public static final int MOST_VALUE = 1000;

    private static final int MOST_FIELDS = 2000;
    private static final String NAME = "[a-z0-9][a-z0-9.-]{0,63}";

    private final Map<String, String> values = new TreeMap<>();

    /** Adds a text. */
    public Fields with(String name, String value) {
        if (!name.matches(NAME)) {
            throw new IllegalArgumentException("a field cannot be called " + name);
        }
        values.put(name, clean(value));
        return this;
    }

    /** Adds a number. */
    public Fields with(String name, long value) {
        return with(name, Long.toString(value));
    }

    /** Adds a boolean. */
    public Fields with(String name, boolean value) {
        return with(name, value ? "yes" : "no");
    }

    /** Adds all other fields, with a prefix before each name. */
    public Fields withAll(String prefix, Fields others) {
        others.values.forEach((name, value) -> with(prefix + name, value));
        return this;
    }

    /** Returns all fields, by name. */
    public Map<String, String> all() {
        return new LinkedHashMap<>(values);
    }

    /** Returns the fields whose names begin with the prefix, with the prefix removed. */
    public Fields below(String prefix) {
        Fields below = new Fields();
        values.forEach((name, value) -> {
            if (name.startsWith(prefix) && name.length() > prefix.length()) {
                // The rest may not be a valid name for writing, which does not matter: no reader uses such a field.
                below.values.put(name.substring(prefix.length()), value);
            }
        });
        return below;
    }

    /** Returns whether there are no fields. */
    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns whether a field exists. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /**
     * A text.
     *
     * @throws BadMessageException if it is missing
     */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new BadMessageException("the other end's message has no field " + name);
        }
        return value;
    }

    /** A text, or another one where it is missing. */
    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /**
     * A number within bounds.
     *
     * @throws BadMessageException if it is missing, no number, or out of bounds
     */
    public long number(String name, long least, long most) {
        String text = text(name);
        if (text.matches("-?\\d{1,19}")) {
            try {
                long value = Long.parseLong(text);
                if (value >= least && value <= most) {
                    return value;
                }
            } catch (NumberFormatException _) {
                // Nineteen digits can be too many.
            }
        }
        throw new BadMessageException("the other end's field " + name + " is not a number from " + least + " to " + most
                + ": \"" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "\"");
    }

    /** An int within bounds. */
    public int integer(String name, int least, int most) {
        return (int) number(name, least, most);
    }

    /**
     * Yes or no.
     *
     * @throws BadMessageException if it is missing or neither
     */
    public boolean yes(String name) {
        return switch (text(name)) {
            case "yes" -> true;
            case "no" -> false;
            default -> throw new BadMessageException("the other end's field " + name + " is neither yes nor no");
        };
    }

    /** The body of a message. */
    byte[] encode() {
        StringBuilder text = new StringBuilder();
        values.forEach(
                (name, value) -> text.append(name).append('=').append(value).append('\n'));
        byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
        if (body.length > MOST_BYTES) {
            throw new IllegalStateException("a message of " + body.length + " bytes");
        }
        return body;
    }

    /**
     * Parses the body of a message.
     *
     * @throws BadMessageException if it is invalid
     */
    static Fields decode(byte[] body) {
        if (body.length > MOST_BYTES) {
            throw new BadMessageException("the other end's message has " + body.length + " bytes");
        }
        CharBuffer text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
        } catch (CharacterCodingException _) {
            throw new BadMessageException("the other end's message is not text");
        }
        Fields fields = new Fields();
        for (String line : text.toString().lines().toList()) {
            int end = line.indexOf('=');
            String name = end < 0 ? line : line.substring(0, end);
            if (end < 0 || !name.matches(NAME)) {
                throw new BadMessageException("a line of the other end's message is not name=value");
            }
            String value = line.substring(end + 1);
            if (value.length() > MOST_VALUE || !value.equals(clean(value))) {
                throw new BadMessageException("the other end's field " + name + " is too long or not printable");
            }
            if (fields.values.put(name, value) != null) {
                throw new BadMessageException("the other end's message has " + name + " twice");
            }
            if (fields.values.size() > MOST_FIELDS) {
                throw new BadMessageException("the other end's message has more than " + MOST_FIELDS + " fields");
            }
        }
        return fields;
    }

    /** Returns one line without control characters, which could write forged text to a terminal. */
    private static String clean(String value) {
        String line = value.codePoints()
                .map(c -> Character.isISOControl(c)
                                || Character.getType(c) == Character.LINE_SEPARATOR
                                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR
                                || Character.getType(c) == Character.FORMAT
                                || Character.getType(c) == Character.SURROGATE
                        ? ' '
                        : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        if (line.length() <= MOST_VALUE) {
            return line;
        }
        // Not between the halves of one character.
        return line.substring(0, Character.isHighSurrogate(line.charAt(MOST_VALUE - 1)) ? MOST_VALUE - 1 : MOST_VALUE);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fields fields && values.equals(fields.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
