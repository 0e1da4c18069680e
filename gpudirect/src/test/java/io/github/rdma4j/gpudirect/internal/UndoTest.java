// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UndoTest {
    @Test
    void eachIsClosedAndFailuresAreSuppressed() {
        IllegalStateException failure = new IllegalStateException("the first");
        IllegalStateException refusal = new IllegalStateException("a close");
        List<String> closed = new ArrayList<>();
        Undo.after(
                failure,
                () -> closed.add("before it"),
                null,
                () -> {
                    throw refusal;
                },
                () -> closed.add("behind it"));
        assertThat(closed).containsExactly("before it", "behind it");
        assertThat(failure.getSuppressed()).containsExactly(refusal);
    }
}
