// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.cm.CmTestNet;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Tag;

/** {@link AdmissionContract} by rdma_cm. */
@Tag("device")
class AdmissionDeviceTest extends AdmissionContract {
    @Override
    InetSocketAddress address() {
        return CmTestNet.ipv4();
    }

    @Override
    Transport transport() {
        return Transport.RDMA;
    }

    @Override
    int flood() {
        return 4;
    }
}
