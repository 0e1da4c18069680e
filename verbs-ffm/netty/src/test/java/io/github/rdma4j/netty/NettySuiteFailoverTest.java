// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Transport;
import org.junit.jupiter.api.Tag;

/** Netty's own tests, over channels that may move, and have TCP alone; no device is needed. */
@Tag("full")
class NettySuiteFailoverTest extends NettySuite {
    NettySuiteFailoverTest() {
        super(Transport.RDMA_WITH_FAILOVER);
    }
}
