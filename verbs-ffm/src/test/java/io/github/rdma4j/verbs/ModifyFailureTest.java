// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.bindings.ibv_port_attr;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.Mtu;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ErrnoRemedy;
import io.github.rdma4j.verbs.internal.device.PortAttributesReader;
import io.github.rdma4j.verbs.internal.explain.DeviceFacts;
import io.github.rdma4j.verbs.internal.explain.ModifyFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests the reported reasons for a refused modification, with a simulated device. */
class ModifyFailureTest {
    private static final Gid IPV4 = gid(0, 0, 0xff, 0xff, 10, 1, 1, 1);
    private static final Gid IPV6 = gid(0x20, 0x01, 0, 0, 0, 0, 0, 1);
    private static final Gid PEER = gid(0, 0, 0xff, 0xff, 10, 1, 1, 2);
    private static final List<GidEntry> TABLE =
            List.of(new GidEntry(IPV6, 0, 1, GidType.ROCE_V2, 3), new GidEntry(IPV4, 2, 1, GidType.ROCE_V2, 3));

    /** For the GIDs of this test: a prefix, or the mapping of IPv4, and an end. */
    private static Gid gid(int... bytes) {
        byte[] gid = new byte[Gid.LENGTH];
        boolean mapped = bytes[2] == 0xff;
        for (int i = 0; i < bytes.length; i++) {
            gid[mapped || i >= 4 ? 8 + i : i] = (byte) bytes[i];
        }
        return Gid.of(gid);
    }

    private static DeviceFacts device(int linkLayer, Mtu mtu) {
        return device(linkLayer, mtu, PortState.ACTIVE);
    }

    private static DeviceFacts device(int linkLayer, Mtu mtu, PortState state) {
        MemorySegment port = Arena.ofAuto().allocate(PortAttributesReader.NATIVE_SIZE, Long.BYTES);
        ibv_port_attr.link_layer(port, (byte) linkLayer);
        ibv_port_attr.active_mtu(port, mtu.code());
        ibv_port_attr.pkey_tbl_len(port, (short) PARTITION_KEYS);
        ibv_port_attr.state(port, state.ordinal());
        PortAttributes attributes = PortAttributesReader.read(port);
        return new DeviceFacts() {
            @Override
            public Optional<PortAttributes> port(int number) {
                return number == 1 ? Optional.of(attributes) : Optional.empty();
            }

            @Override
            public List<GidEntry> gids(int number) {
                return TABLE;
            }
        };
    }

    private static final int PARTITION_KEYS = 2;
    private static final DeviceFacts ROCE = device(2, Mtu.MTU_1024);
    private static final DeviceFacts INFINIBAND = device(1, Mtu.MTU_4096);

    private static VerbsException explain(
            QueuePairType type,
            QueuePairState from,
            int errno,
            DeviceFacts device,
            Consumer<QueuePairAttributesConfig> configuration) {
        QueuePairAttributesConfig config = new QueuePairAttributesConfig(ibv_qp_attr.allocate(Arena.ofAuto()));
        configuration.accept(config);
        return new ModifyFailure(0x11, type, from, config.given(), config.values(), device).explain(errno);
    }

    private static void readyToReceive(QueuePairAttributesConfig a, AddressHandleAttributes path) {
        a.state(QueuePairState.RTR)
                .path(path)
                .pathMtu(Mtu.MTU_1024)
                .destinationQueuePairNumber(0x12)
                .receivePacketSequenceNumber(1)
                .maxDestinationReadAtomic(1)
                .minRnrTimer(1);
    }

    private static VerbsException pathRefused(int errno, AddressHandleAttributes path) {
        return explain(QueuePairType.RC, QueuePairState.INIT, errno, ROCE, a -> readyToReceive(a, path));
    }

    private static AddressHandleAttributes toPeer() {
        return AddressHandleAttributes.toGid(1, 2, PEER);
    }

