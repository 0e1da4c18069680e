// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.cm.CmTestNet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where the tests' channels over RDMA are: at the address of the property rdma4j.test.address, else at the first one
 * whose interface has a device.
 */
final class RdmaTestNet {
    private static final Optional<InetAddress> HOST = find();

    private RdmaTestNet() {}

    /** The address of an interface that has an RDMA device, with port 0. */
    static InetSocketAddress address() {
        return new InetSocketAddress(HOST.orElseThrow(() -> new AssertionError("no interface has an RDMA device")), 0);
    }

    /**
     * Where a client comes from: the address of the property rdma4j.test.client, else any. With {@code scripts/softroce
     * --wire}, what comes from the second device goes over the wire.
     */
    static InetSocketAddress clientAddress() {
        String given = System.getProperty("rdma4j.test.client", "0.0.0.0");
        return new InetSocketAddress(InetAddress.ofLiteral(given), 0);
    }

    /** The same, where there may be none. */
    static Optional<InetAddress> host() {
        return HOST;
    }

    private static Optional<InetAddress> find() {
        String given = System.getProperty("rdma4j.test.address");
        if (given != null) {
            return Optional.of(InetAddress.ofLiteral(given));
        }
        return CmTestNet.addresses().stream().findFirst();
    }
}
