// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import java.util.ArrayList;
import java.util.List;

/** The causes of a failure and their remedies, in the order in which they were found. */
public final class Explanation {
    private final List<String> causes = new ArrayList<>();
    private final List<String> remedies = new ArrayList<>();

    /**
     * Adds a cause and its remedy.
     *
     * @param cause why the verb was refused
     * @param remedy what to do about it; empty if unknown
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
