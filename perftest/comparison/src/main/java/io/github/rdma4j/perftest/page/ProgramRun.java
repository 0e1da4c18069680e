// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.result.PathLimit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A test of one program: one or many sizes.
 *
 * @param tool command, as ib_write_lat
 * @param party whose program
 * @param implementation the value in the document; null if it has none
 * @param settings "test_info", with the banner where it has one
 * @param results in the document's order
 * @param limit the limit of its links, if the document contains it
 * @param choices of NCCL, if it took part
 */
record ProgramRun(
        String tool,
        Party party,
        String implementation,
        Map<String, Object> settings,
        List<Result> results,
        Optional<PathLimit> limit,
        List<Choice> choices) {
    /** Returns what distinguishes its series from others of the same tool; empty for most. */
    String variant() {
        return setting("variant");
    }

    /** Returns a setting as text, without the unit that C's banner has for bytes; empty when there is none. */
    String setting(String key) {
        String text = Figures.text(settings.get(key));
        return text.endsWith("[B]") ? text.substring(0, text.length() - 3) : text;
    }
}
