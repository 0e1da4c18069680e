// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.cm.CmTestNet.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A failed connect reports the cause and a remedy. */
@Tag("device")
class ConnectionErrorsDeviceTest {
    private static final InetSocketAddress HERE = CmTestNet.ipv4();
    private static final int NOBODY_LISTENS = 1;

    private final SynchronousId id = SynchronousId.create(PortSpace.TCP);

    @AfterEach
    void close() {
        id.close();
    }

    @Test
    void loopbackAddressIsExplained() {
        assertThatThrownBy(() -> id.resolve(new InetSocketAddress("127.0.0.1", 4711), PATIENCE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("127.0.0.1:4711")
                .hasMessageContaining("ENODEV")
                .hasMessageContaining("Use the address of a network interface that has an RDMA device")
                .hasMessageContaining("127.0.0.1, ::1 and other addresses of 'lo' have none");
    }

    /**
     * The kernel takes these for the wildcard: a listener that was meant for this host would be open on every RDMA
     * device.
     */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1"})
    void listeningAtALoopbackAddressIsRefusedOnEveryWay(String loopback) throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(loopback), 0);
        try (EventChannel channel = EventChannel.create()) {
            ConnectionId other = channel.createId(PortSpace.UDP);
            for (ThrowingCallable use : new ThrowingCallable[] {
                () -> id.id().bind(address),
                () -> id.listen(address, 1),
                () -> other.bind(address),
                () -> CmAddress.resolveLocal(loopback, "0", PortSpace.TCP)
                        .getFirst()
                        .createEndpoint(PATIENCE),
                () -> EndpointServer.bind(address).close()
            }) {
                assertThatThrownBy(use)
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("rdma_bind_addr(")
                        .hasMessageContaining("ENODEV")
                        .hasMessageContaining("the kernel would listen on all of them")
                        .hasMessageContaining("Use the address of a network interface that has an RDMA device");
            }
        }
        assertThat(id.id().localAddress()).isEmpty();
        id.listen(HERE, 1);
        assertThat(id.id().localAddress().orElseThrow().getAddress()).isEqualTo(HERE.getAddress());
    }

