// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.PerftestException;
import org.junit.jupiter.api.Test;

class JavaRunnerTest {
    @Test
    void aFailureKeepsItsCauseAndItsRemedy() {
        PerftestException cause = new PerftestException("the peer closed the connection", "look at it");

        CompareException explained = JavaRunner.explain("Java's ib_write_lat", cause, "out of memory");

        assertThat(explained)
                .hasMessage("Java's ib_write_lat: the peer closed the connection; its server: out of memory")
                .hasCause(cause);
        assertThat(explained.remedy()).isEqualTo("look at it");
    }

    @Test
    void whatIsNoMessageForUsersHasItsClass() {
        assertThat(JavaRunner.explain("Java's ib_write_lat", new IllegalStateException("odd"), ""))
                .hasMessage("Java's ib_write_lat: java.lang.IllegalStateException: odd");
    }
}
