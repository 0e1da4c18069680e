// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.EfaCapability;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.internal.EfaCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.SendOpcode;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Settings of an {@link SrdQueuePair} ({@code struct efadv_qp_init_attr} and the attributes of its states). Each setter
 * returns this object. Every setting except the completion queue has a default.
 *
 * @experimental It has been run on a stand-in for the adapter, but not on an EFA.
 * @since 0.1.0
 */
public final class SrdQueuePairConfig {
    /** The bits of the field for the level in a request. */
    private static final int MAX_SERVICE_LEVEL = 0xff;

    private final QueuePairConfig basic = new QueuePairConfig(QueuePairType.DRIVER);
    private OptionalInt rnrRetry = OptionalInt.empty();
    private boolean unsolicitedWrites;
    private boolean inlineWrites;
    private int serviceLevel;
    private long maxRdmaSize;

    SrdQueuePairConfig() {
        basic.srd(this);
    }

    /**
     * Sets the completion queue of requests and receives.
     *
     * @param queue of the same device
     * @return this
     */
    public SrdQueuePairConfig completionQueue(CompletionQueue queue) {
        basic.completionQueue(queue);
        return this;
    }

    /**
     * Sets the completion queue of sends, reads and writes.
     *
     * @param queue of the same device
     * @return this
     */
    public SrdQueuePairConfig sendCompletionQueue(CompletionQueue queue) {
        basic.sendCompletionQueue(queue);
        return this;
    }

    /**
     * Sets the completion queue of receives.
     *
     * @param queue of the same device
     * @return this
     */
    public SrdQueuePairConfig receiveCompletionQueue(CompletionQueue queue) {
        basic.receiveCompletionQueue(queue);
        return this;
    }

    /**
     * Sets the depth of the send queue; the default is as for {@link QueuePairConfig#maxSendWorkRequests}. The queue
     * may become longer: libefa rounds it up to a power of two.
     *
     * @param count at least 1, at most {@link EfaDeviceAttributes#maxSendWorkRequests()}
     * @return this
     */
    public SrdQueuePairConfig maxSendWorkRequests(int count) {
        basic.maxSendWorkRequests(count);
        return this;
    }

    /**
     * Sets the depth of the receive queue; the default and the rounding are as for {@link #maxSendWorkRequests}.
     *
     * @param count at least 1, at most {@link EfaDeviceAttributes#maxReceiveWorkRequests()}
     * @return this
     */
    public SrdQueuePairConfig maxReceiveWorkRequests(int count) {
        basic.maxReceiveWorkRequests(count);
        return this;
    }

    /**
     * Sets whether the depths may exceed the capacity of the completion queues; see
     * {@link QueuePairConfig#oversubscribeCompletionQueue}. Every request of an SRD queue pair makes a completion.
     *
     * @param allowed true to turn the check off
     * @return this
     */
    public SrdQueuePairConfig oversubscribeCompletionQueue(boolean allowed) {
        basic.oversubscribeCompletionQueue(allowed);
        return this;
    }

    /**
     * Sets the maximum number of slices of a {@link SliceList} in a send; default 1. A read or a write has one slice.
     *
     * @param entries at least 1, at most {@link EfaDeviceAttributes#maxSendScatterGather()}, which is 2
     * @return this
     */
    public SrdQueuePairConfig maxSendScatterGather(int entries) {
        basic.maxSendScatterGather(entries);
        return this;
    }

    /**
     * Sets the maximum number of slices of a {@link SliceList} in a receive; default 1.
     *
     * @param entries at least 1, at most {@link EfaDeviceAttributes#maxReceiveScatterGather()}
     * @return this
     */
    public SrdQueuePairConfig maxReceiveScatterGather(int entries) {
        basic.maxReceiveScatterGather(entries);
        return this;
    }

    /**
     * Sets the maximum number of bytes that a send can carry inline; default 0.
     *
     * @param bytes 0 to {@link EfaDeviceAttributes#maxInlineData()}
     * @return this
     */
    public SrdQueuePairConfig maxInlineData(int bytes) {
        basic.maxInlineData(bytes);
        return this;
    }

    /**
     * Sets the key that messages to this queue pair must carry ({@code qkey}); default 0x11111111, as in perftest.
     *
     * @param key any 32 bits
     * @return this
     */
    public SrdQueuePairConfig queueKey(int key) {
        basic.queueKey(key);
        return this;
    }

    /**
     * Sets how often the adapter repeats a message for which the peer has posted no receive ({@code rnr_retry}); the
     * default is the adapter's.
     *
     * @param count 0 to 6, or 7 for any number of times
     * @return this
     */
    public SrdQueuePairConfig rnrRetry(int count) {
        if (count < 0 || count > 7) {
            throw new IllegalArgumentException("rnrRetry %d: 0..7 are possible".formatted(count));
        }
        rnrRetry = OptionalInt.of(count);
        return this;
    }

