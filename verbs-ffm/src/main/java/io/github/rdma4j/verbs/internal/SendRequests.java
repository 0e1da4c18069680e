// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putShort;

import io.github.rdma4j.verbs.bindings.ibv_mw_bind_info;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native work requests of one queue pair that are filled in place: {@code struct ibv_send_wr}, each with space for some
 * scatter-gather entries, linked in order. Values that never change (links, entry addresses) are written once.
 */
public final class SendRequests extends LinkedRequests {
    private static final long WR_SIZE = ibv_send_wr.sizeof();
    private static final long OPCODE = ibv_send_wr.opcode$offset();
    private static final long SEND_FLAGS = ibv_send_wr.send_flags$offset();
    private static final long IMMEDIATE_OR_KEY = ibv_send_wr.imm_data$offset();
    private static final long RDMA_ADDRESS =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long RDMA_KEY =
            ibv_send_wr.wr$offset() + ibv_send_wr.wr.rdma$offset() + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ATOMIC = ibv_send_wr.wr$offset() + ibv_send_wr.wr.atomic$offset();
    private static final long ATOMIC_ADDRESS = ATOMIC + ibv_send_wr.wr.atomic.remote_addr$offset();
    private static final long ATOMIC_COMPARE_ADD = ATOMIC + ibv_send_wr.wr.atomic.compare_add$offset();
    private static final long ATOMIC_SWAP = ATOMIC + ibv_send_wr.wr.atomic.swap$offset();
    private static final long ATOMIC_KEY = ATOMIC + ibv_send_wr.wr.atomic.rkey$offset();
    private static final long DATAGRAM = ibv_send_wr.wr$offset() + ibv_send_wr.wr.ud$offset();
    private static final long DATAGRAM_HANDLE = DATAGRAM + ibv_send_wr.wr.ud.ah$offset();
    private static final long DATAGRAM_NUMBER = DATAGRAM + ibv_send_wr.wr.ud.remote_qpn$offset();
    private static final long DATAGRAM_KEY = DATAGRAM + ibv_send_wr.wr.ud.remote_qkey$offset();
    private static final long SHARED_RECEIVE_QUEUE = ibv_send_wr.qp_type$offset()
            + ibv_send_wr.qp_type.xrc$offset()
            + ibv_send_wr.qp_type.xrc.remote_srqn$offset();
    private static final long BIND = ibv_send_wr.bind_mw$offset();
    private static final long BIND_WINDOW = BIND + ibv_send_wr.bind_mw.mw$offset();
    private static final long BIND_KEY = BIND + ibv_send_wr.bind_mw.rkey$offset();
    private static final long BIND_INFO = BIND + ibv_send_wr.bind_mw.bind_info$offset();
    private static final long SEGMENTED = ibv_send_wr.tso$offset();
    private static final long SEGMENTED_HEADER = SEGMENTED + ibv_send_wr.tso.hdr$offset();
    private static final long SEGMENTED_HEADER_SIZE = SEGMENTED + ibv_send_wr.tso.hdr_sz$offset();
    private static final long SEGMENTED_SEGMENT_SIZE = SEGMENTED + ibv_send_wr.tso.mss$offset();

    /** The offset of a request's entries, {@code struct ibv_sge}, which follow it. */
    public static final long ENTRIES = WR_SIZE;

    /**
     * Allocates.
     *
     * @param arena an automatic arena, or one that is closed when no thread can be in a method of this object
     * @param capacity the number of requests, at most {@link #MAX_CAPACITY}
     * @param maxEntries the maximum number of scatter-gather entries of one
     */
    public SendRequests(Arena arena, int capacity, int maxEntries) {
        super(arena, WR_SIZE, capacity, maxEntries);
    }

    /** Fills a request with one entry. */
    public void fill(
            int index, int opcode, long workRequestId, long source, long lengthAndKey, int immediateOrKey, int flags) {
        long wr = request(index);
        head(wr, opcode, workRequestId, 1, immediateOrKey, flags);
        putLong(wr + WR_SIZE + SGE_ADDRESS, source);
        putLong(wr + WR_SIZE + SGE_LENGTH, lengthAndKey);
    }

    /** Fills a request with several entries, {@code struct ibv_sge}; their number was checked. */
    public void fill(
            int index,
            int opcode,
            long workRequestId,
            MemorySegment entries,
            int count,
            int immediateOrKey,
            int flags) {
        head(request(index), opcode, workRequestId, count, immediateOrKey, flags);
        copyEntries(index, WR_SIZE, entries, count);
    }

