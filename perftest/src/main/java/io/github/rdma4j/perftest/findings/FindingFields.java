// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import com.fasterxml.jackson.core.JsonGenerator;
import io.github.rdma4j.gpudirect.check.FindingState;
import java.io.IOException;

/** The fields that findings have in every document. */
public final class FindingFields {
    private FindingFields() {}

    /**
     * Writes the state, the value, its meaning and how to fix it.
     *
     * @param json in the finding's object
     */
    public static void write(JsonGenerator json, FindingState state, String seen, String meaning, String remedy)
            throws IOException {
        json.writeStringField("state", state.name());
        json.writeStringField("seen", seen);
        json.writeStringField("meaning", emptyToNull(meaning));
        json.writeStringField("remedy", emptyToNull(remedy));
    }

    /** A text, or null for none. */
    public static String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
