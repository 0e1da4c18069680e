// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.efadv_cq;
import io.github.rdma4j.verbs.bindings.ibv_cq_ex;
import io.github.rdma4j.verbs.bindings.ibv_wc_tm_info;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.CursorCalls;
import io.github.rdma4j.verbs.internal.EfaCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.HotCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * A cursor over the completions of an {@link ExtendedCompletionQueue}, which are read in place (ibv_start_poll,
 * ibv_next_poll, ibv_end_poll and the {@code ibv_wc_read_*} of ibv_create_cq_ex(3)).
 *
 * <pre>{@code
 * if (cursor.start()) {
 *     try {
 *         do {
 *             handle(cursor.workRequestId(), cursor.isSuccess(), cursor.byteLength());
 *         } while (cursor.next());
 *     } finally {
 *         cursor.end();
 *     }
 * }
 * }</pre>
 *
 * <p>The device gets the entries back at {@link #end()}, so call it soon. No method allocates. Of a failed completion,
 * only the work-request id, the status, the vendor error and the queue pair number are valid.
 *
 * <p>Thread safety: from {@link #start()} to {@link #end()} the cursor belongs to the thread that started it. A call
 * from another thread throws an {@link IllegalStateException}, as does a read without a completion, or of a field that
 * the queue was not created with. Closing the queue ends the poll at once, and later calls throw an
 * {@link IllegalStateException}. Closing a queue pair that completes here waits until another thread ends its poll, and
 * throws an {@link IllegalStateException} if the calling thread has not ended its own.
 *
 * @since 0.1.0
 */
public final class CompletionCursor {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(CompletionCursor.class, "holder", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Holds the cursor while it is paused. This thread is never started. */
    private static final Thread PAUSED =
            Thread.ofPlatform().inheritInheritableThreadLocals(false).unstarted(() -> {});

    private static final long PAUSE_NANOS = 10_000;
    private static final long STATUS = ibv_cq_ex.status$offset();
    private static final long WR_ID = ibv_cq_ex.wr_id$offset();
    private static final int WITH_GLOBAL_ROUTE_HEADER = RdmaHeaders.IBV_WC_GRH();
    private static final int WITH_IMMEDIATE = RdmaHeaders.IBV_WC_WITH_IMM();
    private static final int CHECKSUM_RIGHT = RdmaHeaders.IBV_WC_IP_CSUM_OK();
    private static final int WITH_INVALIDATE = RdmaHeaders.IBV_WC_WITH_INV();
    private static final int TAG_SYNC_REQUIRED = RdmaHeaders.IBV_WC_TM_SYNC_REQ();
    private static final int TAG_MATCHED = RdmaHeaders.IBV_WC_TM_MATCH();
    private static final int TAG_DATA_VALID = RdmaHeaders.IBV_WC_TM_DATA_VALID();

    private final ExtendedCompletionQueue queue;
    private final Set<WorkCompletionField> fields;
    private final MemorySegment struct;
    private final long address;
    private final boolean critical;
    private final boolean nextEndsProperly;
    private final MemorySegment startPoll;
    private final MemorySegment nextPoll;
    private final MemorySegment endPoll;
    private final MemorySegment readOpcode;
    private final MemorySegment readVendorError;
    private final MemorySegment readFlags;

    /** The addresses below are null if the queue was created without the field. */
    private final MemorySegment readByteLength;

    private final MemorySegment readImmediateData;
    private final MemorySegment readQueuePairNumber;
    private final MemorySegment readSourceNumber;
    private final MemorySegment readSourceLid;
    private final MemorySegment readServiceLevel;
    private final MemorySegment readPathBits;
    private final MemorySegment readTimestamp;
    private final MemorySegment readVlanTag;
    private final MemorySegment readFlowTag;
    private final MemorySegment readTagInfo;
    private final MemorySegment readWallClock;
    /** The {@code struct efadv_cq}; 0 without a field of EFA. */
    private final long efaAddress;

    private final MemorySegment readSenderGid;
    private final MemorySegment readUnsolicited;
    private final MemorySegment senderGid = Arena.ofAuto().allocate(Gid.LENGTH, Long.BYTES);
    private final MemorySegment tagInfo = ibv_wc_tm_info.allocate(Arena.ofAuto());

    /** The thread that polls the queue now; changed by compare-and-set. The fields below belong to it. */
    private Thread holder;

    private boolean started;
    /** Calls of {@link #start()}, including those that found no completion. */
    private int starts;

    private boolean onCompletion;
    private long workRequestId;
    private int statusCode;

    CompletionCursor(ExtendedCompletionQueue queue, MemorySegment struct, Set<WorkCompletionField> fields) {
        this.queue = queue;
        this.fields = fields;
        this.struct = struct;
        this.address = struct.address();
        this.critical = queue.context().driver().pollsInUserSpace();
        this.nextEndsProperly = queue.context().driver().endsPollsProperly();
        this.startPoll = pointer(ibv_cq_ex.start_poll$offset());
        this.nextPoll = pointer(ibv_cq_ex.next_poll$offset());
        this.endPoll = pointer(ibv_cq_ex.end_poll$offset());
        this.readOpcode = pointer(ibv_cq_ex.read_opcode$offset());
        this.readVendorError = pointer(ibv_cq_ex.read_vendor_err$offset());
        this.readFlags = pointer(ibv_cq_ex.read_wc_flags$offset());
        this.readByteLength = pointer(WorkCompletionField.BYTE_LENGTH, ibv_cq_ex.read_byte_len$offset());
        this.readImmediateData = pointer(WorkCompletionField.IMMEDIATE_DATA, ibv_cq_ex.read_imm_data$offset());
        this.readQueuePairNumber = pointer(WorkCompletionField.QUEUE_PAIR_NUMBER, ibv_cq_ex.read_qp_num$offset());
        this.readSourceNumber = pointer(WorkCompletionField.SOURCE_QUEUE_PAIR_NUMBER, ibv_cq_ex.read_src_qp$offset());
        this.readSourceLid = pointer(WorkCompletionField.SOURCE_LID, ibv_cq_ex.read_slid$offset());
        this.readServiceLevel = pointer(WorkCompletionField.SERVICE_LEVEL, ibv_cq_ex.read_sl$offset());
        this.readPathBits = pointer(WorkCompletionField.DESTINATION_PATH_BITS, ibv_cq_ex.read_dlid_path_bits$offset());
        this.readTimestamp = pointer(WorkCompletionField.TIMESTAMP, ibv_cq_ex.read_completion_ts$offset());
        this.readVlanTag = pointer(WorkCompletionField.VLAN_TAG, ibv_cq_ex.read_cvlan$offset());
        this.readFlowTag = pointer(WorkCompletionField.FLOW_TAG, ibv_cq_ex.read_flow_tag$offset());
        this.readTagInfo = pointer(WorkCompletionField.TAG_MATCHING, ibv_cq_ex.read_tm_info$offset());
        this.readWallClock =
                pointer(WorkCompletionField.WALL_CLOCK_TIMESTAMP, ibv_cq_ex.read_completion_wallclock_ns$offset());
        if (fields.contains(WorkCompletionField.SENDER_GID) || fields.contains(WorkCompletionField.UNSOLICITED)) {
            MemorySegment own = EfaCalls.completionQueue(struct);
            this.efaAddress = own.address();
            this.readSenderGid = pointer(WorkCompletionField.SENDER_GID, own, efadv_cq.wc_read_sgid$offset());
            this.readUnsolicited = pointer(WorkCompletionField.UNSOLICITED, own, EfaCalls.IS_UNSOLICITED);
        } else {
            this.efaAddress = 0;
            this.readSenderGid = null;
            this.readUnsolicited = null;
        }
    }

    /**
     * Returns null for a pointer that was not filled in and cannot be called, as for a field that was not requested.
     */
    private MemorySegment pointer(long offset) {
        return pointer(struct, offset);
    }

    private static MemorySegment pointer(MemorySegment struct, long offset) {
        MemorySegment function = struct.get(ADDRESS, offset);
        return function.address() == 0 ? null : function;
    }

    private MemorySegment pointer(WorkCompletionField field, long offset) {
        return pointer(field, struct, offset);
    }

    private MemorySegment pointer(WorkCompletionField field, MemorySegment struct, long offset) {
        return fields.contains(field) ? pointer(struct, offset) : null;
    }

    /**
     * Makes the calling thread the holder of the cursor. Waits while the cursor is paused: reporting "empty" would be
     * wrong, and the caller might go to sleep although a completion is there.
     *
     * @throws IllegalStateException if this or another thread already polls the queue
     */
    void acquire() {
        while (!HOLDER.compareAndSet(this, (Thread) null, Thread.currentThread())) {
            Thread other = (Thread) HOLDER.getVolatile(this);
            if (other == PAUSED) {
                LockSupport.parkNanos(PAUSE_NANOS);
            } else if (other != null) {
                throw new IllegalStateException(
                        other == Thread.currentThread()
                                ? "the cursor of " + queue + " has been started and not ended"
                                : queue + " is being polled by another thread (" + other + ")");
            }
        }
    }

    /** Pauses the cursor if no thread polls the queue now. {@link #resume()} must follow. */
    boolean pause() {
        return HOLDER.compareAndSet(this, (Thread) null, PAUSED);
    }

    void resume() {
        leave();
    }

    boolean isHeldByCaller() {
        return holder == Thread.currentThread();
    }

    /** Returns the thread that polls the queue, or null. */
    Thread holder() {
        return (Thread) HOLDER.getVolatile(this);
    }

    void leave() {
        HOLDER.setRelease(this, (Thread) null);
    }

    /** Ends the poll on behalf of its thread, which can no longer enter the queue. */
    void endForClose() {
        if (started) {
            started = false;
            CursorCalls.end(endPoll, critical, address);
        }
    }

    /**
     * Goes to the first completion (ibv_start_poll).
     *
     * @return false if the queue is empty; true if the cursor is at a completion, and then {@link #end()} must follow
     * @throws IllegalStateException if the cursor has been started, here or by another thread, or the queue is closed
     * @throws VerbsException if the queue has failed
     */
    public boolean start() {
        acquire();
        int result;
        if (!queue.enter()) {
            leave();
            throw queue.closedException();
        }
        try {
            do {
                result = startPoll();
            } while (queue.hasRemovedEntry(result));
            if (result == 0) {
                started = true;
                load();
                return true;
            }
        } finally {
            queue.exit();
        }
        leave();
        // EBUSY: the clock of the wall-clock timestamps is being set; the next attempt succeeds.
        if (result == Errno.ENOENT || result == Errno.EBUSY) {
            return false;
        }
        throw failed("ibv_start_poll", result);
    }

    /** Reads plain fields of the structure now, because a close could free it before they are requested. */
    private void load() {
        workRequestId = struct.get(JAVA_LONG, WR_ID);
        statusCode = struct.get(JAVA_INT, STATUS);
        onCompletion = true;
    }

    /**
     * Goes to the next completion (ibv_next_poll).
     *
     * @return false if there is none. In either case {@link #end()} must follow
     * @throws IllegalStateException if this thread has not started the cursor, or the queue is closed
     * @throws VerbsException if the queue has failed
     */
    public boolean next() {
        requireStarted();
        if (!onCompletion) {
            return false;
        }
        onCompletion = false;
        int result;
        enter();
        try {
            result = advance();
            if (result == 0) {
                load();
                return true;
            }
        } finally {
            queue.exit();
        }
        if (result == Errno.ENOENT || result == Errno.EBUSY) {
            return false;
        }
        throw failed("ibv_next_poll", result);
    }

    /** A negative result is not an errno: libmlx5 returns -2 for a completion that it does not understand. */
    private VerbsException failed(String verb, int result) {
        return result < 0
                ? CompletionQueue.pollFailed(verb, queue.context().device().name(), result)
                : Failures.of(verb + "(" + queue + ")", result);
    }

    private int startPoll() {
        int result = CursorCalls.start(startPoll, critical, address);
        if (critical) {
            HotCalls.letStop(++starts);
        }
        return result;
    }

    private int advance() {
        if (nextEndsProperly) {
            return CursorCalls.next(nextPoll, critical, address);
        }
        started = false;
        CursorCalls.end(endPoll, critical, address);
        int result = startPoll();
        started = result == 0;
        return result;
    }

    /**
     * Ends the poll, and returns the visited entries to the device (ibv_end_poll). Does nothing if the queue has been
     * closed meanwhile.
     *
     * @throws IllegalStateException if this thread has not started the cursor
     */
    public void end() {
        requireStarted();
        onCompletion = false;
        if (queue.enter()) {
            try {
                if (started) {
                    started = false;
                    CursorCalls.end(endPoll, critical, address);
                }
            } finally {
                queue.exit();
            }
        }
        leave();
    }

    private void requireStarted() {
        if (holder != Thread.currentThread()) {
            throw new IllegalStateException("the cursor of " + queue + " has not been started by this thread");
        }
    }

    /** Enters the queue, checked to be at a completion. The caller must exit the queue. */
    private void enterCompletion() {
        requireCompletion();
        enter();
    }

    private void requireCompletion() {
        requireStarted();
        if (!onCompletion) {
            throw new IllegalStateException("the cursor of " + queue + " stands on no completion");
        }
    }

    private void enter() {
        if (!queue.enter()) {
            throw queue.closedException();
        }
        if (!started) {
            queue.exit();
            throw new IllegalStateException(
                    "the cursor of " + queue + " was ended by a close of the queue, which the device then refused");
        }
    }

    private IllegalStateException notAskedFor(WorkCompletionField field) {
        return new IllegalStateException(
                fields.contains(field)
                        ? "the driver of %s gives no %s".formatted(queue, field)
                        : "%s was created without WorkCompletionField.%s; it has %s".formatted(queue, field, fields));
    }

    private int readInt(MemorySegment function, WorkCompletionField field) {
        if (function == null) {
            throw notAskedFor(field);
        }
        return readInt(function);
    }

    private int readInt(MemorySegment function) {
        enterCompletion();
        try {
            return CursorCalls.readInt(function, address);
        } finally {
            queue.exit();
        }
    }

    private int readByte(MemorySegment function, WorkCompletionField field) {
        if (function == null) {
            throw notAskedFor(field);
        }
        enterCompletion();
        try {
            return CursorCalls.readByte(function, address);
        } finally {
            queue.exit();
        }
    }

    private long readLong(MemorySegment function, WorkCompletionField field) {
        if (function == null) {
            throw notAskedFor(field);
        }
        enterCompletion();
        try {
            return CursorCalls.readLong(function, address);
        } finally {
            queue.exit();
        }
    }

    /** {@return the id that the work request was posted with} */
    public long workRequestId() {
        requireCompletion();
        return workRequestId;
    }

    /** {@return the value of {@code enum ibv_wc_status}; 0 is success} */
    public int statusCode() {
        requireCompletion();
        return statusCode;
    }

    /** {@return whether the request succeeded} */
    public boolean isSuccess() {
        return statusCode() == 0;
    }

    /** {@return how the request ended} */
    public WorkCompletionStatus status() {
        return WorkCompletionStatus.ofCode(statusCode());
    }

    /** {@return the type of the request (ibv_wc_read_opcode); undefined if it failed} */
    public WorkCompletionOpcode opcode() {
        return WorkCompletionOpcode.ofCode(readInt(readOpcode));
    }

    /** {@return the adapter vendor's error code (ibv_wc_read_vendor_err); 0 where there is none} */
    public int vendorError() {
        return readInt(readVendorError);
    }

    /**
     * {@return the number of bytes received or, for a read, read (ibv_wc_read_byte_len); undefined for other requests}
     */
    public long byteLength() {
        return Integer.toUnsignedLong(readInt(readByteLength, WorkCompletionField.BYTE_LENGTH));
    }

    /**
     * {@return the number that the peer sent with the message (ibv_wc_read_imm_data); valid for a receive if
     * {@link #hasImmediateData()}}
     */
    public int immediateData() {
        return ByteOrders.fromNetwork(readInt(readImmediateData, WorkCompletionField.IMMEDIATE_DATA));
    }

    /** {@return whether the peer sent a number with the message; for receives} */
    public boolean hasImmediateData() {
        return (flags() & WITH_IMMEDIATE) != 0;
    }

    /**
     * {@return the key of this side that the peer's send invalidated (ibv_wc_read_invalidated_rkey); valid for a
     * receive if {@link #hasInvalidatedKey()}, and on SoftRoCE for every receive of a send with invalidate}
     */
    public int invalidatedRemoteKey() {
        return readInt(readImmediateData, WorkCompletionField.IMMEDIATE_DATA);
    }

    /**
     * {@return whether the peer's send invalidated a key; for receives. False on SoftRoCE, whose kernel sets
     * {@link #isChecksumRight()} instead}
     */
    public boolean hasInvalidatedKey() {
        return (flags() & WITH_INVALIDATE) != 0;
    }

    /**
     * {@return whether the first {@value WorkCompletion#GLOBAL_ROUTE_HEADER_BYTES} bytes of the buffer hold a global
     * route header; for datagrams}
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

    /** {@return whether the message matched a tag, which {@link #tag()} returns; with tag matching} */
    public boolean hasMatchedTag() {
        return (flags() & TAG_MATCHED) != 0;
    }

    /** {@return whether the message is in the buffer of the tag; with tag matching} */
    public boolean isTagDataValid() {
        return (flags() & TAG_DATA_VALID) != 0;
    }

    /** {@return whether the list of tags must be synchronised; with tag matching} */
    public boolean isTagSynchronisationRequired() {
        return (flags() & TAG_SYNC_REQUIRED) != 0;
    }

    /** Returns the flags (ibv_wc_read_wc_flags). */
    private int flags() {
        return readInt(readFlags);
    }

    /** {@return the number of the local queue pair (ibv_wc_read_qp_num)} */
    public int queuePairNumber() {
        return readInt(readQueuePairNumber, WorkCompletionField.QUEUE_PAIR_NUMBER);
    }

    /** {@return the number of the queue pair that sent a datagram (ibv_wc_read_src_qp)} */
    public int sourceQueuePairNumber() {
        return readInt(readSourceNumber, WorkCompletionField.SOURCE_QUEUE_PAIR_NUMBER);
    }

    /** {@return the LID that sent a datagram (ibv_wc_read_slid); 0 on Ethernet} */
    public int sourceLid() {
        return readInt(readSourceLid, WorkCompletionField.SOURCE_LID);
    }

    /** {@return the service level of a datagram (ibv_wc_read_sl)} */
    public int serviceLevel() {
        return readByte(readServiceLevel, WorkCompletionField.SERVICE_LEVEL);
    }

    /** {@return the low bits of a datagram's destination LID (ibv_wc_read_dlid_path_bits)} */
    public int destinationPathBits() {
        return readByte(readPathBits, WorkCompletionField.DESTINATION_PATH_BITS);
    }

    /** {@return the time of the completion, in ticks of the device's clock (ibv_wc_read_completion_ts)} */
    public long timestamp() {
        return readLong(readTimestamp, WorkCompletionField.TIMESTAMP);
    }

    /** {@return the time of the completion, in nanoseconds since 1970 (ibv_wc_read_completion_wallclock_ns)} */
    public long wallClockTimestamp() {
        return readLong(readWallClock, WorkCompletionField.WALL_CLOCK_TIMESTAMP);
    }

    /** {@return the VLAN tag that the adapter removed from a received packet (ibv_wc_read_cvlan)} */
    public int vlanTag() {
        if (readVlanTag == null) {
            throw notAskedFor(WorkCompletionField.VLAN_TAG);
        }
        enterCompletion();
        try {
            return CursorCalls.readShort(readVlanTag, address);
        } finally {
            queue.exit();
        }
    }

    /** {@return the tag of the flow rule that a received packet matched (ibv_wc_read_flow_tag)} */
    public int flowTag() {
        return readInt(readFlowTag, WorkCompletionField.FLOW_TAG);
    }

    /** {@return the tag of the message (ibv_wc_read_tm_info); with tag matching} */
    public long tag() {
        readTagInfo();
        return tagInfo.get(JAVA_LONG, ibv_wc_tm_info.tag$offset());
    }

    /** {@return the private data in the message's tag header (ibv_wc_read_tm_info); with tag matching} */
    public int tagPrivateData() {
        readTagInfo();
        return tagInfo.get(JAVA_INT, ibv_wc_tm_info.priv$offset());
    }

    /**
     * Reads the sender's GID, if the adapter has no address handle for the sender (efadv_wc_read_sgid(3)). With an
     * address handle, {@link #sourceLid()} is its number ({@link AddressHandle#queryEfaNumber()}); without, it is
     * 0xffff.
     *
     * @param gid receives the 16 bytes in network order
     * @return whether the completion has a GID; if not, {@code gid} is unchanged
     * @throws IndexOutOfBoundsException if {@code gid} has less than 16 bytes
     */
    public boolean readSenderGid(MemorySegment gid) {
        if (readSenderGid == null) {
            throw notAskedFor(WorkCompletionField.SENDER_GID);
        }
        Objects.checkFromIndexSize(0, Gid.LENGTH, gid.byteSize());
        int result;
        enterCompletion();
        try {
            result = CursorCalls.readSenderGid(readSenderGid, efaAddress, senderGid.address());
        } finally {
            queue.exit();
        }
        if (result != 0) {
            return false;
        }
        MemorySegment.copy(senderGid, 0, gid, 0, Gid.LENGTH);
        return true;
    }

    /**
     * {@return whether it is a write with immediate that used no receive (efadv_wc_is_unsolicited(3)); the work-request
     * id is then 0}
     */
    public boolean isUnsolicited() {
        if (readUnsolicited == null) {
            throw notAskedFor(WorkCompletionField.UNSOLICITED);
        }
        enterCompletion();
        try {
            return CursorCalls.readByte(readUnsolicited, efaAddress) != 0;
        } finally {
            queue.exit();
        }
    }

    private void readTagInfo() {
        if (readTagInfo == null) {
            throw notAskedFor(WorkCompletionField.TAG_MATCHING);
        }
        enterCompletion();
        try {
            CursorCalls.readTag(readTagInfo, address, tagInfo.address());
        } finally {
            queue.exit();
        }
    }
}
