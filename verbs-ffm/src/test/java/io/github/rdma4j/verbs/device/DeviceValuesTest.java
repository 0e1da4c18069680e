// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.ReceiveHashField;
import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import io.github.rdma4j.verbs.bindings.ibv_cq_moderation_caps;
import io.github.rdma4j.verbs.bindings.ibv_device_attr;
import io.github.rdma4j.verbs.bindings.ibv_device_attr_ex;
import io.github.rdma4j.verbs.bindings.ibv_odp_caps;
import io.github.rdma4j.verbs.bindings.ibv_packet_pacing_caps;
import io.github.rdma4j.verbs.bindings.ibv_pci_atomic_caps;
import io.github.rdma4j.verbs.bindings.ibv_port_attr;
import io.github.rdma4j.verbs.bindings.ibv_rss_caps;
import io.github.rdma4j.verbs.bindings.ibv_tm_caps;
import io.github.rdma4j.verbs.bindings.ibv_tso_caps;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.PciAtomicSize;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.RawPacketCapability;
import io.github.rdma4j.verbs.device.OnDemandPagingCapabilities.Operation;
import io.github.rdma4j.verbs.internal.device.DeviceAttributesReader;
import io.github.rdma4j.verbs.internal.device.PortAttributesReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Tests the conversion of native structs to Java, with values of adapters that no test machine has. */
class DeviceValuesTest {
    private final Arena arena = Arena.ofAuto();

    @Test
    void everyNumberOfTheBasicAttributesHasItsPlace() {
        MemorySegment attributes = ibv_device_attr.allocate(arena);
        ibv_device_attr.fw_ver(attributes).setString(0, "20.31.1014");
        ibv_device_attr.max_mr_size(attributes, -1);
        ibv_device_attr.device_cap_flags(attributes, 1 << 17 | 1 << 20 | 1 << 29);
        ibv_device_attr.atomic_cap(attributes, 2);
        ibv_device_attr.max_ee(attributes, 101);
        ibv_device_attr.max_ee_rd_atom(attributes, 102);
        ibv_device_attr.max_ee_init_rd_atom(attributes, 103);
        ibv_device_attr.max_rdd(attributes, 104);
        ibv_device_attr.max_raw_ipv6_qp(attributes, 105);
        ibv_device_attr.max_raw_ethy_qp(attributes, 106);
        ibv_device_attr.max_fmr(attributes, 107);
        ibv_device_attr.max_map_per_fmr(attributes, 108);
        ibv_device_attr.phys_port_cnt(attributes, (byte) 255);

        DeviceAttributes read = DeviceAttributesReader.basic(attributes);

        assertThat(read.firmwareVersion()).isEqualTo("20.31.1014");
        assertThat(read.maxMemoryRegionSize()).isEqualTo(Long.MAX_VALUE);
        assertThat(read.capabilities())
                .containsExactly(
                        DeviceCapability.MEM_WINDOW, DeviceCapability.XRC, DeviceCapability.MANAGED_FLOW_STEERING);
        assertThat(read.atomicCapability()).isEqualTo(AtomicCapability.GLOBAL);
        assertThat(read.maxEndToEndContexts()).isEqualTo(101);
        assertThat(read.maxEndToEndContextReadAtomic()).isEqualTo(102);
        assertThat(read.maxEndToEndContextInitiatorReadAtomic()).isEqualTo(103);
        assertThat(read.maxReliableDatagramDomains()).isEqualTo(104);
        assertThat(read.maxRawIpv6QueuePairs()).isEqualTo(105);
        assertThat(read.maxRawEthertypeQueuePairs()).isEqualTo(106);
        assertThat(read.maxFastMemoryRegions()).isEqualTo(107);
        assertThat(read.maxMapsPerFastMemoryRegion()).isEqualTo(108);
        assertThat(read.physicalPortCount()).isEqualTo(255);
    }

