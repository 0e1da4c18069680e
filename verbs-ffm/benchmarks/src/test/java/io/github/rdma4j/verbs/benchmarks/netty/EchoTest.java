// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is compared with must run: the native code of Netty's epoll is of one version with its classes. */
class EchoTest {
    @ParameterizedTest
    @EnumSource(
            value = Transport.class,
            names = {"NIO", "EPOLL"})
    void everyTransportOverTcpAnswersAll(Transport transport) throws Exception {
        assumeThat(transport != Transport.EPOLL || System.getProperty("os.arch").equals("amd64"))
                .isTrue();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Echo echo = new Echo(transport, address, 64, 2, false)) {
            assertThat(echo.closedLoop(100).rate()).isPositive();
        }
    }
}
