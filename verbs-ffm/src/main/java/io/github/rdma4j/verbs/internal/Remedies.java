// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Appends a remedy to a message as its last sentence, and takes it off again. */
public final class Remedies {
    private static final Pattern SENTENCE = Pattern.compile("\\. (?=\\p{Lu}[\\p{Ll} ])");

    private Remedies() {}

    /**
     * Returns a message with its remedy.
     *
     * @param cause what failed and why
     * @param remedy what to do; an empty string for none
     * @return the cause, and the remedy as a sentence of its own
     */
    public static String append(String cause, String remedy) {
        return remedy.isEmpty() ? cause : cause + ". " + capitalized(remedy);
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

    /**
     * Returns where the remedy of a message begins.
     *
     * @param message made by {@link #append}
     * @return the index of the period before its second sentence; -1 if there is one sentence
     */
    public static int index(String message) {
        Matcher next = SENTENCE.matcher(message);
        return next.find() ? next.start() : -1;
    }

    /**
     * Returns the remedy of a message.
     *
     * @param message made by {@link #append}
     * @return all sentences except the first one, as {@link #append} takes them; empty if there is one sentence
     */
    public static String of(String message) {
        int at = index(message);
        return at < 0 ? "" : Character.toLowerCase(message.charAt(at + 2)) + message.substring(at + 3);
    }

    private static String capitalized(String remedy) {
        return Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1);
    }
}
