// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.NativeMemory.getByte;
import static io.github.rdma4j.verbs.internal.NativeMemory.getInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.getShort;
import static io.github.rdma4j.verbs.internal.NativeMemory.putByte;
import static io.github.rdma4j.verbs.internal.NativeMemory.putInt;
import static io.github.rdma4j.verbs.internal.NativeMemory.putLong;
import static io.github.rdma4j.verbs.internal.NativeMemory.putShort;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_wc;
import io.github.rdma4j.verbs.internal.SendOpcode;

/** Converts an mlx5 adapter's completion to {@code struct ibv_wc}, with exactly the fields that libmlx5 sets. */
final class Mlx5Completions {
    private static final long WR_ID = ibv_wc.wr_id$offset();
    private static final long STATUS = ibv_wc.status$offset();
    private static final long OPCODE = ibv_wc.opcode$offset();
    private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
    private static final long LENGTH = ibv_wc.byte_len$offset();
    private static final long IMMEDIATE = ibv_wc.imm_data$offset();
    private static final long SOURCE = ibv_wc.src_qp$offset();
    private static final long FLAGS = ibv_wc.wc_flags$offset();
    private static final long KEY_INDEX = ibv_wc.pkey_index$offset();
    private static final long LID = ibv_wc.slid$offset();
    private static final long SERVICE_LEVEL = ibv_wc.sl$offset();
    private static final long PATH_BITS = ibv_wc.dlid_path_bits$offset();

    private static final int SUCCESS = RdmaHeaders.IBV_WC_SUCCESS();
    private static final int WITH_IMMEDIATE = RdmaHeaders.IBV_WC_WITH_IMM();
    private static final int WITH_INVALIDATE = RdmaHeaders.IBV_WC_WITH_INV();
    private static final int WITH_HEADER = RdmaHeaders.IBV_WC_GRH();

    private Mlx5Completions() {}

    /** For a send request that is done. */
    static void request(Mlx5SendRing member, long entry, int owner, int code, int counter, long wc) {
        int opcode = switch (code) {
            case Mlx5Layout.RDMA_WRITE, Mlx5Layout.RDMA_WRITE_IMMEDIATE -> RdmaHeaders.IBV_WC_RDMA_WRITE();
            case Mlx5Layout.SEND, Mlx5Layout.SEND_IMMEDIATE, Mlx5Layout.SEND_INVALIDATE -> RdmaHeaders.IBV_WC_SEND();
            case Mlx5Layout.RDMA_READ -> RdmaHeaders.IBV_WC_RDMA_READ();
            case Mlx5Layout.COMPARE_AND_SWAP -> RdmaHeaders.IBV_WC_COMP_SWAP();
            case Mlx5Layout.FETCH_AND_ADD -> RdmaHeaders.IBV_WC_FETCH_ADD();
            case Mlx5Layout.CHANGE_KEY -> change(member.change(counter));
            default -> -1;
        };
        int length = switch (code) {
            case Mlx5Layout.RDMA_READ -> length(entry);
            case Mlx5Layout.COMPARE_AND_SWAP, Mlx5Layout.FETCH_AND_ADD -> Long.BYTES;
            default -> -1;
        };
        if (code == Mlx5Layout.RDMA_WRITE_IMMEDIATE || code == Mlx5Layout.SEND_IMMEDIATE) {
            putInt(wc + FLAGS, WITH_IMMEDIATE);
        }
        if (opcode != -1) {
            putInt(wc + OPCODE, opcode);
        }
        if (length != -1) {
            putInt(wc + LENGTH, length);
        }
        long data = scattered(entry, owner);
        putInt(wc + STATUS, data == 0 ? SUCCESS : member.scatter(counter, data, length));
        putLong(wc + WR_ID, member.done(counter));
    }

    private static int change(int operation) {
        return operation == SendOpcode.LOCAL_INVALIDATE ? RdmaHeaders.IBV_WC_LOCAL_INV() : RdmaHeaders.IBV_WC_BIND_MW();
    }

    private static int length(long entry) {
        return Integer.reverseBytes(getInt(entry + Mlx5Layout.COMPLETION_LENGTH));
    }

    /** Returns the address of received data that the adapter has put into the completion; otherwise 0. */
    private static long scattered(long entry, int owner) {
        if ((owner & Mlx5Layout.SCATTER_32) != 0) {
            return entry;
        }
        // The first 64 of 128 bytes.
        return (owner & Mlx5Layout.SCATTER_64) != 0 ? entry - Mlx5Layout.COMPLETION_BYTES : 0;
    }

