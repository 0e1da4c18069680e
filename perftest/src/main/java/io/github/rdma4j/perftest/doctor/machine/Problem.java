// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

/**
 * The reason why something cannot be used.
 *
 * @param reason the reason
 * @param remedy what to do about it; empty if there is no advice
 */
public record Problem(String reason, String remedy) {
    /** The text before the remedy in the messages of this project's exceptions. */
    private static final String REMEDY = ". Remedy: ";

    /**
     * Makes a problem from an exception with its remedy in its message.
     *
     * @param failure the exception
     * @param remedy its remedy; empty if it has none
     * @return the reason, and the remedy
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
