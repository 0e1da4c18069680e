// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("device")
class ErrorsDeviceTest {
    @Nested
    class OverRdma extends ErrorsContract {
        OverRdma() {
            super("RDMA", 13);
        }
    }

    @Nested
    class InGroups extends ErrorsContract {
        InGroups() {
            super("GROUP", 13);
        }
    }

    @Nested
    class WithFailover extends ErrorsContract {
        WithFailover() {
            super("FAILOVER", 13);
        }
    }
}
