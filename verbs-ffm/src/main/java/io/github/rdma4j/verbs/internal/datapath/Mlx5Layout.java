// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

/**
 * Offsets and values of the data that an mlx5 adapter reads and writes: work requests, completions, registers. They are
 * in libmlx5's public header ({@code infiniband/mlx5dv.h}), and no adapter may change them. Written by hand, because
 * they are not in verbs.h, from which the bindings are generated; a test compares all of them with the C compiler's.
 * All fields except single bytes are big-endian.
 */
final class Mlx5Layout {
    // struct mlx5_wqe_ctrl_seg: the head of each request for sending.
    static final long HEAD_INDEX_AND_OPCODE = 0;
    static final long HEAD_NUMBER_AND_SIZE = 4;
    static final long HEAD_FLAGS = 11;
    static final long HEAD_IMMEDIATE = 12;
    static final long HEAD_BYTES = 16;
    static final int CQ_UPDATE = 2 << 2;
    static final int SOLICITED = 1 << 1;
    static final int FENCE = 4 << 5;
    static final int SMALL_FENCE = 1 << 5;

    // struct mlx5_wqe_raddr_seg: the peer's memory.
    static final long REMOTE_ADDRESS = 0;
    static final long REMOTE_KEY = 8;
    static final long REMOTE_BYTES = 16;

    // struct mlx5_wqe_atomic_seg.
    static final long ATOMIC_SWAP_OR_ADD = 0;
    static final long ATOMIC_COMPARE = 8;
    static final long ATOMIC_BYTES = 16;

    // struct mlx5_wqe_data_seg: local memory.
    static final long DATA_LENGTH = 0;
    static final long DATA_KEY = 4;
    static final long DATA_ADDRESS = 8;
    static final long DATA_BYTES = 16;
    static final int INVALID_KEY = 0x100;

    // struct mlx5_wqe_inl_data_seg: the length of data that the request itself carries.
    static final long INLINE_BYTES = 4;
    static final int INLINE = 0x80000000;

    // struct mlx5_wqe_umr_ctrl_seg: the fields of a memory window that change.
    static final long CHANGE_FLAGS = 0;
    static final long CHANGE_ENTRIES = 4;
    static final long CHANGE_MASK = 8;
    static final long CHANGE_REST = 16;
    static final long CHANGE_BYTES = 48;
    static final int CHANGE_INLINE = 1 << 7;
    static final int CHANGE_CHECK_FREE = 1 << 5;
    static final int CHANGE_TRANSLATION_OFFSET = 1 << 4;
    static final int CHANGE_CHECK_NUMBER = 1 << 3;
    static final long MASK_LENGTH = 1;
    static final long MASK_START = 1 << 6;
    static final long MASK_KEY = 1 << 13;
    static final long MASK_NUMBER = 1 << 14;
    static final long MASK_LOCAL_WRITE = 1 << 18;
    static final long MASK_REMOTE_READ = 1 << 19;
    static final long MASK_REMOTE_WRITE = 1 << 20;
    static final long MASK_ATOMIC = 1 << 21;
    static final long MASK_FREE = 1 << 29;

    // struct mlx5_wqe_mkey_context_seg: the new state of the window.
    static final long WINDOW_FREE = 0;
    static final long WINDOW_ACCESS = 2;
    static final long WINDOW_NUMBER_AND_KEY = 4;
    static final long WINDOW_START = 16;
    static final long WINDOW_LENGTH = 24;
    static final long WINDOW_BYTES = 64;
    static final int IS_FREE = 1 << 6;
    static final int MAY_ATOMIC = 1 << 6;
    static final int MAY_REMOTE_WRITE = 1 << 5;
    static final int MAY_REMOTE_READ = 1 << 4;
    static final int MAY_LOCAL_WRITE = 1 << 3;

    // struct mlx5_wqe_umr_klm_seg, in a field of 64 bytes: the memory behind the window.
    static final long BEHIND_LENGTH = 0;
    static final long BEHIND_KEY = 4;
    static final long BEHIND_ADDRESS = 8;
    static final long BEHIND_BYTES = 64;

    /** {@code MLX5_SEND_WQE_BB}: the size of a request is a multiple of it. */
    static final int BLOCK_BYTES = 64;

    static final int BLOCK_SHIFT = 6;

    // The opcodes of requests.
    static final int SEND_INVALIDATE = 0x01;
    static final int RDMA_WRITE = 0x08;
    static final int RDMA_WRITE_IMMEDIATE = 0x09;
    static final int SEND = 0x0a;
    static final int SEND_IMMEDIATE = 0x0b;
    static final int RDMA_READ = 0x10;
    static final int COMPARE_AND_SWAP = 0x11;
    static final int FETCH_AND_ADD = 0x12;
    static final int CHANGE_KEY = 0x25;

    // The doorbell record of a queue pair, and of a completion queue.
    static final long RECEIVE_COUNTER = 0;
    static final long SEND_COUNTER = 4;
    static final int COUNTER_MASK = 0xffff;
    static final long CONSUMER_INDEX = 0;
    static final long ARMING = 4;
    static final int INDEX_MASK = 0xffffff;
    static final long ARMING_REGISTER = 0x20;
    static final int ARM_SOLICITED = 1 << 24;
    static final int ARM_SEQUENCE_SHIFT = 28;
    static final int ARM_SEQUENCE_MASK = 3;

    // struct mlx5_cqe64, and struct mlx5_err_cqe.
    static final long COMPLETION_PATH = 17;
    static final long COMPLETION_LID = 22;
    static final long COMPLETION_FLAGS_AND_PEER = 24;
    static final long COMPLETION_IMMEDIATE = 36;
    static final long COMPLETION_LENGTH = 44;
    static final long COMPLETION_VENDOR_ERROR = 54;
    static final long COMPLETION_SYNDROME = 55;
    static final long COMPLETION_OPCODE_AND_NUMBER = 56;
    static final long COMPLETION_COUNTER = 60;
    static final long COMPLETION_OWNER = 63;
    static final int COMPLETION_BYTES = 64;
    static final int OWNER_MASK = 1;
    static final int SCATTER_32 = 0x4;
    static final int SCATTER_64 = 0x8;
    static final int KIND_SHIFT = 4;
    static final int REQUEST = 0;
    static final int RESPONSE_WRITE_IMMEDIATE = 1;
    static final int RESPONSE_SEND = 2;
    static final int RESPONSE_SEND_IMMEDIATE = 3;
    static final int RESPONSE_SEND_INVALIDATE = 4;
    static final int REQUEST_ERROR = 13;
    static final int RESPONSE_ERROR = 14;
    static final int INVALID = 15;

    /** {@code MLX5_CQE_SYNDROME_…}. */
    static final int LOCAL_LENGTH_ERROR = 0x01;

    static final int LOCAL_QP_OPERATION_ERROR = 0x02;
    static final int LOCAL_PROTECTION_ERROR = 0x04;
    static final int FLUSH_ERROR = 0x05;
    static final int WINDOW_BIND_ERROR = 0x06;
    static final int BAD_RESPONSE_ERROR = 0x10;
    static final int LOCAL_ACCESS_ERROR = 0x11;
    static final int REMOTE_INVALID_REQUEST_ERROR = 0x12;
    static final int REMOTE_ACCESS_ERROR = 0x13;
    static final int REMOTE_OPERATION_ERROR = 0x14;
    static final int RETRIES_EXCEEDED = 0x15;
    static final int RNR_RETRIES_EXCEEDED = 0x16;
    static final int REMOTE_ABORTED = 0x22;

    private Mlx5Layout() {}
}