    @Test
    void networkWithoutARouteIsExplained() {
        assertThatThrownBy(() -> id.resolve(new InetSocketAddress("192.168.77.1", 4711), PATIENCE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("192.168.77.1:4711")
                .hasMessageContaining("ENETUNREACH")
                .hasMessageContaining("ip route get");
    }

    @Test
    void hostThatDoesNotAnswerIsATimeout() {
        byte[] neighbour = HERE.getAddress().getAddress();
        neighbour[3] = 77;
        InetSocketAddress absent = CmTestNet.withPort(CmTestNet.address(neighbour), 4711);
        ConnectionException failure =
                catchThrowableOfType(ConnectionException.class, () -> id.resolve(absent, Duration.ofMillis(500)));
        assertThat(failure.errnoName()).isEqualTo("ETIMEDOUT");
        assertThat(failure).hasMessageContaining("resolving " + absent);
        assertThat(failure.remedy()).contains("answers a ping");
    }

    /** One attempt takes a little over 250 ms, so the timeout ends before the kernel reports the failure. */
    @ParameterizedTest
    @ValueSource(ints = {251, 252, 254})
    void timeThatEndsWithinAnAttemptIsATimeout(int millis) {
        byte[] neighbour = HERE.getAddress().getAddress();
        neighbour[3] = 77;
        InetSocketAddress absent = CmTestNet.withPort(CmTestNet.address(neighbour), 4711);
        ConnectionException failure =
                catchThrowableOfType(ConnectionException.class, () -> id.resolve(absent, Duration.ofMillis(millis)));
        assertThat(failure.errnoName()).isEqualTo("ETIMEDOUT");
    }

    @Test
    void addressThatIsNotOursIsExplained() {
        InetSocketAddress foreign = new InetSocketAddress("192.168.77.1", 0);
        for (ThrowingCallable use :
                new ThrowingCallable[] {() -> id.id().bind(foreign), () -> id.resolve(foreign, HERE, PATIENCE)}) {
            assertThatThrownBy(use)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EADDRNOTAVAIL")
                    .hasMessageContaining("192.168.77.1")
                    .hasMessageContaining("'ip address'");
        }
    }

    @Test
    void hostNameThatCannotBeResolvedIsTheCallersMistake() {
        assertThatThrownBy(() -> id.id().bind(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere.invalid could not be resolved");
    }

    @Test
    void addressInUseIsExplainedAndReuseAllowsIt() {
        try (SynchronousId other = SynchronousId.create(PortSpace.TCP)) {
            id.listen(HERE, 1);
            InetSocketAddress taken = id.id().localAddress().orElseThrow();
            assertThatThrownBy(() -> other.id().bind(taken))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EADDRINUSE")
                    .hasMessageContaining("Use another port");
        }
        try (SynchronousId one = SynchronousId.create(PortSpace.TCP);
                SynchronousId two = SynchronousId.create(PortSpace.TCP)) {
            one.id().options().reuseAddress(true);
            two.id().options().reuseAddress(true);
            one.id().bind(HERE);
            two.id().bind(one.id().localAddress().orElseThrow());
            assertThat(two.id().localAddress()).isEqualTo(one.id().localAddress());
        }
    }

    @Test
    void connectFailsWithoutAListener() {
        id.resolve(CmTestNet.withPort(HERE, NOBODY_LISTENS), PATIENCE);
        ConnectionRejectedException failure = catchThrowableOfType(
                ConnectionRejectedException.class,
                () -> id.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()), PATIENCE));
        assertThat(failure.reason()).isEqualTo(RejectReason.INVALID_SERVICE_ID);
        assertThat(failure.event()).isEqualTo(CmEventType.REJECTED);
        assertThat(failure.errnoName()).isEqualTo("ECONNREFUSED");
        assertThat(failure)
                .hasMessageContaining("nobody listens for RDMA at this address and port, in this port space")
                .hasMessageContaining("Check that the peer listens");
    }

    @Test
    void datagramConnectFailsWithoutAListener() {
        try (SynchronousId datagrams = SynchronousId.create(PortSpace.UDP)) {
            datagrams.resolve(CmTestNet.withPort(HERE, NOBODY_LISTENS), PATIENCE);
            ConnectionRejectedException failure = catchThrowableOfType(
                    ConnectionRejectedException.class,
                    () -> datagrams.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()), PATIENCE));
            assertThat(failure.status()).isEqualTo(1);
            assertThat(failure.event()).isEqualTo(CmEventType.UNREACHABLE);
            assertThat(failure).hasMessageContaining("nobody listens");
        }
    }

    @Test
    void rejectionHasTheReason() {
        try (SynchronousId server = SynchronousId.create(PortSpace.TCP)) {
            server.listen(HERE, 1);
            id.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
            id.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            try (SynchronousId request = server.getRequest(PATIENCE).orElseThrow()) {
                request.id().reject("the house is full".getBytes(StandardCharsets.US_ASCII));
            }
            ConnectionRejectedException failure = catchThrowableOfType(
                    ConnectionRejectedException.class, () -> id.await(CmEventType.ESTABLISHED, PATIENCE));
            assertThat(failure.reason()).isEqualTo(RejectReason.CONSUMER_DEFINED);
            assertThat(failure.status()).isEqualTo(RejectReason.CONSUMER_DEFINED.code());
            assertThat(failure.remedy()).startsWith("see what the peer's program says");
            assertThat(failure.privateData()).hasSize(PortSpace.TCP.maxRejectData());
            assertThat(new String(failure.privateData(), StandardCharsets.US_ASCII))
                    .startsWith("the house is full\0");
        }
    }

    @Test
    void peerRefusesTheVendorOptions() {
        try (SynchronousId server = SynchronousId.create(PortSpace.TCP)) {
            server.listen(HERE, 1);
            id.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
            id.id().connect(config -> config.queuePairNumber(CmTestNet.nextNumber()));
            try (SynchronousId request = server.getRequest(PATIENCE).orElseThrow()) {
                request.id().rejectEce();
            }
            ConnectionRejectedException failure = catchThrowableOfType(
                    ConnectionRejectedException.class, () -> id.await(CmEventType.ESTABLISHED, PATIENCE));
            assertThat(failure.reason()).isEqualTo(RejectReason.VENDOR_OPTION_NOT_SUPPORTED);
        }
    }

