// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketShutdownOutputByPeerTest;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Netty's own socket tests, unchanged, over RDMA channels. These do not apply:
 *
 * <ul>
 *   <li>datagrams, SCTP, UDT and AbstractSocketReuseFdTest: other protocols, and file descriptors of Unix sockets
 *   <li>SocketShutdownOutputBySelfTest, SocketChannelEOFTest, ServerSocketSuspendTest and
 *       SocketShutdownOutputByPeerTest: the peer is a JDK socket; other tests cover the same with RDMA peers
 *   <li>SocketMultipleConnectTest and one test of SocketChannelNotYetConnectedTest: they need the loopback address or a
 *       TCP server; RdmaSocketChannelDeviceTest covers the same
 *   <li>SocketSslLargeCertificateTest, SocketSslClientRenegotiateTest and half of SocketSslSessionReuseTest: they need
 *       OpenSSL
 * </ul>
 */
abstract class NettySuite {
    private static final String RANDOM_BYTES = "io.github.rdma4j.netty.NettySuite#hasRandomBytes";
    private static final String NO_RANDOM_BYTES =
            "PlatformDependent.splittableRandomNextBytes, which these tests of Netty call, is missing in this Netty";

    static {
        SuiteNet.silentAddress();
    }

    private final SuiteNet net;

    NettySuite(Transport carrier) {
        net = new SuiteNet(carrier);
    }

    /** False on versions before the test suite's own: {@code scripts/lib/other-versions} runs Netty 4.2.13. */
    static boolean hasRandomBytes() {
        return Stream.of(PlatformDependent.class.getMethods())
                .anyMatch(method -> method.getName().equals("splittableRandomNextBytes"));
    }

    @AfterEach
    void nothingIsLeft() {
        net.close();
    }

    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class Addresses extends SocketAddressesTest {
        @Override
        protected void assertAddress(SocketAddress address) {
            assertThat(address).isInstanceOf(InetSocketAddress.class);
            assertThat(((InetSocketAddress) address).getPort()).isPositive();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class AutoRead extends SocketAutoReadTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class BufRelease extends SocketBufReleaseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class CancelWrite extends SocketCancelWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class CloseForcibly extends SocketCloseForciblyTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Tag("full")
    @Nested
    class ConditionalWritability extends SocketConditionalWritabilityTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class Connect extends SocketConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class DataReadInitialState extends SocketDataReadInitialStateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @EnabledIf(value = RANDOM_BYTES, disabledReason = NO_RANDOM_BYTES)
    @Nested
    class Echo extends SocketEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class ExceptionHandling extends SocketExceptionHandlingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Tag("full")
    @Nested
    class FileRegion extends SocketFileRegionTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @EnabledIf(value = RANDOM_BYTES, disabledReason = NO_RANDOM_BYTES)
    @Nested
    class FixedLengthEcho extends SocketFixedLengthEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @EnabledIf(value = RANDOM_BYTES, disabledReason = NO_RANDOM_BYTES)
    @Tag("full")
    @Nested
    class GatheringWrite extends SocketGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class HalfClosed extends SocketHalfClosedTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class ObjectEcho extends SocketObjectEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class ReadPending extends SocketReadPendingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class Rst extends SocketRstTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class SpdyEcho extends SocketSpdyEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @EnabledIf(value = RANDOM_BYTES, disabledReason = NO_RANDOM_BYTES)
    @Tag("full")
    @Nested
    class SslEcho extends SocketSslEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class SslGreeting extends SocketSslGreetingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class SslSessionReuse extends SocketSslSessionReuseTest {
        /** With the JDK's TLS; OpenSSL wants a library in C. */
        @Override
        @ParameterizedTest
        @MethodSource("io.netty.testsuite.transport.socket.SocketSslSessionReuseTest#jdkOnly")
        public void testSslSessionTrustManagerResumption(
                SslContextBuilder server, SslContextBuilder client, TestInfo info) throws Throwable {
            super.testSslSessionTrustManagerResumption(server, client, info);
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class StartTls extends SocketStartTlsTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class StringEcho extends SocketStringEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Tag("full")
    @Nested
    class TrafficShapingHandler extends TrafficShapingHandlerTest {
        /** Netty's limit, 10 seconds, is too short on a busy machine. */
        @Override
        @Test
        @Timeout(60)
        public void testAutoReadTrafficShapping(TestInfo testInfo) throws Throwable {
            super.testAutoReadTrafficShapping(testInfo);
        }

        /** As for {@link #testAutoReadTrafficShapping(TestInfo)}. */
        @Override
        @Test
        @Timeout(60)
        public void testAutoReadGlobalTrafficShapping(TestInfo testInfo) throws Throwable {
            super.testAutoReadGlobalTrafficShapping(testInfo);
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return net.both();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class ChannelNotYetConnected extends SocketChannelNotYetConnectedTest {
        /** No test here: its server is one of TCP. RdmaSocketChannelDeviceTest has the same for RDMA. */
        @Override
        public void readMustBePendingUntilChannelIsActive(TestInfo info) {}

        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return List.of(net.client());
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class ConnectionAttempt extends SocketConnectionAttemptTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return List.of(net.client());
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    @Nested
    class WriteBeforeRegistered extends WriteBeforeRegisteredTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return List.of(net.client());
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }
    }

    /** The peer is an endpoint, since a socket of the JDK is none of RDMA. */
    @Nested
    class ShutdownOutputByPeer extends AbstractSocketShutdownOutputByPeerTest<AtomicReference<Endpoint>> {
        private static final Duration PATIENCE = Duration.ofSeconds(20);

        @Override
        protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
            return List.of(net.server());
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return net.address();
        }

        @Override
        protected AtomicReference<Endpoint> newSocket() {
            return new AtomicReference<>();
        }

        @Override
        protected void connect(AtomicReference<Endpoint> peer, SocketAddress address) {
            peer.set(
                    Endpoint.connect((InetSocketAddress) address, config -> config.transport(net.carrier()), PATIENCE));
        }

        @Override
        protected void write(AtomicReference<Endpoint> peer, int data) {
            assertThat(peer.get().send(new byte[] {(byte) data}, PATIENCE)).isTrue();
        }

        @Override
        protected void shutdownOutput(AtomicReference<Endpoint> peer) {
            assertThat(peer.get().send(new byte[0], PATIENCE)).isTrue();
        }

        @Override
        protected void close(AtomicReference<Endpoint> peer) {
            peer.get().close();
        }
    }
}
