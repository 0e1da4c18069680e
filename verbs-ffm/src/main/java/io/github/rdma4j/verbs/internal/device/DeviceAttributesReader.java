// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.device;

import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.ReceiveHashField;
import io.github.rdma4j.verbs.bindings.ibv_cq_moderation_caps;
import io.github.rdma4j.verbs.bindings.ibv_device_attr;
import io.github.rdma4j.verbs.bindings.ibv_device_attr_ex;
import io.github.rdma4j.verbs.bindings.ibv_odp_caps;
import io.github.rdma4j.verbs.bindings.ibv_packet_pacing_caps;
import io.github.rdma4j.verbs.bindings.ibv_pci_atomic_caps;
import io.github.rdma4j.verbs.bindings.ibv_rss_caps;
import io.github.rdma4j.verbs.bindings.ibv_tm_caps;
import io.github.rdma4j.verbs.bindings.ibv_tso_caps;
import io.github.rdma4j.verbs.device.AtomicCapability;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.DeviceCapability;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.CompletionModeration;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.PacketPacing;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.PciAtomicSize;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.PciAtomics;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.RawPacketCapability;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.ReceiveHashing;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.SegmentationOffload;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes.TagMatching;
import io.github.rdma4j.verbs.device.OnDemandPagingCapabilities;
import io.github.rdma4j.verbs.device.OnDemandPagingCapabilities.Operation;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.Flags;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Converts the structures of ibv_query_device(3) and ibv_query_device_ex(3) to the attributes of a device. */
public final class DeviceAttributesReader {
    private static final int TOEPLITZ = 1;
    private static final int TAG_MATCHING_RC = 1;
    private static final long SUPPORT = 1;
    private static final long SUPPORT_IMPLICIT = 2;

    private DeviceAttributesReader() {}

