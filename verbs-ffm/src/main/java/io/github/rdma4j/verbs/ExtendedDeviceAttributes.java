// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_cq_moderation_caps;
import io.github.rdma4j.verbs.bindings.ibv_device_attr_ex;
import io.github.rdma4j.verbs.bindings.ibv_packet_pacing_caps;
import io.github.rdma4j.verbs.bindings.ibv_pci_atomic_caps;
import io.github.rdma4j.verbs.bindings.ibv_rss_caps;
import io.github.rdma4j.verbs.bindings.ibv_tm_caps;
import io.github.rdma4j.verbs.bindings.ibv_tso_caps;
import io.github.rdma4j.verbs.internal.Flags;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What a device can do beyond {@link DeviceAttributes} ({@code struct ibv_device_attr_ex}, ibv_query_device_ex(3)). What a
 * device does not have is 0, false or an empty set.
 *
 * @param attributes what ibv_query_device(3) tells too
 * @param onDemandPaging registering memory without pinning it
 * @param completionTimestampMask the valid bits of completion timestamps; 0 if there are none
 * @param coreClockKilohertz the frequency of the clock that completion timestamps and {@link DeviceContext#queryRawClock()} count
 * @param capabilities what the device offers, of all flags
 * @param segmentationOffload cutting long TCP packets in the adapter
 * @param receiveHashing distributing packets over receive queues
 * @param maxReceiveWorkQueues the most {@link WorkQueue}s
 * @param packetPacing limiting the rate of a queue pair
 * @param rawPacketCapabilities what raw packet queue pairs can do
 * @param tagMatching matching of tagged messages
 * @param completionModeration bundling completion events
 * @param maxDeviceMemorySize the device memory that can be allocated, in bytes
 * @param pciAtomics atomics that the device executes across PCI
 * @param physicalPortCount the number of ports, also above 255
 */
public record ExtendedDeviceAttributes(
        DeviceAttributes attributes,
        OnDemandPagingCapabilities onDemandPaging,
        long completionTimestampMask,
        long coreClockKilohertz,
        Set<DeviceCapability> capabilities,
        SegmentationOffload segmentationOffload,
        ReceiveHashing receiveHashing,
        int maxReceiveWorkQueues,
        PacketPacing packetPacing,
        Set<RawPacketCapability> rawPacketCapabilities,
        TagMatching tagMatching,
        CompletionModeration completionModeration,
        long maxDeviceMemorySize,
        PciAtomics pciAtomics,
        int physicalPortCount) {

    /**
     * TCP segmentation offload ({@code struct ibv_tso_caps}).
     *
     * @param maxPayload the longest payload that is cut, in bytes
     * @param queuePairTypes the services that have it
     */
    public record SegmentationOffload(long maxPayload, Set<QueuePairType> queuePairTypes) {}

    /**
     * Receive side scaling ({@code struct ibv_rss_caps}).
     *
     * @param queuePairTypes the services that have it
     * @param maxIndirectionTables the most {@link ReceiveWorkQueueTable}s
     * @param maxIndirectionTableSize the most entries of one
     * @param fields what can be hashed
     * @param toeplitz whether the Toeplitz function is offered, the only one that is known
     */
    public record ReceiveHashing(
            Set<QueuePairType> queuePairTypes,
            int maxIndirectionTables,
            int maxIndirectionTableSize,
            Set<ReceiveHashField> fields,
            boolean toeplitz) {}

    /**
     * Packet pacing ({@code struct ibv_packet_pacing_caps}).
     *
     * @param minRateKilobits the least limit, in kbit/s
     * @param maxRateKilobits the greatest limit, in kbit/s
     * @param queuePairTypes the services that have it
     */
    public record PacketPacing(long minRateKilobits, long maxRateKilobits, Set<QueuePairType> queuePairTypes) {}

    /** What raw packet queue pairs can do ({@code enum ibv_raw_packet_caps}). */
    public enum RawPacketCapability {
        /** Removing the VLAN tag from received packets. */
        CVLAN_STRIPPING,
        /** Delivering the frame check sequence. */
        SCATTER_FCS,
        /** Checksum offload. */
        IP_CSUM,
        /** Delaying instead of dropping packets while no receive is posted. */
        DELAY_DROP
    }

    /**
     * Tag matching ({@code struct ibv_tm_caps}).
     *
     * @param maxRendezvousHeaderSize the longest header of a rendezvous request, in bytes
     * @param maxTags the most tagged buffers of a shared receive queue
     * @param rc whether RC queue pairs have it
     * @param maxOperations the most operations on the list that are outstanding
     * @param maxScatterGather the most scatter-gather entries of a tagged buffer
     */
    public record TagMatching(
            int maxRendezvousHeaderSize, int maxTags, boolean rc, int maxOperations, int maxScatterGather) {}

    /**
     * Completion event moderation ({@code struct ibv_cq_moderation_caps}).
     *
     * @param maxCount the most completions before an event
     * @param maxPeriodMicroseconds the longest wait before an event
     */
    public record CompletionModeration(int maxCount, int maxPeriodMicroseconds) {}

    /**
     * The operand sizes of PCI atomics ({@code struct ibv_pci_atomic_caps}).
     *
     * @param fetchAndAdd sizes of fetch-and-add
     * @param swap sizes of an unconditional swap
     * @param compareAndSwap sizes of compare-and-swap
     */
    public record PciAtomics(
            Set<PciAtomicSize> fetchAndAdd, Set<PciAtomicSize> swap, Set<PciAtomicSize> compareAndSwap) {}

    /** The size of a PCI atomic's operand ({@code enum ibv_pci_atomic_op_size}). */
    public enum PciAtomicSize {
        /** Four bytes. */
        BYTES_4,
        /** Eight bytes. */
        BYTES_8,
        /** Sixteen bytes. */
        BYTES_16;

        private static Set<PciAtomicSize> ofMask(short mask) {
            return Flags.of(PciAtomicSize.class, size -> 1L << size.ordinal(), Short.toUnsignedLong(mask));
        }
    }

    private static final int TOEPLITZ = 1;
    private static final int TAG_MATCHING_RC = 1;

    static ExtendedDeviceAttributes read(MemorySegment fields) {
        DeviceAttributes attributes = DeviceAttributes.read(ibv_device_attr_ex.orig_attr(fields));
        int ports = ibv_device_attr_ex.phys_port_cnt_ex(fields);
        return new ExtendedDeviceAttributes(
                attributes,
                OnDemandPagingCapabilities.read(
                        ibv_device_attr_ex.odp_caps(fields), ibv_device_attr_ex.xrc_odp_caps(fields)),
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
                PciAtomicSize.ofMask(ibv_pci_atomic_caps.fetch_add(caps)),
                PciAtomicSize.ofMask(ibv_pci_atomic_caps.swap(caps)),
                PciAtomicSize.ofMask(ibv_pci_atomic_caps.compare_swap(caps)));
    }

    /** As ibv_is_qpt_supported(3) reads such a mask. */
    private static Set<QueuePairType> types(int mask) {
        return Flags.of(QueuePairType.class, type -> 1L << type.code(), Integer.toUnsignedLong(mask));
    }
}