    /** Fills a request that moves no local data. */
    public void fill(int index, int opcode, long workRequestId, int immediateOrKey, int flags) {
        head(request(index), opcode, workRequestId, 0, immediateOrKey, flags);
    }

    /**
     * Writes the fields in order, so that the compiler combines two stores into one. The immediate data is in network
     * byte order.
     */
    private static void head(long wr, int opcode, long workRequestId, int entries, int immediateOrKey, int flags) {
        putLong(wr + WR_ID, workRequestId);
        putInt(wr + NUM_SGE, entries);
        putInt(wr + OPCODE, opcode);
        putInt(wr + SEND_FLAGS, flags);
        putInt(wr + IMMEDIATE_OR_KEY, immediateOrKey);
    }

    /** Names the peer's memory. */
    public void remote(int index, long remoteAddress, int remoteKey) {
        long wr = request(index);
        putLong(wr + RDMA_ADDRESS, remoteAddress);
        putInt(wr + RDMA_KEY, remoteKey);
    }

    /** Names the peer's eight bytes and the operands. */
    public void atomic(int index, long remoteAddress, int remoteKey, long compareOrAdd, long swap) {
        long wr = request(index);
        putLong(wr + ATOMIC_ADDRESS, remoteAddress);
        putLong(wr + ATOMIC_COMPARE_ADD, compareOrAdd);
        putLong(wr + ATOMIC_SWAP, swap);
        putInt(wr + ATOMIC_KEY, remoteKey);
    }

    /**
     * Names the peer. The address handle must stay open until the request is posted.
     *
     * @param index of the request
     * @param addressHandle the {@code struct ibv_ah}
     * @param queuePairNumber the peer's
     * @param queueKey the peer's
     */
    public void datagram(int index, long addressHandle, int queuePairNumber, int queueKey) {
        long wr = request(index);
        putLong(wr + DATAGRAM_HANDLE, addressHandle);
        putInt(wr + DATAGRAM_NUMBER, queuePairNumber);
        putInt(wr + DATAGRAM_KEY, queueKey);
    }

    /**
     * Names the peer of a request that also names memory. Only extended posting has such requests, so the peer is
     * recorded in fields that otherwise belong to bindings.
     *
     * @param index of the request
     * @param addressHandle the {@code struct ibv_ah}
     * @param queuePairNumber the peer's
     * @param queueKey the peer's
     */
    public void reliableDatagram(int index, long addressHandle, int queuePairNumber, int queueKey) {
        long wr = request(index);
        putLong(wr + BIND_WINDOW, addressHandle);
        putInt(wr + BIND_KEY, queuePairNumber);
        putInt(wr + BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset(), queueKey);
    }

    /** Names the peer's shared receive queue. */
    public void sharedReceiveQueue(int index, int number) {
        putInt(request(index) + SHARED_RECEIVE_QUEUE, number);
    }

    /** Fills in a binding. The window and the region must stay open until the request is posted. */
    public void bind(int index, long window, int remoteKey, long region, long boundAddress, long length, int access) {
        long wr = request(index);
        putLong(wr + BIND_WINDOW, window);
        putInt(wr + BIND_KEY, remoteKey);
        putLong(wr + BIND_INFO + ibv_mw_bind_info.mr$offset(), region);
        putLong(wr + BIND_INFO + ibv_mw_bind_info.addr$offset(), boundAddress);
        putLong(wr + BIND_INFO + ibv_mw_bind_info.length$offset(), length);
        putInt(wr + BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset(), access);
    }

    /** Names the header that each segment gets. */
    public void segmented(int index, long header, int headerSize, int maxSegmentSize) {
        long wr = request(index);
        putLong(wr + SEGMENTED_HEADER, header);
        putShort(wr + SEGMENTED_HEADER_SIZE, (short) headerSize);
        putShort(wr + SEGMENTED_SEGMENT_SIZE, (short) maxSegmentSize);
    }

    /**
     * Packs a flush like {@link #atomic}, because only extended posting has it: the length, and the placement and level
     * as a number.
     */
    public void flush(int index, long remoteAddress, int remoteKey, long length, int placement, int level) {
        atomic(index, remoteAddress, remoteKey, length, placement | level << Byte.SIZE);
    }

    // Setters of single fields, which a prepared request changes between its posts.

    public void flags(int index, int flags) {
        putInt(request(index) + SEND_FLAGS, flags);
    }

    /** In network byte order. */
    public void immediate(int index, int immediate) {
        putInt(request(index) + IMMEDIATE_OR_KEY, immediate);
    }

