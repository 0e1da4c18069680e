// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.pair;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.structure;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_ADDRESS;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_COMPARE_ADD;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_KEY;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ATOMIC_SWAP;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.DATAGRAM_HANDLE_NUMBER;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.DATAGRAM_PEER_AND_KEY;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.ENTRIES_AND_OPCODE;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.FLAGS_AND_IMMEDIATE;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.NEXT;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.RDMA_ADDRESS;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.RDMA_KEY;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.SGE_ADDRESS;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.SGE_LENGTH;
import static io.github.rdma4j.verbs.internal.datapath.SendRequestLayout.WR_ID;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_mr;
import io.github.rdma4j.verbs.bindings.ibv_mw;
import io.github.rdma4j.verbs.bindings.ibv_mw_bind_info;
import io.github.rdma4j.verbs.bindings.ibv_send_wr;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;

/**
 * The send queue of SoftRoCE: a request is written as a {@code struct rxe_send_wqe} to the ring, and a system call
 * notifies the driver. The result is identical to librxe's for the same requests, including errnos: with librxe, a
 * request that the doorbell refuses because of the queue pair's state also stays in the ring.
 */
public final class RxeSendRing extends SendPath {
    private static final long BIND = ibv_send_wr.bind_mw$offset();
    private static final long BIND_WINDOW = BIND + ibv_send_wr.bind_mw.mw$offset();
    private static final long BIND_KEY = BIND + ibv_send_wr.bind_mw.rkey$offset();
    private static final long BIND_INFO = BIND + ibv_send_wr.bind_mw.bind_info$offset();

    private static final int ONE_SIDED =
            SendOpcode.mask(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, SendOpcode.RDMA_READ);
    private static final int ATOMICS = SendOpcode.mask(SendOpcode.COMPARE_AND_SWAP, SendOpcode.FETCH_AND_ADD);
    private static final int INLINE = RdmaHeaders.IBV_SEND_INLINE();

    private final RxeQueue queue;
    private final RxeDoorbell doorbell;
    private final boolean datagrams;

    /** Requests of a datagram queue pair must have the numbers of their handles: see {@link RxeDatagramRing}. */
    RxeSendRing(RxeQueue queue, RxeDoorbell doorbell, boolean datagrams) {
        this.queue = queue;
        this.doorbell = doorbell;
        this.datagrams = datagrams;
    }

    /** {@return the current ring} */
    RxeQueue queue() {
        return queue;
    }

    /**
     * Like {@link SendPath#post}. This method is longer than the 325 bytes of bytecode up to which HotSpot's C2
     * compiler inlines a method ({@code FreqInlineSize}), and must stay so: a loop that posts has little inlining
     * budget left, and otherwise each load and store here would become a call. A test checks the length.
     */
    @Override
    public int post(SendRequests requests) {
        RxeQueue ring = queue;
        int refused = 0;
        for (long address = requests.address(); address != 0; address = getLong(structure(address) + NEXT)) {
            int producer = ring.producer();
            int next = ring.after(producer);
            if (next == ring.consumerOfKernel()) {
                refused = refuse(requests, address, Errno.ENOMEM);
                break;
            }
            long request = structure(address);
            long element = ring.element(producer);
            // Neighbouring fields are loaded and stored as one: a load or store costs the compiler as much as many
            // instructions.
            long entriesAndOpcode = getLong(request + ENTRIES_AND_OPCODE);
            int entries = NativeMemory.first(entriesAndOpcode);
            int opcode = NativeMemory.second(entriesAndOpcode);
            long flagsAndImmediate = getLong(request + FLAGS_AND_IMMEDIATE);
            long peer = getLong(request + RDMA_ADDRESS);
            if ((1 << opcode & ONE_SIDED) != 0) {
                putLong(element + RxeLayout.RDMA_ADDRESS, peer);
                putLong(element + RxeLayout.RDMA_KEY, pair(getInt(request + RDMA_KEY), 0));
            } else if (!writeOthers(request, opcode, element)) {
                refused = refuse(requests, address, Errno.EINVAL);
                break;
            }
            putLong(element + RxeLayout.SEND_WR_ID, getLong(request + WR_ID));
            putLong(element + RxeLayout.SEND_RESERVED, pair(0, opcode));
            putLong(element + RxeLayout.SEND_FLAGS, flagsAndImmediate);
            putLong(element + RxeLayout.SEND_STATUS, 0L);
            putLong(element + RxeLayout.SEND_IOVA, peer);
            int length = 0;
            if ((NativeMemory.first(flagsAndImmediate) & INLINE) != 0) {
                length = writeInline(request + SendRequests.ENTRIES, entries, element + RxeLayout.SEND_BYTES);
            } else if (entries == 1) {
                // Most requests have one entry, so no loop.
                long lengthAndKey = getLong(request + SendRequests.ENTRIES + SGE_LENGTH);
                putLong(
                        element + RxeLayout.SEND_BYTES + RxeLayout.ENTRY_ADDRESS,
                        getLong(request + SendRequests.ENTRIES + SGE_ADDRESS));
                putLong(element + RxeLayout.SEND_BYTES + RxeLayout.ENTRY_LENGTH, lengthAndKey);
                length = NativeMemory.first(lengthAndKey);
            } else {
                for (int i = 0; i < entries; i++) {
                    long from = structure(request + SendRequests.ENTRIES + i * RxeLayout.ENTRY_BYTES);
                    long to = structure(element + RxeLayout.SEND_BYTES + i * RxeLayout.ENTRY_BYTES);
                    long lengthAndKey = getLong(from + SGE_LENGTH);
                    putLong(to + RxeLayout.ENTRY_ADDRESS, getLong(from + SGE_ADDRESS));
                    putLong(to + RxeLayout.ENTRY_LENGTH, lengthAndKey);
                    length += NativeMemory.first(lengthAndKey);
                }
            }
            putLong(element + RxeLayout.SEND_DMA + RxeLayout.DMA_LENGTH, pair(length, length));
            putLong(element + RxeLayout.SEND_DMA + RxeLayout.DMA_CURRENT_ENTRY, pair(0, entries));
            putLong(element + RxeLayout.SEND_DMA + RxeLayout.DMA_ENTRY_OFFSET, 0L);
            ring.producer(next);
        }
        // Also after a refusal, like librxe: accepted requests must be sent.
        int notRung = doorbell.ring();
        return notRung == 0 ? refused : notRung;
    }

