// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_qp_ex;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExtendedCalls;
import io.github.rdma4j.verbs.internal.LaterVerbs;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.MemorySegment;

/**
 * Posts with {@code ibv_wr_*} on one queue pair. Between ibv_wr_start and ibv_wr_complete the provider holds the lock
 * of the send queue, usually a spin lock. So nothing native is called while a batch is filled: requests are recorded,
 * and replayed here without a pause. A batch that is never posted holds no lock and needs no ibv_wr_abort, and closing
 * the queue pair meanwhile does not wait. The cost is that each request is written to memory and read again, a few
 * nanoseconds.
 *
 * <p>All or nothing: if ibv_wr_complete refuses, no request is in the queue.
 */
public final class ExtendedPosting {
    private static final int INLINE = RdmaHeaders.IBV_SEND_INLINE();
    private static final long WORK_REQUEST_ID = ibv_qp_ex.wr_id$offset();
    private static final long FLAGS = ibv_qp_ex.wr_flags$offset();
    /** After the structure of rdma-core 44; version 45 has one more pointer there. */
    private static final long FLUSH = ibv_qp_ex.sizeof();
    /**
     * Up to version 44, the word there is the {@code comp_mask} of the provider's {@code struct verbs_qp}, a few low
     * bits; and no function is in the first pages of an address space.
     */
    private static final long LOWEST_FUNCTION = 1 << 16;
    /** Operations without data, or with data in their arguments. */
    private static final int WITHOUT_DATA = SendOpcode.mask(
            SendOpcode.LOCAL_INVALIDATE, SendOpcode.BIND_MEMORY_WINDOW, SendOpcode.ATOMIC_WRITE, SendOpcode.FLUSH);

    /** The peer that a request names besides its memory. */
    public enum Peers {
        /** No peer: the queue pair is connected. */
        ONE,
        /** The queue pair that receives the datagram. */
        ANY,
        /** The queue pair that receives the message or has the memory. */
        ANY_WITH_MEMORY,
        /** A shared receive queue of the peer's XRC domain. */
        SHARED_RECEIVE_QUEUES
    }

    private final Peers peers;
    private final MemorySegment structure;
    private final long queuePair;
    private final boolean critical;
    private final boolean equalSlicesOnly;
    private final int opcodes;
    private final MemorySegment start;
    private final MemorySegment complete;
    private final MemorySegment abort;
    private final MemorySegment write;
    private final MemorySegment writeWithImmediate;
    private final MemorySegment send;
    private final MemorySegment sendWithImmediate;
    private final MemorySegment sendWithInvalidate;
    private final MemorySegment segmentedSend;
    private final MemorySegment read;
    private final MemorySegment compareAndSwap;
    private final MemorySegment fetchAndAdd;
    private final MemorySegment atomicWrite;
    private final MemorySegment flush;
    private final MemorySegment bind;
    private final MemorySegment localInvalidate;
    private final MemorySegment setEntry;
    private final MemorySegment setEntries;
    private final MemorySegment setInline;
    private final MemorySegment setDatagram;
    private final MemorySegment setSharedReceiveQueue;

    /**
     * Reads the function pointers.
     *
     * @param queuePair the {@code struct ibv_qp_ex}
     * @param driver the driver of its device
     * @param peers the peer that a request names
     * @param opcodes the opcodes that the queue pair was created for, as bits
     * @throws UnsupportedVerbException if the provider did not set one that is needed
     */
    public ExtendedPosting(long queuePair, DeviceDriver driver, Peers peers, int opcodes) {
        this.peers = peers;
        this.opcodes = opcodes;
        this.critical = driver.postsInUserSpace();
        // SoftRoCE's library takes all slices of a list to be as long as the first; fixed in rdma-core 64.
        this.equalSlicesOnly = driver.mayBeSoftware() && !LaterVerbs.isExported("ibv_alloc_buf");
        this.queuePair = queuePair;
        structure = MemorySegment.ofAddress(queuePair).reinterpret(FLUSH + Long.BYTES);
        start = function(ibv_qp_ex.wr_start$offset());
        complete = function(ibv_qp_ex.wr_complete$offset());
        abort = function(ibv_qp_ex.wr_abort$offset());
        write = function(ibv_qp_ex.wr_rdma_write$offset());
        writeWithImmediate = function(ibv_qp_ex.wr_rdma_write_imm$offset());
        send = function(ibv_qp_ex.wr_send$offset());
        sendWithImmediate = function(ibv_qp_ex.wr_send_imm$offset());
        sendWithInvalidate = function(ibv_qp_ex.wr_send_inv$offset());
        segmentedSend = function(ibv_qp_ex.wr_send_tso$offset());
        read = function(ibv_qp_ex.wr_rdma_read$offset());
        compareAndSwap = function(ibv_qp_ex.wr_atomic_cmp_swp$offset());
        fetchAndAdd = function(ibv_qp_ex.wr_atomic_fetch_add$offset());
        atomicWrite = function(ibv_qp_ex.wr_atomic_write$offset());
        bind = function(ibv_qp_ex.wr_bind_mw$offset());
        localInvalidate = function(ibv_qp_ex.wr_local_inv$offset());
        setEntry = function(ibv_qp_ex.wr_set_sge$offset());
        setEntries = function(ibv_qp_ex.wr_set_sge_list$offset());
        setInline = function(ibv_qp_ex.wr_set_inline_data$offset());
        setDatagram = function(ibv_qp_ex.wr_set_ud_addr$offset());
        setSharedReceiveQueue = function(ibv_qp_ex.wr_set_xrc_srqn$offset());
        flush = (opcodes >>> SendOpcode.FLUSH & 1) != 0 ? function(FLUSH) : MemorySegment.NULL;
        requireFilled(start, "ibv_wr_start");
        requireFilled(complete, "ibv_wr_complete");
        requireFilled(abort, "ibv_wr_abort");
        if (peers == Peers.ANY || peers == Peers.ANY_WITH_MEMORY) {
            requireFilled(setDatagram, "ibv_wr_set_ud_addr");
        } else if (peers == Peers.SHARED_RECEIVE_QUEUES) {
            requireFilled(setSharedReceiveQueue, "ibv_wr_set_xrc_srqn");
        }
        for (int opcode = 0; opcode < Integer.SIZE; opcode++) {
            if ((opcodes >>> opcode & 1) != 0) {
                requireFilled(builder(opcode), SendOpcode.withArticle(opcode));
            }
        }
        if ((opcodes & ~WITHOUT_DATA) != 0) {
            requireFilled(setEntry, "ibv_wr_set_sge");
            requireFilled(setEntries, "ibv_wr_set_sge_list");
        }
    }

