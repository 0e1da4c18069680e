// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetAddress;
import org.junit.jupiter.api.Tag;

@Tag("device")
class BlockTransferDeviceTest extends BlockTransfer {
    @Override
    InetAddress address() {
        return CmTestNet.addresses().getFirst();
    }

    @Override
    Transport transport() {
        return Transport.RDMA;
    }
}
