// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_ah_attr;
import io.github.rdma4j.verbs.bindings.ibv_qp_attr;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.Mtu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Paths, rates and queue pair attributes as values, and as the structures of verbs.h. */
class AddressHandleAttributesTest {
    private static final Gid GID = gid();

    private static Gid gid() {
        byte[] bytes = new byte[Gid.LENGTH];
        bytes[0] = (byte) 0xfe;
        bytes[1] = (byte) 0x80;
        bytes[15] = 9;
        return Gid.of(bytes);
    }

    @Test
    void pathSurvivesTheStructure() {
        AddressHandleAttributes path = AddressHandleAttributes.toGid(2, 255, GID)
                .withDestinationLid(0xffff)
                .withServiceLevel(15)
                .withSourcePathBits(127)
                .withStaticRate(StaticRate.GBPS_100)
                .withFlowLabel(0xfffff)
                .withHopLimit(255)
                .withTrafficClass(255);
        assertThat(roundTrip(path)).isEqualTo(path);
        AddressHandleAttributes local = AddressHandleAttributes.toLid(1, 7);
        assertThat(roundTrip(local)).isEqualTo(local);
        assertThat(local.globalRoute()).isEmpty();
    }

    private static AddressHandleAttributes roundTrip(AddressHandleAttributes path) {
        MemorySegment memory = ibv_ah_attr.allocate(Arena.ofAuto());
        path.write(memory);
        return AddressHandleAttributes.read(memory);
    }

    @Test
    void pathIsReadable() {
        assertThat(AddressHandleAttributes.toGid(1, 3, GID).withTrafficClass(8))
                .hasToString(
                        "to GID fe80:0000:0000:0000:0000:0000:0000:0009 from the GID at index 3 of port 1, hop limit"
                                + " 64, traffic class 8");
        assertThat(AddressHandleAttributes.toLid(1, 5).withStaticRate(StaticRate.GBPS_10))
                .hasToString("to LID 5 from port 1, rate GBPS_10");
    }

