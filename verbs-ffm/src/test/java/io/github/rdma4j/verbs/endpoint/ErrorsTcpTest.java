// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import org.junit.jupiter.api.Nested;

class ErrorsTcpTest {
    @Nested
    class OverTcp extends ErrorsContract {
        OverTcp() {
            super("TCP", 1);
        }
    }

    /** With {@link Transport#RDMA_WITH_FAILOVER}, on a machine without RDMA. */
    @Nested
    class WithFailover extends ErrorsContract {
        WithFailover() {
            super("FAILOVER_TO_TCP", 5);
        }
    }
}
