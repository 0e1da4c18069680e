// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * A view of one completion ({@code struct ibv_wc}) in a {@link WorkCompletions}: it shows what the last poll put there.
 * Reading allocates nothing. Of a failed completion only the work-request id, the status, the vendor error and the
 * queue pair number mean anything.
 *
 * @since 0.1.0
 */
public final class WorkCompletion {
    /** The bytes that a received datagram has in front of the message; room for a datagram must have them, too. */
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

    /** {@return what kind of request it was; of a failed one, anything} */
    public WorkCompletionOpcode opcode() {
        return WorkCompletionOpcode.ofCode(intAt(OPCODE));
    }

    /** {@return the adapter vendor's error code; 0 where there is none} */
    public int vendorError() {
        return intAt(VENDOR_ERROR);
    }

    /** {@return the bytes received, of reads the bytes read, up to 2^32 - 1; of other requests, anything} */
    public long byteLength() {
        return Integer.toUnsignedLong(intAt(BYTE_LENGTH));
    }

    /** {@return the number of the local queue pair} */
    public int queuePairNumber() {
        return intAt(QUEUE_PAIR_NUMBER);
    }

    /**
     * {@return of a receive: the number that the peer sent beside the message; valid if {@link #hasImmediateData()}}
     */
    public int immediateData() {
        return ByteOrders.fromNetwork(intAt(IMMEDIATE_OR_KEY));
    }

    /**
     * {@return of a receive: whether the peer sent a number beside the message, which is then {@link #immediateData()}}
     */
    public boolean hasImmediateData() {
        return (flags() & WITH_IMMEDIATE) != 0;
    }

    /**
     * {@return of a receive: the key of this side that the peer's send invalidated; valid if {@link
     * #hasInvalidatedKey()}, and of such a receive on SoftRoCE}
     */
    public int invalidatedRemoteKey() {
        return intAt(IMMEDIATE_OR_KEY);
    }

    /**
     * {@return of a receive: whether the peer's send invalidated a key, which is then {@link #invalidatedRemoteKey()};
     * false on SoftRoCE, whose kernel says {@link #isChecksumRight()} in its place}
     */
    public boolean hasInvalidatedKey() {
        return (flags() & WITH_INVALIDATE) != 0;
    }

    /**
     * {@return of a datagram: whether the first {@value #GLOBAL_ROUTE_HEADER_BYTES} bytes of the buffer hold a global
     * route header; the message lies behind these bytes in any case}
     */
    public boolean hasGlobalRouteHeader() {
        return (flags() & WITH_GLOBAL_ROUTE_HEADER) != 0;
    }

    /**
     * {@return of a received packet: whether the adapter found its IP and TCP or UDP checksums right; on SoftRoCE
     * whether the peer's send invalidated a key}
     */
    public boolean isChecksumRight() {
        return (flags() & CHECKSUM_RIGHT) != 0;
    }

    private int flags() {
        return intAt(FLAGS);
    }

    /** {@return of a datagram: the number of the queue pair that sent it} */
    public int sourceQueuePairNumber() {
        return intAt(SOURCE_NUMBER);
    }

    /** {@return of a datagram to queue pair 1: the index of its partition key} */
    public int partitionKeyIndex() {
        return Short.toUnsignedInt(memory.get(JAVA_SHORT, PARTITION_KEY_INDEX));
    }

    /** {@return of a datagram: the LID that sent it; 0 on Ethernet} */
    public int sourceLid() {
        return Short.toUnsignedInt(memory.get(JAVA_SHORT, SOURCE_LID));
    }

    /** {@return of a datagram: its service level} */
    public int serviceLevel() {
        return memory.get(JAVA_BYTE, SERVICE_LEVEL);
    }

    /** {@return of a datagram to one address: the path bits of the destination LID} */
    public int destinationPathBits() {
        return Byte.toUnsignedInt(memory.get(JAVA_BYTE, PATH_BITS));
    }

    MemorySegment segment() {
        return memory;
    }

    /**
     * {@return status, queue pair, work-request id and vendor error in one line, of a failure with its usual cause and
     * remedy}
     */
    public String describe() {
        WorkCompletionStatus status = status();
        String text = "work request 0x%x on queue pair 0x%06x: %s (%s, %d), vendor error 0x%x"
                .formatted(workRequestId(), queuePairNumber(), status.text(), status, statusCode(), vendorError());
        return status == WorkCompletionStatus.SUCCESS
                ? text
                : "%s; usual cause: %s. Remedy: %s".formatted(text, status.usualCause(), status.remedy());
    }

    /** {@return the same as {@link #describe()}} */
    @Override
    public String toString() {
        return describe();
    }
}
