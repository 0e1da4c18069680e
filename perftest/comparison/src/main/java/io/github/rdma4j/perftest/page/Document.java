// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.List;
import java.util.Map;

/**
 * A results document.
 *
 * @param name short name of the file, for charts
 * @param started the start time, ISO 8601; null if the document does not contain it
 * @param seconds the duration; NaN if the document does not contain it
 * @param environment as it is; empty when it has none
 * @param comparison whether several programs ran in turn on one machine
 * @param tests in the document's order
 * @param state how it ended, with the failure; empty for a complete run
 */
record Document(
        String name,
        String started,
        double seconds,
        Map<String, Object> environment,
        boolean comparison,
        List<ProgramRun> tests,
        String state) {
    /** The document under another name. */
    Document named(String other) {
        return new Document(other, started, seconds, environment, comparison, tests, state);
    }

    /** Something of the environment as text; empty when it is not known. */
    String environment(String key) {
        return Figures.text(environment.get(key));
    }
}
