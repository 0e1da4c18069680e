// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.Mtu;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** New queue pairs of each type, queried, prepared, and taken through their states by hand. */
@Tag("device")
class QueuePairQueryDeviceTest {
    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionQueue queue;

    @BeforeEach
    void open() {
        context = TestDevice.open();
        domain = context.allocateProtectionDomain();
        queue = context.createCompletionQueue(100);
    }

    @AfterEach
    void close() {
        context.close();
    }

    private QueuePair create(QueuePairType type) {
        return domain.createQueuePair(
                type,
                config -> config.completionQueue(queue)
                        .maxSendWorkRequests(20)
                        .maxReceiveWorkRequests(30)
                        .maxSendScatterGather(3)
                        .maxReceiveScatterGather(2)
                        .maxInlineData(40));
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    void newQueuePairIsInResetAndHasWhatWasAskedFor(QueuePairType type) {
        QueuePair queuePair = create(type);
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RESET);
        QueuePairAttributes attributes = queuePair.query(QueuePairAttribute.STATE, QueuePairAttribute.CAP);
        assertThat(attributes.state()).isEqualTo(QueuePairState.RESET);
        QueuePairInitAttributes initial = queuePair.queryInitial();
        assertThat(initial.type()).isEqualTo(type);
        assertThat(initial.capabilities().maxSendWorkRequests()).isGreaterThanOrEqualTo(20);
        assertThat(initial.capabilities().maxReceiveWorkRequests()).isGreaterThanOrEqualTo(30);
        assertThat(initial.capabilities().maxSendScatterGather()).isGreaterThanOrEqualTo(3);
        assertThat(initial.capabilities().maxReceiveScatterGather()).isGreaterThanOrEqualTo(2);
        assertThat(initial.capabilities().maxInlineData()).isGreaterThanOrEqualTo(40);
        assertThat(attributes.capabilities()).isEqualTo(initial.capabilities());
        assertThat(initial.sharedReceiveQueue()).isFalse();
        assertThat(attributes.path().globalRoute().map(GlobalRoute::flowLabel).orElse(0))
                .isZero();
    }

