// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.util.ArrayList;
import java.util.List;

/** What is known of a failure: its causes, and what can be done about them; both in the order in which they were found. */
public final class Explanation {
    private final List<String> causes = new ArrayList<>();
    private final List<String> remedies = new ArrayList<>();

    public Explanation add(String cause, String remedy) {
        causes.add(cause);
        if (!remedy.isEmpty()) {
            remedies.add(remedy);
        }
        return this;
    }

    public boolean isEmpty() {
        return causes.isEmpty();
    }

    public String cause() {
        return String.join("; ", causes);
    }

    public String remedy() {
        return String.join("; ", remedies);
    }
}