    /** For a receive that a message has filled. */
    static void response(Mlx5ReceiveRing receives, long entry, int owner, int counter, long wc) {
        int length = length(entry);
        putInt(wc + LENGTH, length);
        long data = scattered(entry, owner);
        int status = data == 0 ? SUCCESS : receives.scatter(counter, data, length);
        putLong(wc + WR_ID, receives.done(counter));
        putInt(wc + STATUS, status);
        if (status != SUCCESS) {
            return;
        }
        int kind = owner >>> Mlx5Layout.KIND_SHIFT;
        int immediate = getInt(entry + Mlx5Layout.COMPLETION_IMMEDIATE);
        int flags = 0;
        switch (kind) {
            case Mlx5Layout.RESPONSE_WRITE_IMMEDIATE, Mlx5Layout.RESPONSE_SEND_IMMEDIATE -> {
                flags = WITH_IMMEDIATE;
                putInt(wc + IMMEDIATE, immediate);
            }
            case Mlx5Layout.RESPONSE_SEND_INVALIDATE -> {
                flags = WITH_INVALIDATE;
                putInt(wc + IMMEDIATE, Integer.reverseBytes(immediate));
            }
            default -> {
                // A plain message.
            }
        }
        putInt(
                wc + OPCODE,
                kind == Mlx5Layout.RESPONSE_WRITE_IMMEDIATE
                        ? RdmaHeaders.IBV_WC_RECV_RDMA_WITH_IMM()
                        : RdmaHeaders.IBV_WC_RECV());
        int flagsAndPeer = Integer.reverseBytes(getInt(entry + Mlx5Layout.COMPLETION_FLAGS_AND_PEER));
        putInt(wc + FLAGS, flags | ((flagsAndPeer >>> 28 & 3) != 0 ? WITH_HEADER : 0));
        putShort(wc + LID, Short.reverseBytes(getShort(entry + Mlx5Layout.COMPLETION_LID)));
        putByte(wc + SERVICE_LEVEL, (byte) (flagsAndPeer >>> 24 & 0xf));
        putInt(wc + SOURCE, flagsAndPeer & 0xffffff);
        putByte(wc + PATH_BITS, (byte) (getByte(entry + Mlx5Layout.COMPLETION_PATH) & 0x7f));
        putShort(wc + KEY_INDEX, (short) Integer.reverseBytes(immediate));
    }

    /** For a failed request. */
    static void error(Mlx5SendRing member, long entry, boolean request, int counter, long wc) {
        putInt(wc + STATUS, status(getByte(entry + Mlx5Layout.COMPLETION_SYNDROME) & 0xff));
        putInt(wc + VENDOR_ERROR, getByte(entry + Mlx5Layout.COMPLETION_VENDOR_ERROR) & 0xff);
        putLong(wc + WR_ID, request ? member.done(counter) : member.receives().done(counter));
    }

    private static int status(int syndrome) {
        return switch (syndrome) {
            case Mlx5Layout.LOCAL_LENGTH_ERROR -> RdmaHeaders.IBV_WC_LOC_LEN_ERR();
            case Mlx5Layout.LOCAL_QP_OPERATION_ERROR -> RdmaHeaders.IBV_WC_LOC_QP_OP_ERR();
            case Mlx5Layout.LOCAL_PROTECTION_ERROR -> RdmaHeaders.IBV_WC_LOC_PROT_ERR();
            case Mlx5Layout.FLUSH_ERROR -> RdmaHeaders.IBV_WC_WR_FLUSH_ERR();
            case Mlx5Layout.WINDOW_BIND_ERROR -> RdmaHeaders.IBV_WC_MW_BIND_ERR();
            case Mlx5Layout.BAD_RESPONSE_ERROR -> RdmaHeaders.IBV_WC_BAD_RESP_ERR();
            case Mlx5Layout.LOCAL_ACCESS_ERROR -> RdmaHeaders.IBV_WC_LOC_ACCESS_ERR();
            case Mlx5Layout.REMOTE_INVALID_REQUEST_ERROR -> RdmaHeaders.IBV_WC_REM_INV_REQ_ERR();
            case Mlx5Layout.REMOTE_ACCESS_ERROR -> RdmaHeaders.IBV_WC_REM_ACCESS_ERR();
            case Mlx5Layout.REMOTE_OPERATION_ERROR -> RdmaHeaders.IBV_WC_REM_OP_ERR();
            case Mlx5Layout.RETRIES_EXCEEDED -> RdmaHeaders.IBV_WC_RETRY_EXC_ERR();
            case Mlx5Layout.RNR_RETRIES_EXCEEDED -> RdmaHeaders.IBV_WC_RNR_RETRY_EXC_ERR();
            case Mlx5Layout.REMOTE_ABORTED -> RdmaHeaders.IBV_WC_REM_ABORT_ERR();
            default -> RdmaHeaders.IBV_WC_GENERAL_ERR();
        };
    }
}