    @Test
    void missingAndSuperfluousAttributesComeTogether() {
        ModifyQueuePairException e = (ModifyQueuePairException) explain(
                QueuePairType.UD,
                QueuePairState.RTR,
                Errno.EINVAL,
                ROCE,
                a -> a.state(QueuePairState.RTS).timeout(14).retryCount(7));
        assertThat(e)
                .hasMessage("ibv_modify_qp(0x000011 UD, RTR to RTS, TIMEOUT=14, RETRY_CNT=7) failed: EINVAL (Invalid"
                        + " argument): missing: SQ_PSN; RTR to RTS of UD queue pairs does not take TIMEOUT,"
                        + " RETRY_CNT. Set sendPacketSequenceNumber; do not set timeout, retryCount");
        assertThat(e.missing()).containsExactly(QueuePairAttribute.SQ_PSN);
        assertThat(e.superfluous()).containsExactly(QueuePairAttribute.TIMEOUT, QueuePairAttribute.RETRY_CNT);
        assertThat(e.from()).isEqualTo(QueuePairState.RTR);
        assertThat(e.to()).isEqualTo(QueuePairState.RTS);
        assertThat(e.errnoName()).isEqualTo("EINVAL");
    }

    @Test
    void unreachableStateNamesThoseThatCanBeReached() {
        assertThat(explain(QueuePairType.RC, QueuePairState.RTS, Errno.EINVAL, ROCE, a -> a.state(QueuePairState.SQE)))
                .hasMessageContaining(
                        "RC queue pairs do not go from RTS to SQE. From RTS it goes to RESET or SQD or ERR");
        assertThat(explain(QueuePairType.RC, QueuePairState.RTR, Errno.EINVAL, ROCE, a -> a.minRnrTimer(3)))
                .hasMessageContaining("in RTR, MIN_RNR_TIMER=3) failed")
                .hasMessageContaining("nothing can be modified in RTR without changing the state");
    }

    @Test
    void nothingIsMadeUpForWhatIsNotKnown() {
        assertThat(explain(
                        QueuePairType.DRIVER,
                        QueuePairState.RESET,
                        Errno.EINVAL,
                        ROCE,
                        a -> a.state(QueuePairState.RTS)))
                .hasMessageContaining("so the driver refuses a value")
                .hasMessageNotContaining("missing");
        assertThat(explain(
                        QueuePairType.RC, QueuePairState.UNKNOWN, Errno.EINVAL, ROCE, a -> a.state(QueuePairState.RTS)))
                .hasMessageContaining("UNKNOWN to RTS")
                .hasMessageContaining("the driver refuses a value");
        assertThat(pathRefused(Errno.EINVAL, toPeer()))
                .hasMessageContaining("the attributes are those that this transition takes")
                .hasMessageContaining("kernel log");
        assertThat(explain(QueuePairType.RC, QueuePairState.INIT, 5, ROCE, a -> a.state(QueuePairState.ERR)))
                .hasMessage("ibv_modify_qp(0x000011 RC, INIT to ERR) failed: EIO (Input/output error). Read the"
                        + ErrnoRemedy.of(5).substring("read the".length()));
    }

    @Test
    void queueThatMayStillDrainIsNamed() {
        assertThat(explain(QueuePairType.RC, QueuePairState.SQD, Errno.EINVAL, ROCE, a -> a.state(QueuePairState.RTS)))
                .hasMessageContaining("SQD to RTS")
                .hasMessageContaining("may not have drained yet")
                .hasMessageContaining("query().sendQueueDraining()")
                .hasMessageNotContaining("kernel log");
    }