    private MemorySegment function(long offset) {
        MemorySegment pointer = structure.get(ADDRESS, offset);
        return Long.compareUnsigned(pointer.address(), LOWEST_FUNCTION) < 0 ? MemorySegment.NULL : pointer;
    }

    private static void requireFilled(MemorySegment function, String name) {
        if (function.address() == 0) {
            throw new UnsupportedVerbException(
                    "extended posting", Errno.EOPNOTSUPP, "the device's library did not give the function for " + name);
        }
    }

    private MemorySegment builder(int opcode) {
        MemorySegment[] byOpcode = new MemorySegment[Integer.SIZE];
        byOpcode[SendOpcode.RDMA_WRITE] = write;
        byOpcode[SendOpcode.RDMA_WRITE_WITH_IMMEDIATE] = writeWithImmediate;
        byOpcode[SendOpcode.SEND] = send;
        byOpcode[SendOpcode.SEND_WITH_IMMEDIATE] = sendWithImmediate;
        byOpcode[SendOpcode.SEND_WITH_INVALIDATE] = sendWithInvalidate;
        byOpcode[SendOpcode.SEGMENTED_SEND] = segmentedSend;
        byOpcode[SendOpcode.RDMA_READ] = read;
        byOpcode[SendOpcode.COMPARE_AND_SWAP] = compareAndSwap;
        byOpcode[SendOpcode.FETCH_AND_ADD] = fetchAndAdd;
        byOpcode[SendOpcode.ATOMIC_WRITE] = atomicWrite;
        byOpcode[SendOpcode.FLUSH] = flush;
        byOpcode[SendOpcode.BIND_MEMORY_WINDOW] = bind;
        byOpcode[SendOpcode.LOCAL_INVALIDATE] = localInvalidate;
        return byOpcode[opcode];
    }

    /**
     * Returns whether a request with this opcode and these flags can be posted; otherwise its function pointers must
     * not be called.
     */
    public boolean can(int opcode, int flags) {
        return (opcodes >>> opcode & 1) != 0 && ((flags & INLINE) == 0 || setInline.address() != 0);
    }

    /** {@return whether the device's library sends the wrong data if the slices of a list differ in length} */
    public boolean takesEqualSlicesOnly() {
        return equalSlicesOnly;
    }

    /**
     * Posts recorded requests; called inside the queue pair's guard.
     *
     * @param requests requests that {@link #can} allows
     * @param first the index of the first request
     * @param end the index after the last request
     * @return 0 or an errno; then none was posted
     */
    public int post(SendRequests requests, int first, int end) {
        ExtendedCalls.start(start, queuePair);
        int next = first;
        try {
            while (next < end) {
                add(requests, next);
                next++;
            }
        } finally {
            // Only an error of the JVM, such as an exhausted stack, gets here early; the lock must be released.
            if (next < end) {
                ExtendedCalls.call(abort, critical, queuePair);
            }
        }
        int result = Math.abs(ExtendedCalls.complete(complete, critical, queuePair));
        // Sizes were checked while recording, so only the queue can be full. SoftRoCE and others report ENOSPC for
        // that, while ibv_post_send reports ENOMEM.
        return result == Errno.ENOSPC ? Errno.ENOMEM : result;
    }