    /** Of the first entry. */
    public void localAddress(int index, long localAddress) {
        putLong(request(index) + WR_SIZE + SGE_ADDRESS, localAddress);
    }

    /** Of the first entry, 32 bits without a sign. */
    public void localLength(int index, int length) {
        putInt(request(index) + WR_SIZE + SGE_LENGTH, length);
    }

    public void remoteAddress(int index, long remoteAddress) {
        putLong(request(index) + RDMA_ADDRESS, remoteAddress);
    }

    public void atomicAddress(int index, long remoteAddress) {
        putLong(request(index) + ATOMIC_ADDRESS, remoteAddress);
    }

    public void compareOrAdd(int index, long compareOrAdd) {
        putLong(request(index) + ATOMIC_COMPARE_ADD, compareOrAdd);
    }

    public void swap(int index, long swap) {
        putLong(request(index) + ATOMIC_SWAP, swap);
    }

    // The recorded values, for extended posting.

    public int opcode(int index) {
        return NativeMemory.getInt(request(index) + OPCODE);
    }

    public int flags(int index) {
        return NativeMemory.getInt(request(index) + SEND_FLAGS);
    }

    public long workRequestId(int index) {
        return NativeMemory.getLong(request(index) + WR_ID);
    }

    public int entries(int index) {
        return NativeMemory.getInt(request(index) + NUM_SGE);
    }

    public long entriesAddress(int index) {
        return request(index) + WR_SIZE;
    }

    /** Of the first entry. */
    public long localAddress(int index) {
        return NativeMemory.getLong(request(index) + WR_SIZE + SGE_ADDRESS);
    }

    /** Of the first entry, 32 bits without a sign. */
    public int localLength(int index) {
        return NativeMemory.getInt(request(index) + WR_SIZE + SGE_LENGTH);
    }

    /** Of the first entry. */
    public int localKey(int index) {
        return NativeMemory.getInt(request(index) + WR_SIZE + SGE_LENGTH + Integer.BYTES);
    }

    public int immediateOrKey(int index) {
        return NativeMemory.getInt(request(index) + IMMEDIATE_OR_KEY);
    }

    public long remoteAddress(int index) {
        return NativeMemory.getLong(request(index) + RDMA_ADDRESS);
    }

    public int remoteKey(int index) {
        return NativeMemory.getInt(request(index) + RDMA_KEY);
    }

    public long atomicAddress(int index) {
        return NativeMemory.getLong(request(index) + ATOMIC_ADDRESS);
    }

    public int atomicKey(int index) {
        return NativeMemory.getInt(request(index) + ATOMIC_KEY);
    }

    public long compareOrAdd(int index) {
        return NativeMemory.getLong(request(index) + ATOMIC_COMPARE_ADD);
    }

    public long compareOrAddAddress(int index) {
        return request(index) + ATOMIC_COMPARE_ADD;
    }

    public long swap(int index) {
        return NativeMemory.getLong(request(index) + ATOMIC_SWAP);
    }

    public long datagramHandle(int index) {
        return NativeMemory.getLong(request(index) + DATAGRAM_HANDLE);
    }

    public int datagramNumber(int index) {
        return NativeMemory.getInt(request(index) + DATAGRAM_NUMBER);
    }

    public int datagramKey(int index) {
        return NativeMemory.getInt(request(index) + DATAGRAM_KEY);
    }

    public long reliableDatagramHandle(int index) {
        return NativeMemory.getLong(request(index) + BIND_WINDOW);
    }

    public int reliableDatagramNumber(int index) {
        return NativeMemory.getInt(request(index) + BIND_KEY);
    }

    public int reliableDatagramKey(int index) {
        return NativeMemory.getInt(request(index) + BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset());
    }

    public int sharedReceiveQueue(int index) {
        return NativeMemory.getInt(request(index) + SHARED_RECEIVE_QUEUE);
    }

    public long boundWindow(int index) {
        return NativeMemory.getLong(request(index) + BIND_WINDOW);
    }

    public int boundKey(int index) {
        return NativeMemory.getInt(request(index) + BIND_KEY);
    }

    public long bindInformationAddress(int index) {
        return request(index) + BIND_INFO;
    }

    public long segmentHeader(int index) {
        return NativeMemory.getLong(request(index) + SEGMENTED_HEADER);
    }

    public short segmentHeaderSize(int index) {
        return NativeMemory.getShort(request(index) + SEGMENTED_HEADER_SIZE);
    }

    public short maxSegmentSize(int index) {
        return NativeMemory.getShort(request(index) + SEGMENTED_SEGMENT_SIZE);
    }
}
