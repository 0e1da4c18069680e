// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import io.github.rdma4j.verbs.cm.CmTestNet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("device")
class NetworkSuiteDeviceTest extends NetworkSuite {
    @BeforeAll
    static void withDevice() {
        useAddress(CmTestNet.addresses().getFirst().getHostAddress());
    }
}