    /**
     * Sets whether writes with immediate of peers complete here without a posted receive; default false. The peers'
     * queue pairs must have the same setting. The completions have the work-request id 0, and in an
     * {@link ExtendedCompletionQueue} with {@link WorkCompletionField#UNSOLICITED},
     * {@link CompletionCursor#isUnsolicited()} is true for them. Needs rdma-core 52.
     *
     * @param unsolicited true if no receives are posted for them
     * @return this
     */
    public SrdQueuePairConfig unsolicitedWrites(boolean unsolicited) {
        unsolicitedWrites = unsolicited;
        return this;
    }

    /**
     * Sets whether writes can carry inline data, as sends can; default false. Each request then takes 128 bytes instead
     * of 64, which halves the longest send queue. Needs rdma-core 63.
     *
     * @param inline true for {@link SendFlags#INLINE} of writes
     * @return this
     */
    public SrdQueuePairConfig inlineWrites(boolean inline) {
        inlineWrites = inline;
        return this;
    }

    /**
     * Sets the service level; default 0. Others need rdma-core 55 and an adapter that has them.
     *
     * @param level 0 to 255
     * @return this
     */
    public SrdQueuePairConfig serviceLevel(int level) {
        if (level < 0 || level > MAX_SERVICE_LEVEL) {
            throw new IllegalArgumentException(
                    "serviceLevel %d: 0..%d are possible".formatted(level, MAX_SERVICE_LEVEL));
        }
        serviceLevel = level;
        return this;
    }

    /** Checks against the adapter's limits, and returns the settings that all queue pairs have. */
    QueuePairConfig complete(ProtectionDomain domain, EfaDeviceAttributes device) {
        String name = domain.context().device().name();
        requireRange(
                name, "maxSendWorkRequests", basic.depths().askedSends().orElse(1), 1, device.maxSendWorkRequests());
        requireRange(
                name,
                "maxReceiveWorkRequests",
                basic.depths().askedReceives().orElse(1),
                1,
                device.maxReceiveWorkRequests());
        requireRange(name, "maxSendScatterGather", basic.maxSendScatterGather(), 1, device.maxSendScatterGather());
        requireRange(
                name, "maxReceiveScatterGather", basic.maxReceiveScatterGather(), 1, device.maxReceiveScatterGather());
        requireRange(name, "maxInlineData", basic.maxInlineData(), 0, device.maxInlineData());
        if (rnrRetry.isPresent()) {
            requireCapability(name, device, EfaCapability.RNR_RETRY, "rnrRetry");
        }
        if (unsolicitedWrites) {
            requireCapability(name, device, EfaCapability.UNSOLICITED_WRITE_RECEIVE, "unsolicitedWrites");
        }
        if (inlineWrites) {
            requireCapability(name, device, EfaCapability.INLINE_WRITE, "inlineWrites");
        }
        maxRdmaSize = device.maxRdmaSize();
        basic.sendOperations(operations(device.capabilities()).toArray(SendOperation[]::new));
        basic.check(domain);
        return basic;
    }

    private static Set<SendOperation> operations(Set<EfaCapability> capabilities) {
        Set<SendOperation> operations = EnumSet.of(SendOperation.SEND, SendOperation.SEND_WITH_IMMEDIATE);
        if (capabilities.contains(EfaCapability.RDMA_READ)) {
            operations.add(SendOperation.RDMA_READ);
        }
        if (capabilities.contains(EfaCapability.RDMA_WRITE)) {
            operations.add(SendOperation.RDMA_WRITE);
            operations.add(SendOperation.RDMA_WRITE_WITH_IMMEDIATE);
        }
        return operations;
    }

    private static void requireRange(String device, String setting, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(
                    "%s %d: SRD queue pairs of %s allow %d..%d".formatted(setting, value, device, low, high));
        }
    }

    private static void requireCapability(
            String device, EfaDeviceAttributes attributes, EfaCapability wanted, String setting) {
        if (!attributes.capabilities().contains(wanted)) {
            throw missing(device, wanted, setting);
        }
    }

    /** Returns the exception for what the adapter, its driver or the installed rdma-core does not support. */
    private static UnsupportedVerbException missing(String device, EfaCapability wanted, String what) {
        return new UnsupportedVerbException(
                "%s on %s".formatted(what, device),
                Errno.EOPNOTSUPP,
                "efadv_query_device does not report %s, which needs rdma-core %d or later and an adapter that has it"
                        .formatted(wanted, wanted.rdmaCoreVersion()));
    }

    /** Returns the exception for an operation that the adapter, its driver or rdma-core does not support. */
    static UnsupportedVerbException missing(String device, int opcode) {
        return missing(
                device,
                opcode == SendOpcode.RDMA_READ ? EfaCapability.RDMA_READ : EfaCapability.RDMA_WRITE,
                "posting " + SendOpcode.withArticle(opcode));
    }

    OptionalInt rnrRetry() {
        return rnrRetry;
    }

    /** Returns {@code EFADV_QP_FLAGS_…}. */
    int flags() {
        return (unsolicitedWrites ? EfaCalls.UNSOLICITED_WRITE_RECV : 0) | (inlineWrites ? EfaCalls.INLINE_WRITE : 0);
    }

    boolean inlineWrites() {
        return inlineWrites;
    }

    int serviceLevel() {
        return serviceLevel;
    }

    /** In bytes; set by {@link #complete}. */
    long maxRdmaSize() {
        return maxRdmaSize;
    }
}
