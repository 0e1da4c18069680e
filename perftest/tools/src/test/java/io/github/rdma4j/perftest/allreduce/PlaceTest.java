// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.RunFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceTest {
    private static final Place ONE = new Place("a", 1, "H100");
    private static final Place OTHER = new Place("", 2, "");

    @Test
    void writtenValuesAreReadBack() {
        assertThat(Place.read(ONE.write() + Place.SEPARATOR + OTHER.write(), 2)).containsExactly(ONE, OTHER);
    }

    /** A number of ranks that is not the true one would be in each bus bandwidth. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a\n1\nH100",
                "a\n1\nH100\nb\n2\nH100\nc\n3\nH100",
                "a\n1\nH100\nb\nx\nH100",
                "a\n1\nH100\nb\n-2\nH100"
            })
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> Place.read(text, 2))
                .isInstanceOf(RunFailedException.class)
                .hasMessage("a rank does not report its place");
    }
}
