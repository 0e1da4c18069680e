// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import io.github.rdma4j.verbs.DeviceContext;
import java.util.Set;

/**
 * The identity and the limits of a device ({@code struct ibv_device_attr}, ibv_query_device(3)).
 *
 * @param firmwareVersion the firmware's version, free text
 * @param nodeGuid the node GUID
 * @param systemImageGuid the GUID that all parts of one system share
 * @param maxMemoryRegionSize the largest region that can be registered, in bytes; {@link Long#MAX_VALUE} if the device
 *     names no limit
 * @param pageSizeCapabilities a bit per supported page size
 * @param vendorId the vendor's IEEE OUI
 * @param vendorPartId the vendor's part number
 * @param hardwareVersion the hardware's version
 * @param maxQueuePairs the most queue pairs
 * @param maxQueuePairWorkRequests the most work requests outstanding on one queue of a queue pair
 * @param capabilities the capabilities that this verb reports; {@link DeviceContext#extendedAttributes()} has all
 * @param maxScatterGather the most scatter-gather entries of a work request
 * @param maxScatterGatherRead the maximum number of scatter-gather entries of an RDMA read
 * @param maxCompletionQueues the most completion queues
 * @param maxCompletionQueueEntries the most entries of one completion queue
 * @param maxMemoryRegions the most memory regions
 * @param maxProtectionDomains the most protection domains
 * @param maxQueuePairReadAtomic the most reads and atomics that a queue pair serves at a time as the target
 * @param maxResourceReadAtomic the most reads and atomics that the device serves at a time
 * @param maxQueuePairInitiatorReadAtomic the most reads and atomics that a queue pair has outstanding as the initiator
 * @param maxEndToEndContexts the most end-to-end contexts of reliable datagrams, which no adapter has
 * @param maxEndToEndContextReadAtomic the most reads and atomics that such a context serves as the target
 * @param maxEndToEndContextInitiatorReadAtomic the maximum number that such a context has outstanding as the initiator
 * @param maxReliableDatagramDomains the most domains of reliable datagrams
 * @param maxRawIpv6QueuePairs the most raw IPv6 queue pairs
 * @param maxRawEthertypeQueuePairs the most raw Ethertype queue pairs
 * @param atomicCapability the scope of atomic operations
 * @param maxMemoryWindows the most memory windows
 * @param maxMulticastGroups the most multicast groups
 * @param maxMulticastQueuePairAttach the most queue pairs in one multicast group
 * @param maxTotalMulticastQueuePairAttach the most queue pairs in all multicast groups together
 * @param maxAddressHandles the most address handles
 * @param maxFastMemoryRegions the most fast memory regions, which current kernels do not have
 * @param maxMapsPerFastMemoryRegion how often a fast memory region can be mapped before it must be flushed
 * @param maxSharedReceiveQueues the most shared receive queues
 * @param maxSharedReceiveQueueWorkRequests the most work requests outstanding on one shared receive queue
 * @param maxSharedReceiveQueueScatterGather the most scatter-gather entries of such a work request
 * @param maxPartitionKeys the most partitions
 * @param localAckDelay the delay of acknowledgements, 4.096 microseconds times two to this power
 * @param physicalPortCount the number of ports
 * @since 0.1.0
 */
public record DeviceAttributes(
        String firmwareVersion,
        long nodeGuid,
        long systemImageGuid,
        long maxMemoryRegionSize,
        long pageSizeCapabilities,
        int vendorId,
        int vendorPartId,
        int hardwareVersion,
        int maxQueuePairs,
        int maxQueuePairWorkRequests,
        Set<DeviceCapability> capabilities,
        int maxScatterGather,
        int maxScatterGatherRead,
        int maxCompletionQueues,
        int maxCompletionQueueEntries,
        int maxMemoryRegions,
        int maxProtectionDomains,
        int maxQueuePairReadAtomic,
        int maxResourceReadAtomic,
        int maxQueuePairInitiatorReadAtomic,
        int maxEndToEndContexts,
        int maxEndToEndContextReadAtomic,
        int maxEndToEndContextInitiatorReadAtomic,
        int maxReliableDatagramDomains,
        int maxRawIpv6QueuePairs,
        int maxRawEthertypeQueuePairs,
        AtomicCapability atomicCapability,
        int maxMemoryWindows,
        int maxMulticastGroups,
        int maxMulticastQueuePairAttach,
        int maxTotalMulticastQueuePairAttach,
        int maxAddressHandles,
        int maxFastMemoryRegions,
        int maxMapsPerFastMemoryRegion,
        int maxSharedReceiveQueues,
        int maxSharedReceiveQueueWorkRequests,
        int maxSharedReceiveQueueScatterGather,
        int maxPartitionKeys,
        int localAckDelay,
        int physicalPortCount) {

    /** {@return the main properties: GUIDs in hexadecimal, vendor, and the main limits} */
    @Override
    public String toString() {
        return ("firmware '%s', node GUID %016x, system image GUID %016x, vendor 0x%06x part %d hardware %d, %d ports,"
                        + " at most %d queue pairs of %d work requests, %d completion queues of %d entries, %d memory"
                        + " regions of %d bytes")
                .formatted(
                        firmwareVersion,
                        nodeGuid,
                        systemImageGuid,
                        vendorId,
                        vendorPartId,
                        hardwareVersion,
                        physicalPortCount,
                        maxQueuePairs,
                        maxQueuePairWorkRequests,
                        maxCompletionQueues,
                        maxCompletionQueueEntries,
                        maxMemoryRegions,
                        maxMemoryRegionSize);
    }
}
