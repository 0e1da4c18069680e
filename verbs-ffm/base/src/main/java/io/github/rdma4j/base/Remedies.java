// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

/** Appends a remedy to a message as its last sentence, and takes it off again. */
public final class Remedies {
    private Remedies() {}

    /**
     * Returns a message with its remedy.
     *
     * @param cause what failed and why
     * @param remedy what to do; an empty string for none
     * @return the cause, and the remedy as a sentence of its own
     */
    public static String append(String cause, String remedy) {
        return remedy.isEmpty() ? cause : cause + ". " + Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1);
    }

    /**
     * Returns a message without its remedy and what follows it.
     *
     * @param message made by {@link #append}
     * @param remedy the same remedy
     * @return the cause
     */
    public static String without(String message, String remedy) {
        int at = message.lastIndexOf(append("", remedy));
        return at < 0 ? message : message.substring(0, at);
    }
}
