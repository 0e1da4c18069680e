// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.QueuePairType;
import io.github.rdma4j.verbs.ReceiveHashField;
import io.github.rdma4j.verbs.ReceiveWorkQueueTable;
import io.github.rdma4j.verbs.WorkQueue;
import java.util.Set;

/**
 * The extended attributes of a device ({@code struct ibv_device_attr_ex}, ibv_query_device_ex(3)). A missing capability
 * is 0, false or an empty set.
 *
 * @param attributes the attributes of ibv_query_device(3)
 * @param onDemandPaging registering memory without pinning it
 * @param completionTimestampMask the valid bits of completion timestamps; 0 if there are none
 * @param coreClockKilohertz the frequency of the clock that completion timestamps and
 *     {@link DeviceContext#queryRawClock()} count
 * @param capabilities all capabilities of the device
 * @param segmentationOffload cutting long TCP packets in the adapter
 * @param receiveHashing distributing packets over receive queues
 * @param maxReceiveWorkQueues the most {@link WorkQueue}s
 * @param packetPacing limiting the rate of a queue pair
 * @param rawPacketCapabilities the capabilities of raw packet queue pairs
 * @param tagMatching matching of tagged messages
 * @param completionModeration bundling completion events
 * @param maxAdapterMemorySize the device memory that can be allocated, in bytes
 * @param pciAtomics atomics that the device executes across PCI
 * @param physicalPortCount the number of ports, also above 255
 * @since 0.1.0
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
        long maxAdapterMemorySize,
        PciAtomics pciAtomics,
        int physicalPortCount) {

    /**
     * TCP segmentation offload ({@code struct ibv_tso_caps}).
     *
     * @param maxPayload the longest payload that is cut, in bytes
     * @param queuePairTypes the queue pair types that support it
     */
    public record SegmentationOffload(long maxPayload, Set<QueuePairType> queuePairTypes) {}

    /**
     * Receive side scaling ({@code struct ibv_rss_caps}).
     *
     * @param queuePairTypes the queue pair types that support it
     * @param maxIndirectionTables the most {@link ReceiveWorkQueueTable}s
     * @param maxIndirectionTableSize the most entries of one
     * @param fields the fields that can be hashed
     * @param toeplitz whether the Toeplitz function is supported, the only function
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
     * @param queuePairTypes the queue pair types that support it
     */
    public record PacketPacing(long minRateKilobits, long maxRateKilobits, Set<QueuePairType> queuePairTypes) {}

    /** A capability of raw packet queue pairs ({@code enum ibv_raw_packet_caps}). */
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
     * @param rc whether RC queue pairs support it
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
        BYTES_16
    }
}
