// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/**
 * Why something cannot be used.
 *
 * @param reason in words
 * @param remedy what to do about it; empty if nothing is known
 */
public record Problem(String reason, String remedy) {
    /** How exceptions of this project begin their remedy, in their message. */
    private static final String REMEDY = ". Remedy: ";

    /**
     * Of an exception that has its remedy in its message.
     *
     * @param failure the exception
     * @param remedy its remedy; empty if it has none
     * @return reason and remedy apart
     */
    static Problem of(RuntimeException failure, String remedy) {
        String message = String.valueOf(failure.getMessage());
        int end = remedy.isEmpty() ? -1 : message.indexOf(REMEDY);
        return new Problem(end < 0 ? message : message.substring(0, end), remedy);
    }

    /** {@return the reason} */
    @Override
    public String toString() {
        return reason;
    }
}
