// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that was not started is blamed only where its host has answered. */
class ConnectFailureTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new ConnectException("Connection refused"), ConnectFailure.NOBODY_LISTENS),
                Arguments.of(new ConnectException("Connection timed out"), ConnectFailure.NO_ANSWER),
                Arguments.of(new SocketTimeoutException("Connect timed out"), ConnectFailure.NO_ANSWER),
                Arguments.of(new NoRouteToHostException("No route to host"), ConnectFailure.UNREACHABLE),
                Arguments.of(new SocketException("Network is unreachable"), ConnectFailure.NO_ROUTE),
                Arguments.of(new BindException("Permission denied"), ConnectFailure.NO_ROUTE),
                Arguments.of(new SocketException("Invalid argument"), ConnectFailure.NO_ROUTE),
                Arguments.of(new BindException("Address already in use"), ConnectFailure.OTHER),
                Arguments.of(new UnknownHostException("nowhere"), ConnectFailure.NO_ADDRESS),
                Arguments.of(new UnknownHostException("no such interface nope"), ConnectFailure.NO_INTERFACE),
                Arguments.of(new IOException(), ConnectFailure.OTHER));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void exceptionNamesWhereTheConnectionFailed(IOException failure, ConnectFailure expected) {
        assertThat(ConnectFailure.of(failure)).isEqualTo(expected);
    }

    @Test
    void remedyLeavesThePeersProgramAloneWhereItIsNotReached() {
        assertThat(ConnectFailure.NO_ROUTE.remedy("10.0.0.9")).contains("ip route get 10.0.0.9");
        assertThat(ConnectFailure.UNREACHABLE.remedy("10.0.0.9")).contains("ping 10.0.0.9");
        assertThat(ConnectFailure.NOBODY_LISTENS.remedy("10.0.0.9")).isEmpty();
    }

    @Test
    void addressWithoutARouteIsNotTheFailureOfItsHost() {
        IOException refused = new ConnectException("Connection refused");
        IOException noRoute = new SocketException("Network is unreachable");
        assertThat(ConnectFailure.ofHost(null, noRoute)).isEqualTo(noRoute);
        assertThat(ConnectFailure.ofHost(noRoute, refused)).isEqualTo(refused);
        assertThat(ConnectFailure.ofHost(refused, noRoute)).isEqualTo(refused);
        assertThat(ConnectFailure.ofHost(noRoute, new SocketException("Network is unreachable")))
                .isEqualTo(noRoute);
    }
}
