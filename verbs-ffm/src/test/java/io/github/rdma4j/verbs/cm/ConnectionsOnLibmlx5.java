// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.Mlx5StandIn;
import io.github.rdma4j.verbs.QueuePairAttributes;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * rdma_cm on InfiniBand: librdmacm itself, on a kernel that seems to have a port with the address of IPoIB 10.77.0.1.
 * Addresses are resolved to GIDs, routes by the subnet administrator to LIDs, and queue pairs are connected by those.
 */
@Timeout(120)
public class ConnectionsOnLibmlx5 {
    private static final InetSocketAddress HERE = at("10.77.0.1");
    private static final Gid GID = Gid.of(HexFormat.of().parseHex("fe80000000000000020000fffe000001"));
    private static final int LID = 1;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final byte[] GREETING = {1, 2, 3};

    private final SynchronousId listener = SynchronousId.create(PortSpace.TCP);
    private final SynchronousId client = SynchronousId.create(PortSpace.TCP);

    @AfterEach
    void close() {
        client.close();
        listener.close();
        Mlx5StandIn.set("SUBNET_MANAGER", 1);
        Mlx5StandIn.set("PORT_STATE", 4);
        Mlx5StandIn.set("NO_PATH_TO", 0);
        Mlx5StandIn.set("INTERFACE_PKEY", 0xffff);
        Mlx5StandIn.set("SERVICE_LEVEL", 0);
        Mlx5StandIn.set("PATH_MTU", 5);
        Mlx5StandIn.set("HOP_LIMIT", 0);
        Mlx5StandIn.set("CM_MILLISECONDS", 6144);
        // librdmacm keeps a protection domain while somebody has its list of devices.
        assertThat(Mlx5StandIn.objects()).as("objects that the kernel has left").isLessThanOrEqualTo(1);
    }

