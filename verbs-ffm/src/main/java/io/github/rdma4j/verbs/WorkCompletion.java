// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.rdma4j.base.Remedies;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * A view of one completion ({@code struct ibv_wc}) in a {@link WorkCompletions}, as of the last poll. Reading allocates
 * nothing. Of a failed completion, only the work-request id, the status, the vendor error and the queue pair number are
 * valid.
 *
 * @since 0.1.0
 */
public final class WorkCompletion {
    /**
     * The number of bytes before the message of a received datagram. A buffer for a datagram must also have space for
     * them.
     */
    public static final int GLOBAL_ROUTE_HEADER_BYTES = 40;

    private static final int WITH_GLOBAL_ROUTE_HEADER = RdmaHeaders.IBV_WC_GRH();
    private static final int WITH_IMMEDIATE = RdmaHeaders.IBV_WC_WITH_IMM();
    private static final int CHECKSUM_RIGHT = RdmaHeaders.IBV_WC_IP_CSUM_OK();
    private static final int WITH_INVALIDATE = RdmaHeaders.IBV_WC_WITH_INV();
    private static final long WR_ID = ibv_wc.wr_id$offset();
    private static final long STATUS = ibv_wc.status$offset();
    private static final long OPCODE = ibv_wc.opcode$offset();
    private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
    private static final long BYTE_LENGTH = ibv_wc.byte_len$offset();
    private static final long QUEUE_PAIR_NUMBER = ibv_wc.qp_num$offset();

    private static final long IMMEDIATE_OR_KEY = ibv_wc.imm_data$offset();
    private static final long SOURCE_NUMBER = ibv_wc.src_qp$offset();
    private static final long FLAGS = ibv_wc.wc_flags$offset();
    private static final long PARTITION_KEY_INDEX = ibv_wc.pkey_index$offset();
    private static final long SOURCE_LID = ibv_wc.slid$offset();
    private static final long SERVICE_LEVEL = ibv_wc.sl$offset();
    private static final long PATH_BITS = ibv_wc.dlid_path_bits$offset();

    private final MemorySegment memory;
    private final long address;

    WorkCompletion(MemorySegment memory) {
        this.memory = memory;
        this.address = memory.address();
    }

    private long longAt(long offset) {
        long value = NativeMemory.getLong(NativeMemory.structure(address) + offset);
        // The memory lives as long as this object.
        Reference.reachabilityFence(this);
        return value;
    }

    private int intAt(long offset) {
        int value = NativeMemory.getInt(NativeMemory.structure(address) + offset);
        Reference.reachabilityFence(this);
        return value;
    }

    /** {@return the id that the work request was posted with} */
    public long workRequestId() {
        return longAt(WR_ID);
    }

    /** {@return the value of {@code enum ibv_wc_status}; 0 is success} */
    public int statusCode() {
        return intAt(STATUS);
    }

    /** {@return whether the request succeeded} */
    public boolean isSuccess() {
        return intAt(STATUS) == 0;
    }

    /** {@return how the request ended} */
    public WorkCompletionStatus status() {
        return WorkCompletionStatus.ofCode(statusCode());
    }

    /** {@return the type of the request; undefined if it failed} */
    public WorkCompletionOpcode opcode() {
        return WorkCompletionOpcode.ofCode(intAt(OPCODE));
    }

    /** {@return the adapter vendor's error code; 0 if there is none} */
    public int vendorError() {
        return intAt(VENDOR_ERROR);
    }

    /** {@return the number of bytes received or, for a read, read, up to 2^32 - 1; undefined for other requests} */
    public long byteLength() {
        return Integer.toUnsignedLong(intAt(BYTE_LENGTH));
    }

    /** {@return the number of the local queue pair} */
    public int queuePairNumber() {
        return intAt(QUEUE_PAIR_NUMBER);
    }

    /** {@return the number that the peer sent with the message; valid for a receive if {@link #hasImmediateData()}} */
    public int immediateData() {
        return ByteOrders.fromNetwork(intAt(IMMEDIATE_OR_KEY));
    }

    /**
     * {@return whether the peer sent a number with the message, which {@link #immediateData()} returns; for receives}
     */
    public boolean hasImmediateData() {
        return (flags() & WITH_IMMEDIATE) != 0;
    }

    /**
     * {@return the key of this side that the peer's send invalidated; valid for a receive if
     * {@link #hasInvalidatedKey()}, and on SoftRoCE for every receive of a send with invalidate}
     */
    public int invalidatedRemoteKey() {
        return intAt(IMMEDIATE_OR_KEY);
    }

    /**
     * {@return whether the peer's send invalidated a key, which {@link #invalidatedRemoteKey()} returns; for receives.
     * False on SoftRoCE, whose kernel sets {@link #isChecksumRight()} instead}
     */
    public boolean hasInvalidatedKey() {
        return (flags() & WITH_INVALIDATE) != 0;
    }

    /**
     * {@return whether the first {@value #GLOBAL_ROUTE_HEADER_BYTES} bytes of the buffer hold a global route header;
     * for datagrams. The message always starts after these bytes}
     */
    public boolean hasGlobalRouteHeader() {
        return (flags() & WITH_GLOBAL_ROUTE_HEADER) != 0;
    }

    /**
     * {@return whether the adapter found the IP and TCP or UDP checksums of a received packet right; on SoftRoCE,
     * whether the peer's send invalidated a key}
     */
    public boolean isChecksumRight() {
        return (flags() & CHECKSUM_RIGHT) != 0;
    }

    private int flags() {
        return intAt(FLAGS);
    }

    /** {@return the number of the queue pair that sent a datagram} */
    public int sourceQueuePairNumber() {
        return intAt(SOURCE_NUMBER);
    }

    /** {@return the index of the partition key of a datagram to queue pair 1} */
    public int partitionKeyIndex() {
        return Short.toUnsignedInt(memory.get(JAVA_SHORT, PARTITION_KEY_INDEX));
    }

    /** {@return the LID that sent a datagram; 0 on Ethernet} */
    public int sourceLid() {
        return Short.toUnsignedInt(memory.get(JAVA_SHORT, SOURCE_LID));
    }

    /** {@return the service level of a datagram} */
    public int serviceLevel() {
        return memory.get(JAVA_BYTE, SERVICE_LEVEL);
    }

    /** {@return the path bits of the destination LID of a unicast datagram} */
    public int destinationPathBits() {
        return Byte.toUnsignedInt(memory.get(JAVA_BYTE, PATH_BITS));
    }

    MemorySegment segment() {
        return memory;
    }

    /**
     * {@return status, queue pair, work-request id and vendor error in one line; for a failure also its usual cause and
     * remedy}
     */
    public String describe() {
        WorkCompletionStatus status = status();
        String text = "work request 0x%x on queue pair 0x%06x: %s (%s, %d), vendor error 0x%x"
                .formatted(workRequestId(), queuePairNumber(), status.text(), status, statusCode(), vendorError());
        return status == WorkCompletionStatus.SUCCESS
                ? text
                : Remedies.append("%s; usual cause: %s".formatted(text, status.usualCause()), status.remedy());
    }

    /** {@return the same as {@link #describe()}} */
    @Override
    public String toString() {
        return describe();
    }
}
