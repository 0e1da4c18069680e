// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;

class ShutdownTcpTest extends ShutdownContract {
    ShutdownTcpTest() {
        super(Transport.TCP, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
}
