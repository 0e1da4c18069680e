// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Transport;
import org.junit.jupiter.api.Tag;

/** Netty's own tests, over TCP; no device is needed. */
@Tag("full")
class NettySuiteTcpTest extends NettySuite {
    NettySuiteTcpTest() {
        super(Transport.TCP);
    }
}
