// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link MessageContract} over TCP. */
class MessageTcpTest extends MessageContract {
    @Override
    Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right) {
        return new TcpPair(left, right);
    }

    @Override
    @Test
    @Tag("full")
    void thousandsOfMessagesBothWaysAtOnceWithTwoCredits() throws Exception {
        super.thousandsOfMessagesBothWaysAtOnceWithTwoCredits();
    }

    @Override
    @Test
    @Tag("full")
    void oneCreditSuffices() throws Exception {
        super.oneCreditSuffices();
    }
}