    /** One that posts by ibv_wr_* is created by ibv_create_qp_ex. */
    @ParameterizedTest
    @EnumSource(names = {"RC", "UC", "UD"})
    void extendedQueuePairIsQueriedAndMovedLikeAnyOther(QueuePairType type) {
        QueuePair queuePair = domain.createQueuePair(
                type,
                config -> config.completionQueue(queue)
                        .maxSendWorkRequests(20)
                        .maxReceiveWorkRequests(30)
                        .sendOperations(SendOperation.SEND));
        assertThat(queuePair.query(QueuePairAttribute.STATE).state()).isEqualTo(QueuePairState.RESET);
        QueuePairInitAttributes initial = queuePair.queryInitial();
        assertThat(initial.type()).isEqualTo(type);
        assertThat(initial.capabilities().maxSendWorkRequests()).isGreaterThanOrEqualTo(20);
        assertThat(initial.capabilities().maxReceiveWorkRequests()).isGreaterThanOrEqualTo(30);
        boolean datagram = type == QueuePairType.UD;
        queuePair.modify(a -> {
            a.state(QueuePairState.INIT).partitionKeyIndex(0).port(1);
            if (datagram) {
                a.queueKey(0x123);
            } else {
                a.remoteAccess();
            }
        });
        assertThat(queuePair.state()).isEqualTo(QueuePairState.INIT);
        if (datagram) {
            queuePair.modify(a -> a.state(QueuePairState.RTR));
            queuePair.modify(a -> a.state(QueuePairState.RTS).sendPacketSequenceNumber(0x45));
            assertThat(queuePair.query().queueKey()).isEqualTo(0x123);
            assertThat(queuePair.query().sendPacketSequenceNumber()).isEqualTo(0x45);
        }
        queuePair.modify(a -> a.state(QueuePairState.RESET));
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RESET);
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC"})
    void preparedConnectionIsInInit(QueuePairType type) {
        PreparedQueuePair prepared = domain.prepareQueuePair(
                type, config -> config.completionQueue(queue).remoteAccess(AccessFlag.REMOTE_WRITE));
        QueuePair queuePair = prepared.connect(prepared.endpoint());
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RTS);
        assertThat(queuePair.query().remoteAccess()).containsExactly(AccessFlag.REMOTE_WRITE);
        queuePair.modify(a -> a.state(QueuePairState.RESET));
        queuePair.modify(
                a -> a.state(QueuePairState.INIT).partitionKeyIndex(0).port(1).remoteAccess());
        assertThat(queuePair.state()).isEqualTo(QueuePairState.INIT);
    }

    @Test
    void preparedDatagramQueuePairIsActivatedToReadyToSend() {
        PreparedQueuePair prepared = domain.prepareQueuePair(
                QueuePairType.UD, config -> config.completionQueue(queue).queueKey(0x777));
        QueuePair queuePair = prepared.activate();
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RTS);
        assertThat(queuePair.query(QueuePairAttribute.QKEY).queueKey()).isEqualTo(0x777);
    }

    @Test
    void datagramQueuePairGoesThroughItsStatesByHand() {
        QueuePair queuePair = create(QueuePairType.UD);
        queuePair.modify(
                a -> a.state(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(0x123));
        assertThat(queuePair.query(QueuePairAttribute.QKEY).queueKey()).isEqualTo(0x123);
        queuePair.modify(a -> a.state(QueuePairState.RTR));
        queuePair.modify(a -> a.state(QueuePairState.RTS).sendPacketSequenceNumber(0x45));
        assertThat(queuePair.query(QueuePairAttribute.SQ_PSN).sendPacketSequenceNumber())
                .isEqualTo(0x45);
        queuePair.modify(a -> a.queueKey(0x124));
        assertThat(queuePair.query(QueuePairAttribute.QKEY).queueKey()).isEqualTo(0x124);
        queuePair.modify(a -> a.state(QueuePairState.RESET));
        assertThat(queuePair.state()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void datagramQueuePairTakesNoPath() {
        QueuePair queuePair = create(QueuePairType.UD);
        queuePair.modify(
                a -> a.state(QueuePairState.INIT).partitionKeyIndex(0).port(1).queueKey(0x123));
        GidEntry gid = context.selectGid(1);
        ModifyQueuePairException e = catchThrowableOfType(
                ModifyQueuePairException.class,
                () -> queuePair.modify(a -> a.state(QueuePairState.RTR)
                        .path(AddressHandleAttributes.toGid(1, gid.index(), gid.gid()))
                        .pathMtu(Mtu.MTU_1024)));
        assertThat(e.superfluous()).containsExactly(QueuePairAttribute.AV, QueuePairAttribute.PATH_MTU);
        assertThat(e)
                .hasMessageContaining(
                        "INIT to RTR of UD queue pairs does not take AV, PATH_MTU. Do not set path, pathMtu");
    }

    @Test
    void unreliableConnectionTakesNoTimeout() {
        PreparedQueuePair prepared = domain.prepareQueuePair(QueuePairType.UC, config -> config.completionQueue(queue));
        QueuePair queuePair = prepared.connect(prepared.endpoint());
        if (KernelVersion.isAtLeast(6, 12)) { // SoftRoCE has come to look at changes of the state alone
            queuePair.modify(a -> a.timeout(14).minRnrTimer(1));
            return;
        }
        ModifyQueuePairException e = catchThrowableOfType(
                ModifyQueuePairException.class,
                () -> queuePair.modify(a -> a.timeout(14).minRnrTimer(1)));
        assertThat(e).hasMessageContaining("in RTS of UC queue pairs does not take TIMEOUT, MIN_RNR_TIMER");
    }

    /** The conformance tests also request sizes that no device has. */
    @Test
    void sizesThatNoDeviceHasAreRefused() {
        assertThatThrownBy(() -> domain.createQueuePair(
                        QueuePairType.UD, c -> c.completionQueue(queue).maxSendWorkRequests(Integer.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxSendWorkRequests 2147483647");
        assertThatThrownBy(() -> domain.createQueuePair(
                        QueuePairType.UD, c -> c.completionQueue(queue).maxReceiveWorkRequests(Integer.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxReceiveWorkRequests 2147483647");
        assertThatThrownBy(() -> domain.createQueuePair(
                        QueuePairType.UD, c -> c.completionQueue(queue).maxSendScatterGather(0xffff)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65535");
        assertThatThrownBy(() -> domain.createQueuePair(
                        QueuePairType.UD, c -> c.completionQueue(queue).maxReceiveScatterGather(0xffff)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65535");
        assertThat(domain.childCount()).isZero();
    }
}
