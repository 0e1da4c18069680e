// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import java.util.ArrayList;
import java.util.List;

/**
 * What is known of a failure: its causes, and what can be done about them; both in the order in which they were found.
 */
public final class Explanation {
    private final List<String> causes = new ArrayList<>();
    private final List<String> remedies = new ArrayList<>();

    /**
     * Adds what was found.
     *
     * @param cause why the verb was refused
     * @param remedy what can be done about it; empty if nothing is known
     * @return this
     */
    public Explanation add(String cause, String remedy) {
        causes.add(cause);
        if (!remedy.isEmpty()) {
            remedies.add(remedy);
        }
        return this;
    }

    /** {@return whether nothing was found} */
    public boolean isEmpty() {
        return causes.isEmpty();
    }

    /** {@return the causes, in one text} */
    public String cause() {
        return String.join("; ", causes);
    }

    /** {@return the remedies, in one text} */
    public String remedy() {
        return String.join("; ", remedies);
    }
}