    @Test
    void peerThatDoesNotAnswerIsATimeout() {
        try (SynchronousId server = SynchronousId.create(PortSpace.TCP)) {
            server.listen(HERE, 1);
            id.resolve(server.id().localAddress().orElseThrow(), PATIENCE);
            ConnectionException failure = catchThrowableOfType(
                    ConnectionException.class,
                    () -> id.connect(config -> config.queuePairNumber(CmTestNet.nextNumber()), Duration.ofMillis(200)));
            assertThat(failure.errnoName()).isEqualTo("ETIMEDOUT");
            assertThat(failure.event()).isNull();
            assertThat(failure).hasMessageContaining("nothing came within 200 ms");
            assertThat(failure.remedy()).contains("check that the peer runs").contains("UDP port 4791");
        }
    }

    @Test
    void callsOutOfOrderAreMistakes() {
        ConnectionId fresh = id.id();
        for (ThrowingCallable use : new ThrowingCallable[] {
            () -> fresh.resolveRoute(PATIENCE),
            () -> fresh.connect(config -> {}),
            () -> fresh.accept(config -> {}),
            fresh::disconnect
        }) {
            assertThatThrownBy(use)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is not bound to a device");
        }
        for (ThrowingCallable use : new ThrowingCallable[] {
            fresh::establish, fresh::reject, fresh::rejectEce, fresh::notifyCommunicationEstablished
        }) {
            assertThatThrownBy(use)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EINVAL")
                    .hasMessageContaining("it needs ")
                    .hasMessageContaining(". See that this holds: an id goes through its steps once");
        }
        assertThatThrownBy(() -> id.getRequest(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith(" does not listen; first comes listen");
        id.resolve(CmTestNet.withPort(HERE, NOBODY_LISTENS), PATIENCE);
        assertThatThrownBy(() -> id.resolve(HERE, PATIENCE))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("it needs ");
        assertThatThrownBy(() -> fresh.resolveRoute(PATIENCE)).hasMessageContaining("once only");
        assertThatThrownBy(() -> fresh.accept(config -> config.queuePairNumber(1)))
                .hasMessageContaining("a request that was not answered yet");
    }

    @Test
    void limitsAreCheckedBeforeTheCallWithBothNumbers() {
        id.resolve(CmTestNet.withPort(HERE, NOBODY_LISTENS), PATIENCE);
        ConnectionId resolved = id.id();
        int depth = resolved.device().orElseThrow().attributes().maxQueuePairInitiatorReadAtomic();
        assertThatThrownBy(() -> resolved.connect(config -> config.initiatorDepth(depth + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("initiator depth %d".formatted(depth + 1))
                .hasMessageContaining("allows 0..%d".formatted(depth));
        assertThatThrownBy(() -> resolved.connect(config -> config.privateData(new byte[57])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("57 bytes of private data: connect in the port space TCP carries at most 56");
        assertThatThrownBy(() -> resolved.accept(config -> config.privateData(new byte[197])))
                .hasMessageContaining("accept in the port space TCP carries at most 196");
        assertThatThrownBy(() -> resolved.reject(new byte[149]))
                .hasMessageContaining("reject in the port space TCP carries at most 148");
        assertThatThrownBy(() -> resolved.connect(config -> config.retryCount(8)))
                .hasMessage("retry count 8 is not in 0..7");
        assertThatThrownBy(() -> resolved.options().ackTimeout(32)).hasMessage("ACK_TIMEOUT 32 is not in 0..31");
        assertThatThrownBy(() -> resolved.listen(0)).hasMessage("a backlog of 0 requests");
        assertThatThrownBy(() -> resolved.resolveRoute(Duration.ZERO)).hasMessage("a timeout of 0 s is not positive");
    }

    @Test
    void infiniBandPathIsRefusedOnRoce() {
        id.id().resolveAddress(CmTestNet.withPort(HERE, NOBODY_LISTENS), PATIENCE);
        id.await(CmEventType.ADDR_RESOLVED, PATIENCE);
        assertThatThrownBy(() -> id.id().options().infiniBandPath(new byte[72]))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("IB_PATH")
                .hasMessageContaining("EINVAL");
    }
}
