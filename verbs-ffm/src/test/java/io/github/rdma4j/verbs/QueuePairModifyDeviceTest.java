// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.Mtu;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Modifies a reliable connection by hand, and checks the messages of refused modifications. */
@Tag("device")
class QueuePairModifyDeviceTest {
    private DeviceContext context;
    private QueuePair queuePair;
    private GidEntry gid;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        ProtectionDomain domain = context.allocateProtectionDomain();
        CompletionQueue queue = context.createCompletionQueue(16);
        PreparedQueuePair prepared = domain.prepareQueuePair(
                QueuePairType.RC, config -> config.completionQueue(queue).maxSendWorkRequests(10));
        queuePair = prepared.connect(prepared.endpoint());
        queuePair.modify(a -> a.state(QueuePairState.RESET));
        gid = context.selectGid(1);
    }

    @AfterEach
    void close() {
        context.close();
    }

    private static void init(QueuePairAttributesConfig a) {
        a.state(QueuePairState.INIT).partitionKeyIndex(0).port(1).remoteAccess(AccessFlag.REMOTE_READ);
    }

    private AddressHandleAttributes path(Gid destination) {
        return AddressHandleAttributes.toGid(1, gid.index(), destination);
    }

    private void readyToReceive(QueuePairAttributesConfig a, AddressHandleAttributes path) {
        a.state(QueuePairState.RTR)
                .path(path)
                .pathMtu(Mtu.MTU_1024)
                .destinationQueuePairNumber(queuePair.number())
                .receivePacketSequenceNumber(0x111)
                .maxDestinationReadAtomic(1)
                .minRnrTimer(12);
    }

    private static void readyToSend(QueuePairAttributesConfig a) {
        a.state(QueuePairState.RTS)
                .timeout(19)
                .retryCount(6)
                .rnrRetry(5)
                .sendPacketSequenceNumber(0x222)
                .maxReadAtomic(1);
    }

    private ModifyQueuePairException refused(Consumer<QueuePairAttributesConfig> configuration) {
        ModifyQueuePairException e =
                catchThrowableOfType(ModifyQueuePairException.class, () -> queuePair.modify(configuration));
        assertThat(e).as("the modification was not refused").isNotNull();
        return e;
    }

    private static Gid ipv4(String address) throws UnknownHostException {
        byte[] gid = new byte[Gid.LENGTH];
        gid[10] = gid[11] = (byte) 0xff;
        System.arraycopy(InetAddress.getByName(address).getAddress(), 0, gid, 12, 4);
        return Gid.of(gid);
    }

    @Test
    void queryReturnsModifiedAttributes() {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.INIT);
        queuePair.modify(a -> readyToReceive(a, path(gid.gid()).withTrafficClass(8)));
        queuePair.modify(QueuePairModifyDeviceTest::readyToSend);
        QueuePairAttributes attributes = queuePair.query();
        assertThat(attributes.state()).isEqualTo(QueuePairState.RTS);
        assertThat(attributes.remoteAccess()).containsExactly(AccessFlag.REMOTE_READ);
        assertThat(attributes.pathMtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(attributes.destinationQueuePairNumber()).isEqualTo(queuePair.number());
        assertThat(attributes.receivePacketSequenceNumber()).isEqualTo(0x111);
        assertThat(attributes.sendPacketSequenceNumber()).isEqualTo(0x222);
        assertThat(attributes.timeout()).isEqualTo(19);
        assertThat(attributes.retryCount()).isEqualTo(6);
        assertThat(attributes.rnrRetry()).isEqualTo(5);
        assertThat(attributes.minRnrTimer()).isEqualTo(12);
        assertThat(attributes.maxReadAtomic()).isEqualTo(1);
        assertThat(attributes.maxDestinationReadAtomic()).isEqualTo(1);
        assertThat(attributes.port()).isEqualTo(1);
        GlobalRoute route = attributes.path().globalRoute().orElseThrow();
        assertThat(route.destinationGid()).isEqualTo(gid.gid());
        assertThat(route.sourceGidIndex()).isEqualTo(gid.index());
        assertThat(route.trafficClass()).isEqualTo(8);
        assertThat(route.hopLimit()).isEqualTo(64);
        assertThat(attributes.capabilities().maxSendWorkRequests()).isGreaterThanOrEqualTo(10);
        QueuePairInitAttributes initial = queuePair.queryInitial();
        assertThat(initial.type()).isEqualTo(QueuePairType.RC);
        assertThat(initial.capabilities()).isEqualTo(attributes.capabilities());
        assertThat(initial.signalAll()).isFalse();
        assertThat(initial.sharedReceiveQueue()).isFalse();
        queuePair.modify(a -> a.minRnrTimer(14).remoteAccess());
        assertThat(queuePair.query(QueuePairAttribute.MIN_RNR_TIMER).minRnrTimer())
                .isEqualTo(14);
        assertThat(queuePair.query(QueuePairAttribute.ACCESS_FLAGS).remoteAccess())
                .isEmpty();
    }

    @Test
    void missingAttributeIsNamed() {
        ModifyQueuePairException e = refused(a -> a.state(QueuePairState.INIT).partitionKeyIndex(0));
        assertThat(e.missing()).containsExactlyInAnyOrder(QueuePairAttribute.PORT, QueuePairAttribute.ACCESS_FLAGS);
        assertThat(e.superfluous()).isEmpty();
        assertThat(e)
                .hasMessage(
                        "ibv_modify_qp(0x%06x RC, RESET to INIT, PKEY_INDEX=0) failed: EINVAL (Invalid argument):"
                                + " missing: ACCESS_FLAGS, PORT. Set remoteAccess, port",
                        queuePair.number());
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void superfluousAttributeIsNamed() {
        ModifyQueuePairException e = refused(a -> {
            init(a);
            a.queueKey(0x1234);
        });
        assertThat(e.superfluous()).containsExactly(QueuePairAttribute.QKEY);
        assertThat(e.missing()).isEmpty();
        assertThat(e)
                .hasMessageContaining(
                        "QKEY=0x00001234) failed: EINVAL (Invalid argument): RESET to INIT of RC queue pairs does not"
                                + " take QKEY. Do not set queueKey");
    }

    @Test
    void impossibleTransitionIsNamedWithTheWayThatLeadsThere() {
        ModifyQueuePairException e = refused(QueuePairModifyDeviceTest::readyToSend);
        assertThat(e.from()).isEqualTo(QueuePairState.RESET);
        assertThat(e.to()).isEqualTo(QueuePairState.RTS);
        assertThat(e)
                .hasMessageEndingWith(
                        "EINVAL (Invalid argument): RC queue pairs do not go from RESET to RTS. Go RESET to"
                                + " INIT to RTR to RTS");
        queuePair.modify(QueuePairModifyDeviceTest::init);
        queuePair.modify(a -> a.state(QueuePairState.ERR));
        assertThat(refused(QueuePairModifyDeviceTest::init))
                .hasMessageContaining("RC queue pairs do not go from ERR to INIT. Go ERR to RESET to INIT");
        if (KernelVersion.isAtLeast(6, 12)) { // SoftRoCE has come to look at changes of the state alone
            queuePair.modify(a -> a.minRnrTimer(1));
        } else {
            assertThat(refused(a -> a.minRnrTimer(1)))
                    .hasMessageContaining("in ERR of RC queue pairs does not take MIN_RNR_TIMER");
        }
    }

    @Test
    void wrongCurrentStateIsNamed() {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        assertThat(refused(a -> {
                    readyToReceive(a, path(gid.gid()));
                    a.currentState(QueuePairState.RTS);
                }))
                .hasMessageContaining("CUR_STATE says RTS, and the queue pair is in INIT");
    }

    @Test
    void gidIndexWithoutAnEntryIsNamed() {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        AddressHandleAttributes path = AddressHandleAttributes.toGid(1, 200, gid.gid());
        assertThat(refused(a -> readyToReceive(a, path)))
                .hasMessageContaining("port 1 has no GID at index 200; in use: [0, 1")
                .hasMessageContaining("Use an index that DeviceContext.gidTable lists");
    }

    @Test
    void pathWithoutAGidIsNamedOnEthernet() {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        assertThat(refused(a -> readyToReceive(a, AddressHandleAttributes.toLid(1, 5))))
                .hasMessageContaining("the path has no global route, and port 1 is Ethernet")
                .hasMessageContaining("AddressHandleAttributes.toGid");
    }

    @Test
    void peerOfAnotherAddressFamilyIsNamed() {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        byte[] global = new byte[Gid.LENGTH];
        global[0] = 0x20;
        global[1] = 0x01;
        global[15] = 1;
        VerbsException e = refused(a -> readyToReceive(a, path(Gid.of(global))));
        assertThat(e)
                .hasMessageContaining("INIT to RTR, AV=[to GID 2001:")
                .hasMessageContaining(
                        "2001:0000:0000:0000:0000:0000:0000:0001 is an IPv6 address, and this side's GID at index "
                                + gid.index() + ", " + gid.gid() + ", is an IPv4 address");
    }

    @Test
    void peerThatDoesNotAnswerIsNamed() throws Exception {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        Gid silent = ipv4("10.99.0.200");
        ModifyQueuePairException e = refused(a -> readyToReceive(a, path(silent)));
        assertThat(e.errnoName()).isEqualTo("ETIMEDOUT");
        assertThat(e)
                .hasMessageContaining("nothing answered ARP or neighbour discovery for " + silent)
                .hasMessageContaining("ping");
    }

    @Test
    void valuesAboveTheDeviceAreRefusedBeforeTheDriver() {
        int served = context.attributes().maxQueuePairReadAtomic();
        assertThatThrownBy(() -> queuePair.modify(a -> a.maxDestinationReadAtomic(served + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxDestinationReadAtomic " + (served + 1))
                .hasMessageContaining("0.." + served);
        assertThatThrownBy(() -> queuePair.modify(a -> a.maxReadAtomic(255)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxReadAtomic 255");
        assertThatThrownBy(
                        () -> queuePair.modify(a -> a.state(QueuePairState.INIT).port(7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no port 7");
        int keys = context.port(1).partitionTableLength();
        assertThatThrownBy(() -> queuePair.modify(a -> a.port(1).partitionKeyIndex(keys)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("partitionKeyIndex " + keys)
                .hasMessageContaining(" has " + keys + " entr");
    }

    @Test
    void unsupportedPacingIsReported() {
        assertThatThrownBy(() -> queuePair.modify(a -> a.rateLimit(1000)))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageContaining("the driver offers no packet pacing (RATE_LIMIT)");
        assertThatThrownBy(() -> queuePair.query(QueuePairAttribute.RATE_LIMIT))
                .isInstanceOf(UnsupportedVerbException.class);
    }

    @Test
    void sendQueueDrainsAndRunsOn() {
        queuePair.modify(QueuePairModifyDeviceTest::init);
        queuePair.modify(a -> readyToReceive(a, path(gid.gid())));
        queuePair.modify(QueuePairModifyDeviceTest::readyToSend);
        queuePair.modify(a -> a.state(QueuePairState.SQD).notifySendQueueDrained(true));
        assertThat(queuePair.state()).isEqualTo(QueuePairState.SQD);
        queuePair.modify(a -> a.timeout(18).retryCount(7));
        assertThat(queuePair.query().timeout()).isEqualTo(18);
        awaitDrained();
        queuePair.modify(a -> a.state(QueuePairState.RTS));
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RTS);
    }

    /** The driver also drains an empty queue, in another thread. */
    private void awaitDrained() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (queuePair.query().sendQueueDraining()) {
            assertThat(System.nanoTime() - end).as("the send queue drains").isNegative();
            Thread.onSpinWait();
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        queuePair.close();
        assertThatThrownBy(() -> queuePair.modify(a -> a.state(QueuePairState.ERR)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> queuePair.query()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> queuePair.queryInitial()).isInstanceOf(IllegalStateException.class);
        assertThat(Set.of(queuePair.isOpen())).containsExactly(false);
    }
}
