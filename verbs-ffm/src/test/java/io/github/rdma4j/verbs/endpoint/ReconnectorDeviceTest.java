// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.cm.CmTestNet;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;

/** {@link ReconnectorContract} over RDMA. */
@Tag("device")
@Tag("iwarp")
class ReconnectorDeviceTest extends ReconnectorContract {
    @Override
    InetSocketAddress anyPort() {
        return CmTestNet.ipv4();
    }

    @Override
    Transport transport() {
        return Transport.RDMA;
    }
}
