// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.util.Objects;

/**
 * The path that a queue uses, and why it differs from the path that its device context was opened for.
 *
 * @param path the path
 * @param reason why it is not the requested path; empty if it is
 * @since 0.1.0
 */
public record DataPathChoice(DataPath path, String reason) {
    /**
     * Creates a choice.
     *
     * @throws NullPointerException if a value is null
     */
    public DataPathChoice {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(reason, "reason");
    }

    /** {@return the path, and the reason if there is one} */
    @Override
    public String toString() {
        return reason.isEmpty() ? path.toString() : "%s (%s)".formatted(path, reason);
    }
}
