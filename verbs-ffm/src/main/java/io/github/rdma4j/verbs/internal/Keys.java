// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/**
 * Hides keys of memory in texts for people: anyone who has a remote key can use the memory, and texts of exceptions and
 * values go to logs. Local keys are the same numbers on most adapters.
 */
public final class Keys {
    /** The system property that shows keys, for debugging. */
    public static final String PROPERTY = "io.github.rdma4j.verbs.showKeys";

    private static final boolean SHOWN = Boolean.getBoolean(PROPERTY);

    private Keys() {}

    /** {@return the key in hexadecimal if the property is set, otherwise a placeholder} */
    public static String text(int key) {
        return text(key, SHOWN);
    }

    static String text(int key, boolean shown) {
        return shown ? "0x%x".formatted(key) : "hidden";
    }
}
