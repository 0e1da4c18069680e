// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.net.InetSocketAddress;

/** {@link GrantsContract} over TCP. */
class GrantsTcpTest extends GrantsContract {
    @Override
    InetSocketAddress address() {
        return TcpPair.ANY_PORT;
    }

    @Override
    void configure(EndpointConfig config) {
        config.transport(Transport.TCP);
    }

    @Override
    boolean isExclusive() {
        return true;
    }
}
