// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

/**
 * Offsets of the kernel's interface for SoftRoCE ({@code rdma/rdma_user_rxe.h}), which no kernel may change. Written by
 * hand, because it is not in verbs.h, from which the bindings are generated; a test compares all of it with the C
 * compiler's.
 */
final class RxeLayout {
    // struct mminfo: the mapping of a queue.
    static final long MAPPING_OFFSET = 0;
    static final long MAPPING_SIZE = 8;
    static final long MAPPING_BYTES = 16;

    // struct rxe_queue_buf: the head of a queue.
    static final long LOG2_ELEMENT_SIZE = 0;
    static final long INDEX_MASK = 4;
    static final long PRODUCER_INDEX = 128;
    static final long CONSUMER_INDEX = 256;
    static final long DATA = 384;

    // struct rxe_send_wqe, its struct rxe_send_wr first.
    static final long SEND_WR_ID = 0;
    static final long SEND_RESERVED = 8;
    static final long SEND_OPCODE = 12;
    static final long SEND_FLAGS = 16;
    static final long SEND_IMMEDIATE_OR_KEY = 20;
    static final long RDMA_ADDRESS = 24;
    static final long RDMA_KEY = 32;
    static final long ATOMIC_ADDRESS = 24;
    static final long ATOMIC_COMPARE_ADD = 32;
    static final long ATOMIC_SWAP = 40;
    static final long ATOMIC_KEY = 48;
    static final long DATAGRAM_PEER = 24;
    static final long DATAGRAM_KEY = 28;
    static final long DATAGRAM_PARTITION = 32;
    static final long DATAGRAM_HANDLE = 36;
    static final long WINDOW_ADDRESS = 24;
    static final long WINDOW_LENGTH = 32;
    static final long WINDOW_REGION_KEY = 40;
    static final long WINDOW_OLD_KEY = 44;
    static final long WINDOW_KEY = 48;
    static final long WINDOW_ACCESS = 52;
    static final long SEND_STATUS = 144;
    static final long SEND_STATE = 148;
    static final long SEND_IOVA = 152;
    static final long SEND_DMA = 184;
    static final long SEND_BYTES = 208;

    // struct rxe_recv_wqe.
    static final long RECEIVE_WR_ID = 0;
    static final long RECEIVE_RESERVED = 8;
    static final long RECEIVE_DMA = 16;
    static final long RECEIVE_BYTES = 40;

    // struct rxe_dma_info, in both; followed by the entries, or the inline data.
    static final long DMA_LENGTH = 0;
    static final long DMA_REMAINING = 4;
    static final long DMA_CURRENT_ENTRY = 8;
    static final long DMA_ENTRIES = 12;
    static final long DMA_ENTRY_OFFSET = 16;
    static final long DMA_RESERVED = 20;
    static final long DMA_DATA = 24;

    // struct rxe_sge, which is struct ibv_sge.
    static final long ENTRY_ADDRESS = 0;
    static final long ENTRY_LENGTH = 8;
    static final long ENTRY_KEY = 12;
    static final long ENTRY_BYTES = 16;

    // struct ib_uverbs_wc, the element of a completion queue, which equals struct ibv_wc.
    static final long COMPLETION_BYTES = 48;

    private RxeLayout() {}
}