    /**
     * Reads {@code struct ibv_device_attr}.
     *
     * @param attributes as the driver has filled it
     * @return the same in Java
     */
    public static DeviceAttributes basic(MemorySegment attributes) {
        return new DeviceAttributes(
                ibv_device_attr.fw_ver(attributes).getString(0),
                ByteOrders.fromNetwork(ibv_device_attr.node_guid(attributes)),
                ByteOrders.fromNetwork(ibv_device_attr.sys_image_guid(attributes)),
                clamped(ibv_device_attr.max_mr_size(attributes)),
                ibv_device_attr.page_size_cap(attributes),
                ibv_device_attr.vendor_id(attributes),
                ibv_device_attr.vendor_part_id(attributes),
                ibv_device_attr.hw_ver(attributes),
                ibv_device_attr.max_qp(attributes),
                ibv_device_attr.max_qp_wr(attributes),
                DeviceCapability.ofMask(Integer.toUnsignedLong(ibv_device_attr.device_cap_flags(attributes))),
                ibv_device_attr.max_sge(attributes),
                ibv_device_attr.max_sge_rd(attributes),
                ibv_device_attr.max_cq(attributes),
                ibv_device_attr.max_cqe(attributes),
                ibv_device_attr.max_mr(attributes),
                ibv_device_attr.max_pd(attributes),
                ibv_device_attr.max_qp_rd_atom(attributes),
                ibv_device_attr.max_res_rd_atom(attributes),
                ibv_device_attr.max_qp_init_rd_atom(attributes),
                ibv_device_attr.max_ee(attributes),
                ibv_device_attr.max_ee_rd_atom(attributes),
                ibv_device_attr.max_ee_init_rd_atom(attributes),
                ibv_device_attr.max_rdd(attributes),
                ibv_device_attr.max_raw_ipv6_qp(attributes),
                ibv_device_attr.max_raw_ethy_qp(attributes),
                AtomicCapability.ofCode(ibv_device_attr.atomic_cap(attributes)),
                ibv_device_attr.max_mw(attributes),
                ibv_device_attr.max_mcast_grp(attributes),
                ibv_device_attr.max_mcast_qp_attach(attributes),
                ibv_device_attr.max_total_mcast_qp_attach(attributes),
                ibv_device_attr.max_ah(attributes),
                ibv_device_attr.max_fmr(attributes),
                ibv_device_attr.max_map_per_fmr(attributes),
                ibv_device_attr.max_srq(attributes),
                ibv_device_attr.max_srq_wr(attributes),
                ibv_device_attr.max_srq_sge(attributes),
                Short.toUnsignedInt(ibv_device_attr.max_pkeys(attributes)),
                Byte.toUnsignedInt(ibv_device_attr.local_ca_ack_delay(attributes)),
                Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attributes)));
    }

    /** Some devices report "all bits set". */
    private static long clamped(long unsigned) {
        return unsigned < 0 ? Long.MAX_VALUE : unsigned;
    }

    /**
     * Reads {@code struct ibv_device_attr_ex}.
     *
     * @param fields as the driver has filled it
     * @return the same in Java
     */
    public static ExtendedDeviceAttributes extended(MemorySegment fields) {
        DeviceAttributes attributes = basic(ibv_device_attr_ex.orig_attr(fields));
        int ports = ibv_device_attr_ex.phys_port_cnt_ex(fields);
        return new ExtendedDeviceAttributes(
                attributes,
                onDemandPaging(ibv_device_attr_ex.odp_caps(fields), ibv_device_attr_ex.xrc_odp_caps(fields)),
                ibv_device_attr_ex.completion_timestamp_mask(fields),
                ibv_device_attr_ex.hca_core_clock(fields),
                capabilities(fields, attributes),
                segmentationOffload(ibv_device_attr_ex.tso_caps(fields)),
                receiveHashing(ibv_device_attr_ex.rss_caps(fields)),
                ibv_device_attr_ex.max_wq_type_rq(fields),
                packetPacing(ibv_device_attr_ex.packet_pacing_caps(fields)),
                Flags.of(
                        RawPacketCapability.class,
                        capability -> 1L << capability.ordinal(),
                        Integer.toUnsignedLong(ibv_device_attr_ex.raw_packet_caps(fields))),
                tagMatching(ibv_device_attr_ex.tm_caps(fields)),
                completionModeration(ibv_device_attr_ex.cq_mod_caps(fields)),
                ibv_device_attr_ex.max_dm_size(fields),
                pciAtomics(ibv_device_attr_ex.pci_atomic_caps(fields)),
                ports == 0 ? attributes.physicalPortCount() : ports);
    }

    /** Old kernels leave the longer set at 0. */
    private static Set<DeviceCapability> capabilities(MemorySegment fields, DeviceAttributes attributes) {
        long mask = ibv_device_attr_ex.device_cap_flags_ex(fields);
        return mask == 0 ? attributes.capabilities() : DeviceCapability.ofMask(mask);
    }

    private static SegmentationOffload segmentationOffload(MemorySegment caps) {
        return new SegmentationOffload(
                Integer.toUnsignedLong(ibv_tso_caps.max_tso(caps)), types(ibv_tso_caps.supported_qpts(caps)));
    }

    private static ReceiveHashing receiveHashing(MemorySegment caps) {
        return new ReceiveHashing(
                types(ibv_rss_caps.supported_qpts(caps)),
                ibv_rss_caps.max_rwq_indirection_tables(caps),
                ibv_rss_caps.max_rwq_indirection_table_size(caps),
                ReceiveHashField.ofMask(ibv_rss_caps.rx_hash_fields_mask(caps)),
                (ibv_rss_caps.rx_hash_function(caps) & TOEPLITZ) != 0);
    }

    private static PacketPacing packetPacing(MemorySegment caps) {
        return new PacketPacing(
                Integer.toUnsignedLong(ibv_packet_pacing_caps.qp_rate_limit_min(caps)),
                Integer.toUnsignedLong(ibv_packet_pacing_caps.qp_rate_limit_max(caps)),
                types(ibv_packet_pacing_caps.supported_qpts(caps)));
    }

    private static TagMatching tagMatching(MemorySegment caps) {
        return new TagMatching(
                ibv_tm_caps.max_rndv_hdr_size(caps),
                ibv_tm_caps.max_num_tags(caps),
                (ibv_tm_caps.flags(caps) & TAG_MATCHING_RC) != 0,
                ibv_tm_caps.max_ops(caps),
                ibv_tm_caps.max_sge(caps));
    }

    private static CompletionModeration completionModeration(MemorySegment caps) {
        return new CompletionModeration(
                Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_count(caps)),
                Short.toUnsignedInt(ibv_cq_moderation_caps.max_cq_period(caps)));
    }

    private static PciAtomics pciAtomics(MemorySegment caps) {
        return new PciAtomics(
                sizes(ibv_pci_atomic_caps.fetch_add(caps)),
                sizes(ibv_pci_atomic_caps.swap(caps)),
                sizes(ibv_pci_atomic_caps.compare_swap(caps)));
    }

    /** As ibv_is_qpt_supported(3) reads such a mask. */
    private static Set<QueuePairType> types(int mask) {
        return Flags.of(QueuePairType.class, type -> 1L << type.code(), Integer.toUnsignedLong(mask));
    }

    private static Set<PciAtomicSize> sizes(short mask) {
        return Flags.of(PciAtomicSize.class, size -> 1L << size.ordinal(), Short.toUnsignedLong(mask));
    }

    private static OnDemandPagingCapabilities onDemandPaging(MemorySegment capabilities, int xrcMask) {
        long general = ibv_odp_caps.general_caps(capabilities);
        MemorySegment transports = ibv_odp_caps.per_transport_caps(capabilities);
        return new OnDemandPagingCapabilities(
                (general & SUPPORT) != 0,
                (general & SUPPORT_IMPLICIT) != 0,
                operations(ibv_odp_caps.per_transport_caps.rc_odp_caps(transports)),
                operations(ibv_odp_caps.per_transport_caps.uc_odp_caps(transports)),
                operations(ibv_odp_caps.per_transport_caps.ud_odp_caps(transports)),
                operations(xrcMask));
    }

    private static Set<Operation> operations(int mask) {
        return Flags.of(Operation.class, operation -> 1L << operation.ordinal(), Integer.toUnsignedLong(mask));
    }
}