    @Test
    void currentStateThatIsNotTheQueuePairsIsNamed() {
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.RTR,
                        Errno.EINVAL,
                        ROCE,
                        a -> a.state(QueuePairState.RTS).currentState(QueuePairState.SQD)))
                .hasMessageContaining("CUR_STATE says SQD, and the queue pair is in RTR; missing: ");
    }

    @Test
    void valuesThatCannotBeAreNamed() {
        assertThat(pathRefused(Errno.EINVAL, AddressHandleAttributes.toGid(1, 7, PEER)))
                .hasMessageContaining("port 1 has no GID at index 7; in use: [0, 2]");
        assertThat(pathRefused(Errno.EINVAL, AddressHandleAttributes.toGid(3, 2, PEER)))
                .hasMessageContaining("the path names port 3, which the device does not have. Ports count from 1");
        assertThat(pathRefused(Errno.EINVAL, AddressHandleAttributes.toLid(1, 2)))
                .hasMessageContaining("the path has no global route, and port 1 is Ethernet");
        assertThat(pathRefused(Errno.EINVAL, AddressHandleAttributes.toGid(1, 2, Gid.ZERO)))
                .hasMessageContaining("the path leads to GID 0")
                .hasMessageNotContaining("IPv6 address");
        assertThat(pathRefused(Errno.EINVAL, AddressHandleAttributes.toGid(1, 0, PEER)))
                .hasMessageContaining(PEER + " is an IPv4 address, and this side's GID at index 0, " + IPV6
                        + ", is an IPv6 address. Have both sides use GIDs of one family");
        assertThat(explain(QueuePairType.RC, QueuePairState.INIT, Errno.EINVAL, ROCE, a -> {
                    readyToReceive(a, toPeer());
                    a.pathMtu(Mtu.MTU_4096);
                }))
                .hasMessageContaining("PATH_MTU 4096 is above the port's active MTU 1024")
                .hasMessageContaining("the smaller of both ports' active MTU");
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.RTS,
                        Errno.EINVAL,
                        ROCE,
                        a -> a.alternatePath(toPeer(), 0, 14)))
                .hasMessageContaining("alternate paths are for InfiniBand, and port 1 is Ethernet");
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.RTS,
                        Errno.EINVAL,
                        INFINIBAND,
                        a -> a.alternatePath(AddressHandleAttributes.toLid(2, 4), 0, 14)))
                .hasMessageContaining("the alternate path names port 2");
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.INIT,
                        Errno.EINVAL,
                        ROCE,
                        a -> a.capabilities(new QueuePairCapabilities(1, 1, 1, 1, 0))))
                .hasMessageContaining("CAP resizes the queues");
    }

    @Test
    void infinibandNeedsNoGlobalRoute() {
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.INIT,
                        Errno.EINVAL,
                        INFINIBAND,
                        a -> readyToReceive(a, AddressHandleAttributes.toLid(1, 2))))
                .hasMessageContaining("the driver refuses a value");
    }

    @Test
    void wrongPathIsExplained() {
        assertThat(pathRefused(Errno.ENETUNREACH, toPeer()))
                .hasMessageContaining(
                        "there is no route to " + PEER + " from " + IPV4 + ". Give the interface an address");
        assertThat(pathRefused(Errno.EHOSTUNREACH, toPeer())).hasMessageContaining("ip route get");
        assertThat(pathRefused(Errno.ETIMEDOUT, toPeer()))
                .hasMessageContaining("nothing answered ARP or neighbour discovery for " + PEER + " from " + IPV4)
                .hasMessageContaining("ping");
        assertThat(pathRefused(Errno.ENODATA, AddressHandleAttributes.toGid(1, 1, PEER)))
                .hasMessageContaining("ENODATA (No data available): port 1 has no GID at index 1; in use: [0, 2]");
        assertThat(pathRefused(Errno.ENOENT, AddressHandleAttributes.toGid(1, 1, PEER)))
                .hasMessageContaining("has no GID at index 1");
        assertThat(pathRefused(Errno.ENOENT, AddressHandleAttributes.toLid(1, 0)))
                .hasMessageContaining("the path has no global route, and port 1 is Ethernet");
        assertThat(pathRefused(Errno.EADDRNOTAVAIL, toPeer())).hasMessageContaining("has lost its address");
        assertThat(pathRefused(Errno.ENODEV, toPeer())).hasMessageContaining("DeviceContext.selectGid");
        assertThat(pathRefused(Errno.ENOMEM, toPeer())).hasMessageContaining("Ask for fewer");
    }

    @Test
    void controlledQueueKeyNeedsARight() {
        assertThat(explain(
                        QueuePairType.UD,
                        QueuePairState.RESET,
                        Errno.EPERM,
                        ROCE,
                        a -> a.state(QueuePairState.INIT).queueKey(0x8001_0000)))
                .hasMessageContaining("a queue key with the highest bit set (0x80010000)")
                .hasMessageContaining("CAP_NET_RAW");
        assertThat(explain(
                        QueuePairType.RAW_PACKET,
                        QueuePairState.RESET,
                        Errno.EPERM,
                        ROCE,
                        a -> a.state(QueuePairState.INIT)))
                .hasMessageContaining("the process has no right to do this");
    }

    @Test
    void missingDriverOperationIsUnsupported() {
        assertThat(explain(QueuePairType.RC, QueuePairState.RTS, Errno.EOPNOTSUPP, ROCE, a -> a.rateLimit(5)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("in RTS, RATE_LIMIT=5 kbit/s)")
                .hasMessageContaining("no packet pacing");
        assertThat(explain(QueuePairType.RC, QueuePairState.RTS, Errno.ENOSYS, ROCE, a -> a.minRnrTimer(5)))
                .isInstanceOf(UnsupportedVerbException.class);
    }

    @Test
    void partitionBeyondThePortsTableIsNamed() {
        VerbsException e = explain(
                QueuePairType.RC,
                QueuePairState.INIT,
                Errno.EINVAL,
                ROCE,
                a -> a.state(QueuePairState.INIT).partitionKeyIndex(PARTITION_KEYS));
        assertThat(e)
                .hasMessageContaining("PKEY_INDEX 2 is beyond the partition key table of port 1, which has 2 entries");
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.INIT,
                        Errno.EINVAL,
                        ROCE,
                        a -> a.state(QueuePairState.INIT).partitionKeyIndex(PARTITION_KEYS - 1)))
                .message()
                .doesNotContain("beyond the partition key table");
        assertThat(explain(
                        QueuePairType.RC,
                        QueuePairState.RTR,
                        Errno.EINVAL,
                        INFINIBAND,
                        a -> a.state(QueuePairState.RTS).alternatePath(AddressHandleAttributes.toLid(1, 9), 7, 8)))
                .hasMessageContaining("ALT_PATH 7 is beyond the partition key table of port 1");
    }

    /** If this side's port is down, the peer is not blamed. */
    @Test
    void ownPortThatIsDownIsNamedBeforeThePeer() {
        DeviceFacts down = device(2, Mtu.MTU_1024, PortState.DOWN);
        for (int errno : new int[] {Errno.ETIMEDOUT, Errno.ENETUNREACH, Errno.EADDRNOTAVAIL}) {
            VerbsException e =
                    explain(QueuePairType.RC, QueuePairState.INIT, errno, down, a -> readyToReceive(a, toPeer()));
            assertThat(e).hasMessageContaining("port 1 of this side's device is DOWN");
            assertThat(e.remedy()).contains("ip link set dev INTERFACE up").doesNotContain("peer");
        }
        assertThat(explain(
                        QueuePairType.RC, QueuePairState.INIT, Errno.ETIMEDOUT, ROCE, a -> readyToReceive(a, toPeer())))
                .hasMessageContaining("nothing answered ARP");
    }

    @Test
    void everyValueIsInTheMessage() {
        VerbsException e = explain(
                QueuePairType.RC,
                QueuePairState.RTS,
                5,
                ROCE,
                a -> a.currentState(QueuePairState.RTS)
                        .notifySendQueueDrained(true)
                        .remoteAccess(AccessFlag.REMOTE_READ)
                        .partitionKeyIndex(1)
                        .port(1)
                        .queueKey(0x2a)
                        .path(toPeer())
                        .pathMtu(Mtu.MTU_512)
                        .timeout(2)
                        .retryCount(3)
                        .rnrRetry(4)
                        .receivePacketSequenceNumber(5)
                        .maxReadAtomic(6)
                        .alternatePath(AddressHandleAttributes.toLid(1, 9), 7, 8)
                        .minRnrTimer(9)
                        .sendPacketSequenceNumber(10)
                        .maxDestinationReadAtomic(11)
                        .pathMigrationState(PathMigrationState.REARM)
                        .capabilities(new QueuePairCapabilities(1, 2, 3, 4, 5))
                        .destinationQueuePairNumber(12)
                        .rateLimit(13));
        assertThat(e.operation())
                .isEqualTo("ibv_modify_qp(0x000011 RC, in RTS, CUR_STATE=RTS, EN_SQD_ASYNC_NOTIFY=true,"
                        + " ACCESS_FLAGS=[REMOTE_READ], PKEY_INDEX=1, PORT=1, QKEY=0x0000002a, AV=[" + toPeer()
                        + "], PATH_MTU=512, TIMEOUT=2, RETRY_CNT=3, RNR_RETRY=4, RQ_PSN=0x000005,"
                        + " MAX_QP_RD_ATOMIC=6, ALT_PATH=[to LID 9 from port 1, partition key index 7, timeout"
                        + " 8], MIN_RNR_TIMER=9, SQ_PSN=0x00000a, MAX_DEST_RD_ATOMIC=11, PATH_MIG_STATE=REARM,"
                        + " CAP=QueuePairCapabilities[maxSendWorkRequests=1, maxReceiveWorkRequests=2,"
                        + " maxSendScatterGather=3, maxReceiveScatterGather=4, maxInlineData=5],"
                        + " DEST_QPN=0x00000c, RATE_LIMIT=13 kbit/s)");
    }
}
