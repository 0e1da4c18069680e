// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** The names of some constants of the headers, with the values from the generated bindings. */
final class TraceConstants {
    private final Map<Long, String> names = new LinkedHashMap<>();

    /**
     * Creates the names of constants with a common prefix.
     *
     * @param prefix such as {@code IBV_ACCESS_}
     * @param rests of the names
     */
    TraceConstants(String prefix, String... rests) {
        for (String rest : rests) {
            String name = prefix + rest;
            try {
                Number value = (Number) RdmaHeaders.class.getMethod(name).invoke(null);
                names.put(value.longValue(), name);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    /** {@return the name of a value, or the number} */
    String one(long value) {
        return names.getOrDefault(value, Long.toString(value));
    }

    /** {@return the names of the bits that are set, the rest as a number} */
    String flags(long value) {
        StringJoiner text = new StringJoiner("|");
        long rest = value;
        for (Map.Entry<Long, String> flag : names.entrySet()) {
            if ((rest & flag.getKey()) != 0) {
                text.add(flag.getValue());
                rest &= ~flag.getKey();
            }
        }
        if (rest != 0 || value == 0) {
            text.add(rest == 0 ? "0" : "0x" + Long.toHexString(rest));
        }
        return text.toString();
    }
}