    @Test
    void extendedAttributesOfARichAdapterAreRead() {
        MemorySegment attributes = ibv_device_attr_ex.allocate(arena);
        MemorySegment paging = ibv_device_attr_ex.odp_caps(attributes);
        ibv_odp_caps.general_caps(paging, 3);
        MemorySegment transports = ibv_odp_caps.per_transport_caps(paging);
        ibv_odp_caps.per_transport_caps.rc_odp_caps(transports, 0xff);
        ibv_odp_caps.per_transport_caps.ud_odp_caps(transports, 1);
        ibv_device_attr_ex.xrc_odp_caps(attributes, 1 << 5);
        ibv_device_attr_ex.completion_timestamp_mask(attributes, -1L >>> 1);
        ibv_device_attr_ex.hca_core_clock(attributes, 78125);
        ibv_device_attr_ex.device_cap_flags_ex(attributes, 1L << 34 | 1L << 36 | 1L << 41 | 1 << 17);
        ibv_tso_caps.max_tso(ibv_device_attr_ex.tso_caps(attributes), 1 << 18);
        ibv_tso_caps.supported_qpts(ibv_device_attr_ex.tso_caps(attributes), 1 << 2);
        MemorySegment hashing = ibv_device_attr_ex.rss_caps(attributes);
        ibv_rss_caps.supported_qpts(hashing, 1 << 2);
        ibv_rss_caps.max_rwq_indirection_tables(hashing, 11);
        ibv_rss_caps.max_rwq_indirection_table_size(hashing, 12);
        ibv_rss_caps.rx_hash_fields_mask(hashing, 1L << 31 | 1);
        ibv_rss_caps.rx_hash_function(hashing, (byte) 1);
        ibv_device_attr_ex.max_wq_type_rq(attributes, 13);
        ibv_packet_pacing_caps.qp_rate_limit_min(ibv_device_attr_ex.packet_pacing_caps(attributes), 1);
        ibv_packet_pacing_caps.qp_rate_limit_max(ibv_device_attr_ex.packet_pacing_caps(attributes), -1);
        ibv_device_attr_ex.raw_packet_caps(attributes, 1 | 1 << 3);
        MemorySegment tags = ibv_device_attr_ex.tm_caps(attributes);
        ibv_tm_caps.max_rndv_hdr_size(tags, 64);
        ibv_tm_caps.max_num_tags(tags, 127);
        ibv_tm_caps.flags(tags, 1);
        ibv_tm_caps.max_ops(tags, 14);
        ibv_tm_caps.max_sge(tags, 15);
        ibv_cq_moderation_caps.max_cq_count(ibv_device_attr_ex.cq_mod_caps(attributes), (short) -1);
        ibv_cq_moderation_caps.max_cq_period(ibv_device_attr_ex.cq_mod_caps(attributes), (short) 4095);
        ibv_device_attr_ex.max_dm_size(attributes, 131072);
        ibv_pci_atomic_caps.compare_swap(ibv_device_attr_ex.pci_atomic_caps(attributes), (short) 7);
        ibv_device_attr_ex.phys_port_cnt_ex(attributes, 300);

        ExtendedDeviceAttributes read = DeviceAttributesReader.extended(attributes);

        assertThat(read.onDemandPaging().supported()).isTrue();
        assertThat(read.onDemandPaging().implicitSupported()).isTrue();
        assertThat(read.onDemandPaging().rc()).containsExactly(Operation.values());
        assertThat(read.onDemandPaging().uc()).isEmpty();
        assertThat(read.onDemandPaging().ud()).containsExactly(Operation.SEND);
        assertThat(read.onDemandPaging().xrc()).containsExactly(Operation.SHARED_RECEIVE);
        assertThat(read.completionTimestampMask()).isEqualTo(Long.MAX_VALUE);
        assertThat(read.coreClockKilohertz()).isEqualTo(78125);
        assertThat(read.capabilities())
                .containsExactly(
                        DeviceCapability.MEM_WINDOW,
                        DeviceCapability.RAW_SCATTER_FCS,
                        DeviceCapability.PCI_WRITE_END_PADDING,
                        DeviceCapability.CC_DMA_BOUNCE);
        assertThat(read.segmentationOffload().maxPayload()).isEqualTo(262144);
        assertThat(read.segmentationOffload().queuePairTypes()).containsExactly(QueuePairType.RC);
        assertThat(read.receiveHashing().maxIndirectionTables()).isEqualTo(11);
        assertThat(read.receiveHashing().maxIndirectionTableSize()).isEqualTo(12);
        assertThat(read.receiveHashing().fields())
                .containsExactly(ReceiveHashField.SOURCE_IPV4, ReceiveHashField.INNER);
        assertThat(read.receiveHashing().toeplitz()).isTrue();
        assertThat(read.maxReceiveWorkQueues()).isEqualTo(13);
        assertThat(read.packetPacing().minRateKilobits()).isEqualTo(1);
        assertThat(read.packetPacing().maxRateKilobits()).isEqualTo(4_294_967_295L);
        assertThat(read.rawPacketCapabilities())
                .containsExactly(RawPacketCapability.CVLAN_STRIPPING, RawPacketCapability.DELAY_DROP);
        assertThat(read.tagMatching()).isEqualTo(new ExtendedDeviceAttributes.TagMatching(64, 127, true, 14, 15));
        assertThat(read.completionModeration())
                .isEqualTo(new ExtendedDeviceAttributes.CompletionModeration(65535, 4095));
        assertThat(read.maxAdapterMemorySize()).isEqualTo(131072);
        assertThat(read.pciAtomics().compareAndSwap()).containsExactly(PciAtomicSize.values());
        assertThat(read.pciAtomics().swap()).isEmpty();
        assertThat(read.physicalPortCount()).isEqualTo(300);
    }