    @Test
    void rangesAreChecked() {
        AddressHandleAttributes path = AddressHandleAttributes.toGid(1, 0, GID);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> path.withServiceLevel(16))
                .withMessage("service level 16 is not in 0..15");
        assertThatIllegalArgumentException().isThrownBy(() -> path.withDestinationLid(0x10000));
        assertThatIllegalArgumentException().isThrownBy(() -> path.withSourcePathBits(128));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> path.withFlowLabel(1 << 20))
                .withMessageContaining("0x100000 has more than 20 bits");
        assertThatIllegalArgumentException().isThrownBy(() -> path.withHopLimit(256));
        assertThatIllegalArgumentException().isThrownBy(() -> path.withTrafficClass(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> AddressHandleAttributes.toGid(1, 256, GID));
        assertThatIllegalArgumentException().isThrownBy(() -> AddressHandleAttributes.toLid(256, 1));
        assertThatIllegalStateException()
                .isThrownBy(() -> AddressHandleAttributes.toLid(1, 1).withHopLimit(1))
                .withMessageContaining("no global route");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> roundTrip(path.withStaticRate(StaticRate.UNKNOWN)))
                .withMessageContaining("rate is unknown");
    }

    @Test
    void flowLabelsGiveThePortsOfTheSpecification() {
        assertThat(GlobalRoute.udpSourcePort(0)).isEqualTo(0xc000);
        assertThat(GlobalRoute.udpSourcePort(0xfffff)).isEqualTo(0xc000 | (0x3fff ^ 0x3f));
        assertThat(GlobalRoute.udpSourcePort(0x12345)).isEqualTo(0xc000 | (0x2345 ^ 0x4));
        assertThat(GlobalRoute.udpSourcePort(0x1_00001)).isEqualTo(0xc001 ^ 0);
        assertThat(new GlobalRoute(GID, 0x12345, 0, 1, 0).udpSourcePort()).isEqualTo(0xe341);
    }

    @Test
    void ratesAreThoseOfTheHeader() {
        assertThat(StaticRate.GBPS_2_5.code()).isEqualTo(RdmaHeaders.IBV_RATE_2_5_GBPS());
        assertThat(StaticRate.GBPS_28.code()).isEqualTo(RdmaHeaders.IBV_RATE_28_GBPS());
        assertThat(StaticRate.GBPS_1200.code()).isEqualTo(RdmaHeaders.IBV_RATE_1200_GBPS());
        assertThat(StaticRate.ofCode(99)).isEqualTo(StaticRate.UNKNOWN);
        assertThat(StaticRate.ofMegabitsPerSecond(103_125)).isEqualTo(StaticRate.GBPS_100);
        assertThat(StaticRate.ofMegabitsPerSecond(1)).isEqualTo(StaticRate.MAX);
        assertThat(StaticRate.ofMultiple(11)).isEqualTo(StaticRate.GBPS_28);
        assertThat(StaticRate.ofMultiple(7)).isEqualTo(StaticRate.MAX);
    }

    @ParameterizedTest
    @EnumSource(value = StaticRate.class, mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void rateIsFoundByItsCodeSpeedAndMultiple(StaticRate rate) {
        assertThat(StaticRate.ofCode(rate.code())).isEqualTo(rate);
        assertThat(StaticRate.ofMegabitsPerSecond(rate.megabitsPerSecond())).isEqualTo(rate);
        if (rate.multiple() > 0) {
            assertThat(StaticRate.ofMultiple(rate.multiple())).isEqualTo(rate);
        }
    }

    @Test
    void maskFollowsFromTheSettersCalled() {
        QueuePairAttributesConfig config = new QueuePairAttributesConfig(ibv_qp_attr.allocate(Arena.ofAuto()));
        AddressHandleAttributes path = AddressHandleAttributes.toGid(1, 0, GID);
        assertThat(config.given()).isEmpty();
        config.state(QueuePairState.RTR)
                .currentState(QueuePairState.INIT)
                .notifySendQueueDrained(true)
                .remoteAccess(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
                .partitionKeyIndex(0xffff)
                .port(255)
                .queueKey(0x8001_0000)
                .path(path)
                .pathMtu(Mtu.MTU_4096)
                .timeout(31)
                .retryCount(7)
                .rnrRetry(7)
                .receivePacketSequenceNumber(0xffffff)
                .maxReadAtomic(255)
                .alternatePath(path.withTrafficClass(1), 5, 30)
                .minRnrTimer(31)
                .sendPacketSequenceNumber(0xfffffe)
                .maxDestinationReadAtomic(254)
                .pathMigrationState(PathMigrationState.ARMED)
                .capabilities(new QueuePairCapabilities(1, 2, 3, 4, 5))
                .destinationQueuePairNumber(0xfffffd)
                .rateLimit(0xffff_fffeL);
        assertThat(config.given()).isEqualTo(EnumSet.allOf(QueuePairAttribute.class));
        assertThat(QueuePairAttribute.mask(config.given())).isEqualTo((1 << 21) - 1 | RdmaHeaders.IBV_QP_RATE_LIMIT());
        QueuePairAttributes values = config.values();
        assertThat(values.state()).isEqualTo(QueuePairState.RTR);
        assertThat(values.currentState()).isEqualTo(QueuePairState.INIT);
        assertThat(values.notifySendQueueDrained()).isTrue();
        assertThat(values.remoteAccess()).containsExactlyInAnyOrder(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        assertThat(values.partitionKeyIndex()).isEqualTo(0xffff);
        assertThat(values.port()).isEqualTo(255);
        assertThat(values.queueKey()).isEqualTo(0x8001_0000);
        assertThat(values.path()).isEqualTo(path);
        assertThat(values.pathMtu()).isEqualTo(Mtu.MTU_4096);
        assertThat(values.timeout()).isEqualTo(31);
        assertThat(values.retryCount()).isEqualTo(7);
        assertThat(values.rnrRetry()).isEqualTo(7);
        assertThat(values.receivePacketSequenceNumber()).isEqualTo(0xffffff);
        assertThat(values.maxReadAtomic()).isEqualTo(255);
        assertThat(values.alternatePath()).isEqualTo(path.withTrafficClass(1));
        assertThat(values.alternatePartitionKeyIndex()).isEqualTo(5);
        assertThat(values.alternatePort()).isEqualTo(1);
        assertThat(values.alternateTimeout()).isEqualTo(30);
        assertThat(values.minRnrTimer()).isEqualTo(31);
        assertThat(values.sendPacketSequenceNumber()).isEqualTo(0xfffffe);
        assertThat(values.maxDestinationReadAtomic()).isEqualTo(254);
        assertThat(values.pathMigrationState()).isEqualTo(PathMigrationState.ARMED);
        assertThat(values.capabilities()).isEqualTo(new QueuePairCapabilities(1, 2, 3, 4, 5));
        assertThat(values.destinationQueuePairNumber()).isEqualTo(0xfffffd);
        assertThat(values.rateLimit()).isEqualTo(0xffff_fffeL);
    }

    @Test
    void settersCheckTheRangesOfTheWire() {
        QueuePairAttributesConfig config = new QueuePairAttributesConfig(ibv_qp_attr.allocate(Arena.ofAuto()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> config.timeout(32))
                .withMessage("timeout 32 is not in 0..31");
        assertThatIllegalArgumentException().isThrownBy(() -> config.retryCount(8));
        assertThatIllegalArgumentException().isThrownBy(() -> config.rnrRetry(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> config.minRnrTimer(32));
        assertThatIllegalArgumentException().isThrownBy(() -> config.sendPacketSequenceNumber(1 << 24));
        assertThatIllegalArgumentException().isThrownBy(() -> config.receivePacketSequenceNumber(1 << 24));
        assertThatIllegalArgumentException().isThrownBy(() -> config.destinationQueuePairNumber(1 << 24));
        assertThatIllegalArgumentException().isThrownBy(() -> config.pathMtu(Mtu.UNKNOWN));
        assertThatIllegalArgumentException().isThrownBy(() -> config.state(QueuePairState.UNKNOWN));
        assertThatIllegalArgumentException().isThrownBy(() -> config.pathMigrationState(PathMigrationState.UNKNOWN));
        assertThatIllegalArgumentException().isThrownBy(() -> config.rateLimit(1L << 32));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> config.alternatePath(AddressHandleAttributes.toLid(1, 1), 0, 32));
        assertThat(config.given()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(QueuePairAttribute.class)
    void everyAttributeNamesASetterThatExists(QueuePairAttribute attribute) {
        assertThat(QueuePairAttributesConfig.class.getMethods())
                .extracting(java.lang.reflect.Method::getName)
                .contains(attribute.setter());
    }

    @Test
    void bitsAreThoseOfTheHeader() {
        assertThat(QueuePairAttribute.STATE.bit()).isEqualTo(RdmaHeaders.IBV_QP_STATE());
        assertThat(QueuePairAttribute.AV.bit()).isEqualTo(RdmaHeaders.IBV_QP_AV());
        assertThat(QueuePairAttribute.MAX_QP_RD_ATOMIC.bit()).isEqualTo(RdmaHeaders.IBV_QP_MAX_QP_RD_ATOMIC());
        assertThat(QueuePairAttribute.MAX_DEST_RD_ATOMIC.bit()).isEqualTo(RdmaHeaders.IBV_QP_MAX_DEST_RD_ATOMIC());
        assertThat(QueuePairAttribute.DEST_QPN.bit()).isEqualTo(RdmaHeaders.IBV_QP_DEST_QPN());
        assertThat(QueuePairAttribute.RATE_LIMIT.bit()).isEqualTo(RdmaHeaders.IBV_QP_RATE_LIMIT());
        assertThat(PathMigrationState.ofCode(RdmaHeaders.IBV_MIG_ARMED())).isEqualTo(PathMigrationState.ARMED);
        assertThat(PathMigrationState.ofCode(3)).isEqualTo(PathMigrationState.UNKNOWN);
        assertThat(QueuePairType.ofCode(RdmaHeaders.IBV_QPT_XRC_RECV())).isEqualTo(QueuePairType.XRC_RECV);
        assertThat(QueuePairType.ofCode(RdmaHeaders.IBV_QPT_RAW_PACKET())).isEqualTo(QueuePairType.RAW_PACKET);
    }
}
