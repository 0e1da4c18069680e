// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.VerbsException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs catch what sockets throw; the library's own exception is the cause. */
class FailuresTest {
    private static final int EIO = 5;

    private static VerbsException verbs(int errno) {
        return new VerbsException("rdma_resolve_addr", errno, "an explanation", "a remedy");
    }

    private static void assertFailure(Throwable failure, Class<?> type, Throwable cause) {
        assertThat(failure)
                .isExactlyInstanceOf(type)
                .hasCause(cause)
                .hasMessageContaining("an explanation")
                .hasMessageContaining("A remedy");
    }

    @ParameterizedTest
    @CsvSource({"101", "113"})
    void noRoute(int errno) {
        VerbsException cause = verbs(errno);
        assertFailure(Failures.ofConnect(cause), NoRouteToHostException.class, cause);
    }

    @Test
    void otherConnections() {
        VerbsException late = verbs(110);
        assertFailure(Failures.ofConnect(late), ConnectTimeoutException.class, late);
        VerbsException noDevice = verbs(19);
        assertFailure(Failures.ofConnect(noDevice), ConnectException.class, noDevice);
        Exception other = new IllegalStateException("not of RDMA");
        assertThat(Failures.ofConnect(other)).isSameAs(other);
    }

    @ParameterizedTest
    @CsvSource({"98", "99"})
    void addressesThatCannotBeTaken(int errno) {
        VerbsException cause = verbs(errno);
        assertFailure(Failures.ofBind(cause), BindException.class, cause);
    }

    @Test
    void otherAddresses() {
        VerbsException cause = verbs(19);
        assertFailure(Failures.ofBind(cause), SocketException.class, cause);
    }

    @Test
    void connectionsInUse() {
        VerbsException broken = verbs(EIO);
        assertFailure(Failures.ofUse(broken), IOException.class, broken);
        assertThat(Failures.ofUse(new IllegalStateException("closed")))
                .isExactlyInstanceOf(ClosedChannelException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        IllegalReferenceCountException mistake = new IllegalReferenceCountException(0);
        assertThat(Failures.ofUse(mistake)).isSameAs(mistake);
    }
}
