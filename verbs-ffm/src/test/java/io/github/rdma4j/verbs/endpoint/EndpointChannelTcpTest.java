// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.function.Consumer;

/** {@link EndpointChannelContract} over TCP. */
class EndpointChannelTcpTest extends EndpointChannelContract {
    @Override
    Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right) {
        return new TcpPair(left, right);
    }
}