    private static int refuse(SendRequests requests, long request, int errno) {
        putLong(structure(requests.badRequestAddress()), request);
        return errno;
    }

    /** Writes inline data, which is one piece of our own memory, whatever it was gathered from. */
    private static int writeInline(long entry, int entries, long target) {
        int length = entries == 0 ? 0 : getInt(entry + SGE_LENGTH);
        if (length != 0) {
            NativeMemory.copy(structure(getLong(entry + SGE_ADDRESS)), target, length);
        }
        return length;
    }

    /**
     * Writes the fields of operations that do not name memory as reads and writes do; returns false if librxe refuses
     * the operation.
     */
    private boolean writeOthers(long request, int opcode, long element) {
        if ((1 << opcode & ATOMICS) != 0) {
            long address = getLong(request + ATOMIC_ADDRESS);
            putLong(element + RxeLayout.ATOMIC_ADDRESS, address);
            putLong(element + RxeLayout.ATOMIC_COMPARE_ADD, getLong(request + ATOMIC_COMPARE_ADD));
            putLong(element + RxeLayout.ATOMIC_SWAP, getLong(request + ATOMIC_SWAP));
            putLong(element + RxeLayout.ATOMIC_KEY, pair(getInt(request + ATOMIC_KEY), 0));
            return (address & Long.BYTES - 1) == 0
                    && NativeMemory.first(getLong(request + ENTRIES_AND_OPCODE)) > 0
                    && Integer.compareUnsigned(getInt(request + SendRequests.ENTRIES + SGE_LENGTH), Long.BYTES) >= 0;
        }
        if (opcode == SendOpcode.BIND_MEMORY_WINDOW) {
            long region = structure(getLong(request + BIND_INFO + ibv_mw_bind_info.mr$offset()));
            long window = structure(getLong(request + BIND_WINDOW));
            putLong(element + RxeLayout.WINDOW_ADDRESS, getLong(request + BIND_INFO + ibv_mw_bind_info.addr$offset()));
            putLong(element + RxeLayout.WINDOW_LENGTH, getLong(request + BIND_INFO + ibv_mw_bind_info.length$offset()));
            putInt(element + RxeLayout.WINDOW_REGION_KEY, getInt(region + ibv_mr.lkey$offset()));
            putInt(element + RxeLayout.WINDOW_OLD_KEY, getInt(window + ibv_mw.rkey$offset()));
            putInt(element + RxeLayout.WINDOW_KEY, getInt(request + BIND_KEY));
            putInt(
                    element + RxeLayout.WINDOW_ACCESS,
                    getInt(request + BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset()));
            return true;
        }
        if (datagrams) {
            int handle = getInt(structure(getLong(request + DATAGRAM_HANDLE_NUMBER)));
            putLong(element + RxeLayout.DATAGRAM_PEER, getLong(request + DATAGRAM_PEER_AND_KEY));
            putLong(element + RxeLayout.DATAGRAM_PARTITION, pair(0, handle));
            return true;
        }
        putLong(element + RxeLayout.RDMA_ADDRESS, 0L);
        putLong(element + RxeLayout.RDMA_KEY, 0L);
        return true;
    }
}
