// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import org.junit.jupiter.api.BeforeAll;

class NetworkSuiteTcpTest extends NetworkSuite {
    @BeforeAll
    static void withoutDevice() {
        useAddress("127.0.0.1");
    }
}