    @Test
    void oldKernelsExtendedAttributesFallBackOnTheBasicOnes() {
        MemorySegment attributes = ibv_device_attr_ex.allocate(arena);
        MemorySegment basic = ibv_device_attr_ex.orig_attr(attributes);
        ibv_device_attr.phys_port_cnt(basic, (byte) 2);
        ibv_device_attr.device_cap_flags(basic, 1 << 20);

        ExtendedDeviceAttributes read = DeviceAttributesReader.extended(attributes);

        assertThat(read.physicalPortCount()).isEqualTo(2);
        assertThat(read.capabilities()).containsExactly(DeviceCapability.XRC);
    }

    @Test
    void portsRateIsLanesTimesSpeedAndTheLongerSpeedFieldWins() {
        MemorySegment port = arena.allocate(PortAttributesReader.NATIVE_SIZE, 8);
        ibv_port_attr.active_width(port, (byte) 2);
        ibv_port_attr.active_speed(port, (byte) 128);
        ibv_port_attr.port_cap_flags(port, 1 << 26);
        ibv_port_attr.port_cap_flags2(port, (short) (1 << 10));
        ibv_port_attr.flags(port, (byte) 1);
        ibv_port_attr.phys_state(port, (byte) 5);
        ibv_port_attr.init_type_reply(port, (byte) 9);
        ibv_port_attr.max_vl_num(port, (byte) 4);
        PortAttributes ndr = PortAttributesReader.read(port);
        assertThat(ndr.activeSpeed()).isEqualTo(LinkSpeed.NDR);
        assertThat(ndr.activeWidth()).isEqualTo(LinkWidth.WIDTH_4X);
        assertThat(ndr.rateGigabitsPerSecond()).isEqualTo(400);
        assertThat(ndr.capabilities()).containsExactly(PortCapability.IP_BASED_GIDS, PortCapability.LINK_SPEED_NDR_SUP);
        assertThat(ndr.globalRouteRequired()).isTrue();
        assertThat(ndr.physicalState()).isEqualTo(PhysicalPortState.LINK_UP);
        assertThat(ndr.initializationTypeReply()).isEqualTo(9);
        assertThat(ndr.virtualLaneCount()).isEqualTo(8);

        port.set(ValueLayout.JAVA_INT, PortAttributesReader.NATIVE_SIZE - 4, 256);

        assertThat(PortAttributesReader.read(port).activeSpeed()).isEqualTo(LinkSpeed.XDR);
        assertThat(PortAttributesReader.read(port).rateGigabitsPerSecond()).isEqualTo(800);
    }

    @Test
    void namesAreLibibverbsOwn() {
        for (int code = -1; code <= 7; code++) {
            assertThat(NodeType.ofCode(code).description())
                    .isEqualTo(
                            LibIbVerbs.ibv_node_type_str(code).reinterpret(64).getString(0));
        }
        for (PortState state : PortState.values()) {
            assertThat(state.description())
                    .isEqualTo(LibIbVerbs.ibv_port_state_str(state.ordinal())
                            .reinterpret(64)
                            .getString(0));
        }
    }

    @Test
    void unknownCodesAreNotErrors() {
        assertThat(LinkWidth.ofCode(77)).isEqualTo(LinkWidth.UNKNOWN);
        assertThat(LinkSpeed.ofCode(3)).isEqualTo(LinkSpeed.UNKNOWN);
        assertThat(PhysicalPortState.ofCode(200)).isEqualTo(PhysicalPortState.UNKNOWN);
        assertThat(AtomicCapability.ofCode(9)).isEqualTo(AtomicCapability.NONE);
        assertThat(NodeType.ofCode(99)).isEqualTo(NodeType.UNKNOWN);
    }
}