    private void add(SendRequests requests, int index) {
        int opcode = requests.opcode(index);
        int flags = requests.flags(index);
        structure.set(JAVA_LONG, WORK_REQUEST_ID, requests.workRequestId(index));
        structure.set(JAVA_INT, FLAGS, flags);
        build(requests, index, opcode);
        if (peers == Peers.ANY) {
            ExtendedCalls.call(
                    setDatagram,
                    critical,
                    queuePair,
                    requests.datagramHandle(index),
                    requests.datagramNumber(index),
                    requests.datagramKey(index));
        } else if (peers == Peers.SHARED_RECEIVE_QUEUES) {
            ExtendedCalls.call(setSharedReceiveQueue, critical, queuePair, requests.sharedReceiveQueue(index));
        } else if (peers == Peers.ANY_WITH_MEMORY) {
            ExtendedCalls.call(
                    setDatagram,
                    critical,
                    queuePair,
                    requests.reliableDatagramHandle(index),
                    requests.reliableDatagramNumber(index),
                    requests.reliableDatagramKey(index));
        }
        if ((1 << opcode & WITHOUT_DATA) == 0) {
            setData(requests, index, flags);
        }
    }

    private void build(SendRequests requests, int index, int opcode) {
        if (opcode == SendOpcode.RDMA_WRITE) {
            ExtendedCalls.call(write, critical, queuePair, requests.remoteKey(index), requests.remoteAddress(index));
        } else if (opcode == SendOpcode.SEND) {
            ExtendedCalls.call(send, critical, queuePair);
        } else if (opcode == SendOpcode.RDMA_READ) {
            ExtendedCalls.call(read, critical, queuePair, requests.remoteKey(index), requests.remoteAddress(index));
        } else if (opcode == SendOpcode.RDMA_WRITE_WITH_IMMEDIATE) {
            ExtendedCalls.call(
                    writeWithImmediate,
                    critical,
                    queuePair,
                    requests.remoteKey(index),
                    requests.remoteAddress(index),
                    requests.immediateOrKey(index));
        } else if (opcode == SendOpcode.SEND_WITH_IMMEDIATE) {
            ExtendedCalls.call(sendWithImmediate, critical, queuePair, requests.immediateOrKey(index));
        } else if (opcode == SendOpcode.SEND_WITH_INVALIDATE) {
            ExtendedCalls.call(sendWithInvalidate, critical, queuePair, requests.immediateOrKey(index));
        } else if (opcode == SendOpcode.LOCAL_INVALIDATE) {
            ExtendedCalls.call(localInvalidate, critical, queuePair, requests.immediateOrKey(index));
        } else if (opcode == SendOpcode.BIND_MEMORY_WINDOW) {
            ExtendedCalls.call(
                    bind,
                    critical,
                    queuePair,
                    requests.boundWindow(index),
                    requests.boundKey(index),
                    requests.bindInformationAddress(index));
        } else if (opcode == SendOpcode.SEGMENTED_SEND) {
            ExtendedCalls.call(
                    segmentedSend,
                    critical,
                    queuePair,
                    requests.segmentHeader(index),
                    requests.segmentHeaderSize(index),
                    requests.maxSegmentSize(index));
        } else {
            buildAtomic(requests, index, opcode);
        }
    }

    private void buildAtomic(SendRequests requests, int index, int opcode) {
        int key = requests.atomicKey(index);
        long address = requests.atomicAddress(index);
        if (opcode == SendOpcode.COMPARE_AND_SWAP) {
            ExtendedCalls.call(
                    compareAndSwap,
                    critical,
                    queuePair,
                    key,
                    address,
                    requests.compareOrAdd(index),
                    requests.swap(index));
        } else if (opcode == SendOpcode.FETCH_AND_ADD) {
            ExtendedCalls.call(fetchAndAdd, critical, queuePair, key, address, requests.compareOrAdd(index));
        } else if (opcode == SendOpcode.ATOMIC_WRITE) {
            ExtendedCalls.call(atomicWrite, critical, queuePair, key, address, requests.compareOrAddAddress(index));
        } else {
            int how = (int) requests.swap(index);
            ExtendedCalls.call(
                    flush, critical, queuePair, key, address, requests.compareOrAdd(index), (byte) how, (byte)
                            (how >>> Byte.SIZE));
        }
    }

    private void setData(SendRequests requests, int index, int flags) {
        int entries = requests.entries(index);
        if (entries > 1) {
            ExtendedCalls.call(setEntries, critical, queuePair, (long) entries, requests.entriesAddress(index));
        } else if (entries == 0) {
            ExtendedCalls.call(setEntry, critical, queuePair, 0, 0L, 0);
        } else if ((flags & INLINE) != 0) {
            ExtendedCalls.call(
                    setInline,
                    critical,
                    queuePair,
                    requests.localAddress(index),
                    Integer.toUnsignedLong(requests.localLength(index)));
        } else {
            ExtendedCalls.call(
                    setEntry,
                    critical,
                    queuePair,
                    requests.localKey(index),
                    requests.localAddress(index),
                    requests.localLength(index));
        }
    }
}
