// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetAddress;

/** Where RDMA does not work: at the loopback address. */
class BlockTransferTcpTest extends BlockTransfer {
    @Override
    InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }

    @Override
    Transport transport() {
        return Transport.TCP;
    }
}
