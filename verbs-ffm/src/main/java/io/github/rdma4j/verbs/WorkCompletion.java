// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_wc;
import java.lang.foreign.MemorySegment;

/**
 * A view of one completion ({@code struct ibv_wc}) in a {@link WorkCompletions}: it shows what the last poll put there.
 * Reading allocates nothing. Of a failed completion only the work-request id, the status, the vendor error and the queue
 * pair number mean anything.
 */
public final class WorkCompletion {
    private static final long WR_ID = ibv_wc.wr_id$offset();
    private static final long STATUS = ibv_wc.status$offset();
    private static final long OPCODE = ibv_wc.opcode$offset();
    private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
    private static final long BYTE_LENGTH = ibv_wc.byte_len$offset();
    private static final long QUEUE_PAIR_NUMBER = ibv_wc.qp_num$offset();

    private final MemorySegment memory;

    WorkCompletion(MemorySegment memory) {
        this.memory = memory;
    }

    /** {@return the id that the work request was posted with} */
    public long workRequestId() {
        return memory.get(JAVA_LONG, WR_ID);
    }

    /** {@return the value of {@code enum ibv_wc_status}; 0 is success} */
    public int statusCode() {
        return memory.get(JAVA_INT, STATUS);
    }

    /** {@return whether the request succeeded} */
    public boolean isSuccess() {
        return statusCode() == 0;
    }

    /** {@return how the request ended} */
    public WorkCompletionStatus status() {
        return WorkCompletionStatus.ofCode(statusCode());
    }

    /** {@return what kind of request it was; of a failed one, anything} */
    public WorkCompletionOpcode opcode() {
        return WorkCompletionOpcode.ofCode(memory.get(JAVA_INT, OPCODE));
    }

    /** {@return the adapter vendor's error code; 0 where there is none} */
    public int vendorError() {
        return memory.get(JAVA_INT, VENDOR_ERROR);
    }

    /** {@return the bytes received, of reads the bytes read, up to 2^32 - 1; of other requests, anything} */
    public long byteLength() {
        return Integer.toUnsignedLong(memory.get(JAVA_INT, BYTE_LENGTH));
    }

    /** {@return the number of the local queue pair} */
    public int queuePairNumber() {
        return memory.get(JAVA_INT, QUEUE_PAIR_NUMBER);
    }

    /** {@return status, queue pair, work-request id and vendor error in one line, of a failure with its usual cause} */
    public String describe() {
        WorkCompletionStatus status = status();
        String text = "work request 0x%x on queue pair 0x%06x: %s (%s, %d), vendor error 0x%x"
                .formatted(workRequestId(), queuePairNumber(), status.text(), status, statusCode(), vendorError());
        return status.usualCause().isEmpty() ? text : text + "; usual cause: " + status.usualCause();
    }

    /** {@return the same as {@link #describe()}} */
    @Override
    public String toString() {
        return describe();
    }
}
