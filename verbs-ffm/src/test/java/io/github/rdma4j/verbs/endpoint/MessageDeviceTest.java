// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;

/** {@link MessageContract} on a device. */
@Tag("device")
@Tag("iwarp")
class MessageDeviceTest extends MessageContract {
    @Override
    Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right) {
        return new EndpointPair(left, right);
    }
}
