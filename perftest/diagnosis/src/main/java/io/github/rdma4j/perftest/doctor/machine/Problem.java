// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.base.Remedies;

/**
 * The reason why something cannot be used.
 *
 * @param reason the reason
 * @param remedy what to do about it; empty if there is no advice
 */
public record Problem(String reason, String remedy) {
    /**
     * Converts an exception whose message contains its remedy.
     *
     * @param failure the exception
     * @param remedy its remedy; empty if it has none
     * @return the reason, and the remedy
     */
    static Problem of(RuntimeException failure, String remedy) {
        return new Problem(Remedies.without(String.valueOf(failure.getMessage()), remedy), remedy);
    }

    /** {@return the reason} */
    @Override
    public String toString() {
        return reason;
    }
}
