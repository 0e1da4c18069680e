// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Netty's own transports, which a benchmark compares with, must run. Netty's native epoll code must have the version of
 * its classes.
 */
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
