// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * Which way a queue takes to the adapter, and why it is another one than its device context was opened for.
 *
 * @param path the way
 * @param reason why it is not the one that was asked for; empty if it is
 * @since 0.1.0
 */
public record DataPathChoice(DataPath path, String reason) {
    /**
     * A choice.
     *
     * @throws NullPointerException if a value is null
     */
    public DataPathChoice {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(reason, "reason");
    }

    /** {@return the way, and the reason if there is one} */
    @Override
    public String toString() {
        return reason.isEmpty() ? path.toString() : "%s (%s)".formatted(path, reason);
    }
}
