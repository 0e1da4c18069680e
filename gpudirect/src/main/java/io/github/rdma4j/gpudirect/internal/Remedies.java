// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

/** Appends a remedy to a message as its last sentence. */
public final class Remedies {
    private Remedies() {}

    /** {@return the cause, and the remedy, if it is not empty, as a sentence of its own} */
    public static String append(String cause, String remedy) {
        return remedy.isEmpty() ? cause : cause + ". " + Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1);
    }
}
