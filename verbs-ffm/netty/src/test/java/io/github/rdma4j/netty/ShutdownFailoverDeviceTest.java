// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Transport;
import org.junit.jupiter.api.Tag;

@Tag("device")
class ShutdownFailoverDeviceTest extends ShutdownContract {
    ShutdownFailoverDeviceTest() {
        super(Transport.RDMA_WITH_FAILOVER, RdmaTestNet.address());
    }
}