    private static InetSocketAddress at(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 0);
    }

    private InetSocketAddress listen() {
        listener.listen(HERE, 4);
        return listener.id().localAddress().orElseThrow();
    }

    /** Connects, and looks at how both queue pairs were set. */
    private QueuePairAttributes connect() throws Exception {
        client.resolve(listen(), LONG);
        return connectResolved();
    }

    private QueuePairAttributes connectResolved() throws Exception {
        try (CmEnd one = CmEnd.of(client.id())) {
            client.id().connect(config -> config.privateData(GREETING));
            try (SynchronousId server = listener.getRequest(LONG).orElseThrow()) {
                assertThat(server.request().orElseThrow().privateData())
                        .hasSize(56)
                        .startsWith(GREETING);
                assertThat(server.id().peerGid()).isEqualTo(GID);
                try (CmEnd other = CmEnd.of(server.id())) {
                    server.id().accept(config -> config.privateData(GREETING));
                    assertThat(client.await(CmEventType.ESTABLISHED, LONG).privateData())
                            .hasSize(196)
                            .startsWith(GREETING);
                    server.await(CmEventType.ESTABLISHED, LONG);
                    CmEnd.pingPong(one, other, 3);
                    QueuePairAttributes mine = one.queuePair.query();
                    assertThat(other.queuePair.query().path()).isEqualTo(mine.path());
                    client.id().disconnect();
                    server.await(CmEventType.DISCONNECTED, LONG);
                    server.id().disconnect();
                    client.await(CmEventType.DISCONNECTED, LONG);
                    return mine;
                }
            }
        }
    }

    @Test
    void queuePairsAreConnectedByLids() throws Exception {
        Mlx5StandIn.set("SERVICE_LEVEL", 3);
        Mlx5StandIn.set("PATH_MTU", Mtu.MTU_2048.code());
        QueuePairAttributes pair = connect();
        assertThat(pair.path().destinationLid()).isEqualTo(LID);
        assertThat(pair.path().serviceLevel()).isEqualTo(3);
        assertThat(pair.path().globalRoute()).isEmpty();
        assertThat(pair.pathMtu()).isEqualTo(Mtu.MTU_2048);
        assertThat(client.id().localGid()).isEqualTo(GID);
        assertThat(client.id().peerGid()).isEqualTo(GID);
        assertThat(client.id().localAddress().orElseThrow().getAddress()).isEqualTo(HERE.getAddress());
    }

    /** As ibacm would have given it: one record, of a path both ways. */
    @Test
    void givenPathIsUsed() throws Exception {
        byte[] gids = HexFormat.of().parseHex("fe80000000000000020000fffe000001".repeat(2));
        ByteBuffer path = ByteBuffer.allocate(72);
        path.order(ByteOrder.nativeOrder()).putInt(0x2b).putInt(0);
        path.order(ByteOrder.BIG_ENDIAN)
                .putLong(0)
                .put(gids)
                .putShort((short) LID)
                .putShort((short) LID);
        path.putInt(0).put((byte) 0).put((byte) 0x81).putShort((short) 0xffff).putShort((short) 6);
        path.put((byte) (2 << 6 | 3)).put((byte) (2 << 6 | 16)).put((byte) (2 << 6 | 18));
        client.id().resolveAddress(listen(), LONG);
        client.await(CmEventType.ADDR_RESOLVED, LONG);
        client.id().options().infiniBandPath(path.array());
        client.await(CmEventType.ROUTE_RESOLVED, LONG);
        QueuePairAttributes pair = connectResolved();
        assertThat(pair.path().serviceLevel()).isEqualTo(6);
        assertThat(pair.pathMtu()).isEqualTo(Mtu.MTU_1024);
    }

    @Test
    void pathThroughARouterHasAGlobalRoute() throws Exception {
        Mlx5StandIn.set("HOP_LIMIT", 64);
        AddressHandleAttributes path = connect().path();
        assertThat(path.destinationLid()).isEqualTo(LID);
        assertThat(path.globalRoute()).hasValueSatisfying(route -> {
            assertThat(route.destinationGid()).isEqualTo(GID);
            assertThat(route.hopLimit()).isEqualTo(64);
        });
    }

    @Test
    void partitionOfTheInterfaceIsTheQueuePairs() throws Exception {
        Mlx5StandIn.set("INTERFACE_PKEY", 0x8005);
        assertThat(connect().partitionKeyIndex()).isEqualTo(1);
    }

    @Test
    void datagramsGoToALidThatWasLookedUp() throws Exception {
        try (SynchronousId service = SynchronousId.create(PortSpace.UDP);
                SynchronousId sender = SynchronousId.create(PortSpace.UDP)) {
            service.listen(HERE, 4);
            sender.resolve(service.id().localAddress().orElseThrow(), LONG);
            try (CmEnd one = CmEnd.of(sender.id())) {
                sender.id().connect(config -> config.privateData(GREETING));
                try (SynchronousId server = service.getRequest(LONG).orElseThrow();
                        CmEnd other = CmEnd.of(server.id())) {
                    assertThat(server.request().orElseThrow().privateData())
                            .hasSize(180)
                            .startsWith(GREETING);
                    server.accept(config -> {}, LONG);
                    DatagramParameters there = sender.await(CmEventType.ESTABLISHED, LONG)
                            .datagramParameters()
                            .orElseThrow();
                    assertThat(there.path().destinationLid()).isEqualTo(LID);
                    assertThat(there.path().globalRoute()).isEmpty();
                    one.fill('d');
                    other.receive();
                    one.send(Destination.of(
                            one.domain.createAddressHandle(there.path()), there.queuePairNumber(), there.queueKey()));
                    one.awaitSuccess();
                    other.awaitSuccess();
                    assertThat(other.isFilled('d', WorkCompletion.GLOBAL_ROUTE_HEADER_BYTES))
                            .isTrue();
                }
            }
        }
    }

    private void assertUnresolved(InetSocketAddress to, String... says) {
        assertThatThrownBy(() -> client.resolve(to, SHORT))
                .isInstanceOf(VerbsException.class)
                .satisfies(failure -> assertThat(failure.getMessage())
                        .contains(says)
                        .doesNotContain("RoCE", "firewall", "answers a ping"));
    }

    @Test
    void subnetManagerThatDoesNotAnswerIsNamed() {
        Mlx5StandIn.set("SUBNET_MANAGER", 0);
        assertUnresolved(HERE, "the subnet administrator did not answer", "A subnet manager must run", "sminfo");
    }

    /** The kernel's answer, while the program still waits. */
    @Test
    void soItIsWhenTheKernelGivesUpFirst() {
        Mlx5StandIn.set("SUBNET_MANAGER", 0);
        client.id().resolveAddress(HERE, LONG);
        client.await(CmEventType.ADDR_RESOLVED, LONG);
        client.id().resolveRoute(SHORT);
        assertThatThrownBy(() -> client.await(CmEventType.ROUTE_RESOLVED, LONG))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("ROUTE_ERROR: the subnet administrator did not answer")
                .hasMessageContaining("A subnet manager must run");
    }

    @Test
    void portThatNoSubnetManagerHasConfiguredIsNamed() {
        Mlx5StandIn.set("PORT_STATE", 2);
        assertUnresolved(HERE, "the subnet administrator did not answer", "A subnet manager must run");
    }

    @Test
    void missingPathIsTheSubnetAdministratorsAnswer() {
        Mlx5StandIn.set("NO_PATH_TO", LID);
        assertUnresolved(HERE, "ROUTE_ERROR", "the subnet administrator knows no path", "P_Key", "saquery");
    }

    @Test
    void partitionThatThePortIsNotInHasNoPath() {
        Mlx5StandIn.set("INTERFACE_PKEY", 0x8007);
        assertUnresolved(HERE, "the subnet administrator knows no path", "P_Key");
    }

    /** Its subnet manager has taken it out of the table since the interface was made. */
    @Test
    void partitionKeyThatIsNotInTheTableAnyMoreIsNamed() {
        Mlx5StandIn.set("INTERFACE_PKEY", 0x8007);
        client.id().bind(HERE);
        try (CmEnd end = new CmEnd(client.id().device().orElseThrow())) {
            assertThatThrownBy(
                            () -> client.id().createQueuePair(end.domain, config -> config.completionQueue(end.queue)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ENOENT")
                    .hasMessageContaining("P_Key")
                    .hasMessageContaining("subnet manager");
        }
    }

    @Test
    void addressThatNobodyHasIsNotResolved() {
        assertThatThrownBy(() -> client.resolve(at("10.77.0.9"), SHORT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("ping");
    }

    @Test
    void addressBehindAnotherInterfaceHasNoDevice() {
        assertThatThrownBy(() -> client.resolve(at("192.168.77.1"), SHORT))
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("ENODEV")
                .hasMessageContaining("rdma link");
    }

    @Test
    void connectFailsWithoutAListener() {
        client.resolve(new InetSocketAddress(HERE.getAddress(), 4711), LONG);
        try (CmEnd one = CmEnd.of(client.id())) {
            assertThatThrownBy(() -> client.connect(config -> {}, LONG))
                    .isInstanceOfSatisfying(
                            ConnectionRejectedException.class,
                            rejected -> assertThat(rejected.reason()).isEqualTo(RejectReason.INVALID_SERVICE_ID));
        }
    }

    @Test
    void rejectionHasTheReason() {
        client.resolve(listen(), LONG);
        try (CmEnd one = CmEnd.of(client.id())) {
            client.id().connect(config -> {});
            try (SynchronousId server = listener.getRequest(LONG).orElseThrow()) {
                server.id().reject(GREETING);
            }
            assertThatThrownBy(() -> client.await(CmEventType.ESTABLISHED, LONG))
                    .isInstanceOfSatisfying(ConnectionRejectedException.class, rejected -> {
                        assertThat(rejected.reason()).isEqualTo(RejectReason.CONSUMER_DEFINED);
                        assertThat(rejected.privateData()).hasSize(148).startsWith(GREETING);
                    });
        }
    }

    /** Nothing of UDP's or TCP's ports, which InfiniBand does not have. */
    @Test
    void peerThatIsSilentIsNamedWithWhatInfiniBandHas() {
        Mlx5StandIn.set("CM_MILLISECONDS", 10);
        client.resolve(listen(), LONG);
        try (CmEnd one = CmEnd.of(client.id())) {
            assertThatThrownBy(() -> client.connect(config -> {}, LONG))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("UNREACHABLE")
                    .hasMessageContaining("ibping")
                    .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("4791", "RoCE", "firewall"));
            assertThatThrownBy(() -> client.await(CmEventType.ESTABLISHED, Duration.ofMillis(1)))
                    .hasMessageContaining("ibping")
                    .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("4791"));
        }
    }
}
