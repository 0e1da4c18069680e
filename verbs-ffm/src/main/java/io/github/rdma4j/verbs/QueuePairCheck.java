// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.internal.DeviceDriver;

/**
 * Checks the configuration of a queue pair against the device's limits: the message has both numbers, while the kernel
 * reports only EINVAL.
 */
final class QueuePairCheck {
    private static final int REMOTE = AccessFlag.mask(
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.FLUSH_GLOBAL,
            AccessFlag.FLUSH_PERSISTENT);

    private final QueuePairConfig config;
    private final DeviceContext context;

    QueuePairCheck(QueuePairConfig config, DeviceContext context) {
        this.config = config;
        this.context = context;
    }

    void check(ProtectionDomain domain) {
        if (!config.hasNoQueues()
                && (config.sendCompletionQueue() == null || config.receiveCompletionQueue() == null)) {
            throw new IllegalArgumentException(
                    "a queue pair needs a completion queue: completionQueue(...) was not called");
        }
        for (CompletionQueue queue : config.completionQueues()) {
            if (queue.context() != context) {
                throw new IllegalArgumentException("the completion queue belongs to another device context");
            }
        }
        checkReceivingSide();
        SharedReceiveQueue sharedReceiveQueue = config.sharedReceiveQueue();
        if (sharedReceiveQueue != null) {
            sharedReceiveQueue.requireOpen();
            if (!sharedReceiveQueue.protectionDomain().isSameAs(domain)) {
                throw new IllegalArgumentException("the shared receive queue belongs to another protection domain");
            }
        }
        // SrdQueuePairConfig has checked these against the limits of the adapter, which has one for each queue.
        if (config.srd() == null) {
            int depth = context.limits().maxQueuePairWorkRequests();
            requireRange("maxSendWorkRequests", config.depths().askedSends().orElse(1), 1, depth);
            requireRange(
                    "maxReceiveWorkRequests", config.depths().askedReceives().orElse(1), 1, depth);
            int entries = context.limits().maxScatterGather();
            requireRange("maxSendScatterGather", config.maxSendScatterGather(), 1, entries);
            requireRange("maxReceiveScatterGather", config.maxReceiveScatterGather(), 1, entries);
        }
        // Memory for inline data is allocated before the device is asked, for each request of a batch.
        if (config.maxInlineData() < 0 || config.maxInlineData() > QueuePairConfig.MOST_INLINE_DATA) {
            throw new IllegalArgumentException(
                    "maxInlineData %d: 0..%d are possible, and a device allows less, often some hundred bytes"
                            .formatted(config.maxInlineData(), QueuePairConfig.MOST_INLINE_DATA));
        }
        requireInlineData(config.maxInlineData(), context.driver());
        requirePartition("partitionKeyIndex", context, config.port(), config.partitionKeyIndex());
        if ((config.remoteAccessMask() & ~REMOTE) != 0) {
            throw new IllegalArgumentException(
                    "remoteAccess takes REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC, FLUSH_GLOBAL and FLUSH_PERSISTENT"
                            + " only");
        }
        if (config.gidIndex().orElse(0) > GidEntry.MAX_USABLE_INDEX) {
            throw new IllegalArgumentException("GID index %d: queue pairs can use 0..%d"
                    .formatted(config.gidIndex().orElse(0), GidEntry.MAX_USABLE_INDEX));
        }
        requireRange("maxSegmentHeader", config.maxSegmentHeader(), 0, 0xffff);
        requireRange("sourceQueuePairNumber", config.sourceQueuePairNumber().orElse(0), 0, (1 << 24) - 1);
        // The operations of an SRD queue pair are those that the adapter has.
        if (config.srd() == null) {
            for (SendOperation operation : config.sendOperations()) {
                Checks.operation(config.type(), operation.opcode());
            }
        }
        requireRange("packetSequenceNumber", config.packetSequenceNumber(), 0, (1 << 24) - 1);
    }

    private void checkReceivingSide() {
        QueuePairType type = config.type();
        XrcDomain xrcDomain = config.xrcDomain();
        ReceiveWorkQueueTable receiveTable = config.receiveTable();
        if ((xrcDomain != null) != (type == QueuePairType.XRC_RECV)) {
            throw new IllegalArgumentException(
                    "an XRC domain is for queue pairs of type XRC_RECV, which need one: xrcDomain(...)");
        }
        if (xrcDomain != null && xrcDomain.context() != context) {
            throw new IllegalArgumentException("the XRC domain belongs to another device context");
        }
        if (receiveTable != null && type != QueuePairType.RAW_PACKET && type != QueuePairType.UD) {
            throw new IllegalArgumentException("queue pairs of type %s do not receive by a hash".formatted(type));
        }
        if (receiveTable != null && receiveTable.context() != context) {
            throw new IllegalArgumentException("the table of receive work queues belongs to another device context");
        }
        if (receiveTable != null && config.sharedReceiveQueue() != null) {
            throw new IllegalArgumentException(
                    "a queue pair receives by a hash or into a shared receive queue, not both");
        }
    }

    /** Checks a partition index. iWARP has no partitions and no table: there the default is ignored. */
    static void requirePartition(String name, DeviceContext context, int port, int index) {
        int keys = Math.max(1, context.port(port).partitionTableLength());
        if (index < 0 || index >= keys) {
            throw new IllegalArgumentException(("%s %d: the partition key table of port %d of %s has %d %s"
                            + " (/sys/class/infiniband/%4$s/ports/%3$d/pkeys)")
                    .formatted(
                            name,
                            index,
                            port,
                            context.device().name(),
                            keys,
                            keys == 1 ? "entry, index 0" : "entries, 0.." + (keys - 1)));
        }
    }

    static void requireInlineData(int length, DeviceDriver driver) {
        if (length > 0 && !driver.sendsInlineData()) {
            throw new IllegalArgumentException(
                    "maxInlineData %d: the provider of %s sends no data inline, although it reports that it does. Set maxInlineData(0)"
                            .formatted(length, driver.name()));
        }
    }

    private void requireRange(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException("%s %d: device %s allows %d..%d"
                    .formatted(name, value, context.device().name(), low, high));
        }
    }
}
