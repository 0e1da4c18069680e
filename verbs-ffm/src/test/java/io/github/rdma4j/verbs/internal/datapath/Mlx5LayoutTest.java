// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.CProgram;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an mlx5 adapter reads and writes, compared with what the C compiler makes of libmlx5's public header. */
class Mlx5LayoutTest {
    /** Each constant, and the same in C. */
    private static final Map<String, String> IN_C = new LinkedHashMap<>();

    static {
        String head = "struct mlx5_wqe_ctrl_seg";
        offsets(head, "HEAD_INDEX_AND_OPCODE opmod_idx_opcode", "HEAD_NUMBER_AND_SIZE qpn_ds", "HEAD_FLAGS fm_ce_se");
        offsets(head, "HEAD_IMMEDIATE imm");
        size("HEAD_BYTES", head);
        values("CQ_UPDATE MLX5_WQE_CTRL_CQ_UPDATE", "SOLICITED MLX5_WQE_CTRL_SOLICITED", "FENCE MLX5_WQE_CTRL_FENCE");
        values("SMALL_FENCE MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE");
        offsets("struct mlx5_wqe_raddr_seg", "REMOTE_ADDRESS raddr", "REMOTE_KEY rkey");
        size("REMOTE_BYTES", "struct mlx5_wqe_raddr_seg");
        offsets("struct mlx5_wqe_atomic_seg", "ATOMIC_SWAP_OR_ADD swap_add", "ATOMIC_COMPARE compare");
        size("ATOMIC_BYTES", "struct mlx5_wqe_atomic_seg");
        String data = "struct mlx5_wqe_data_seg";
        offsets(data, "DATA_LENGTH byte_count", "DATA_KEY lkey", "DATA_ADDRESS addr");
        size("DATA_BYTES", data);
        values("INVALID_KEY MLX5_INVALID_LKEY", "INLINE (int)MLX5_INLINE_SEG");
        size("INLINE_BYTES", "struct mlx5_wqe_inl_data_seg");
        String change = "struct mlx5_wqe_umr_ctrl_seg";
        offsets(change, "CHANGE_FLAGS flags", "CHANGE_ENTRIES klm_octowords", "CHANGE_MASK mkey_mask");
        offsets(change, "CHANGE_REST rsvd1");
        size("CHANGE_BYTES", change);
        for (String flag : List.of("INLINE", "CHECK_FREE")) {
            values("CHANGE_%s MLX5_WQE_UMR_CTRL_FLAG_%s".formatted(flag, flag));
        }
        values("CHANGE_TRANSLATION_OFFSET MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET");
        values("CHANGE_CHECK_NUMBER MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN");
        String mask = "MLX5_WQE_UMR_CTRL_MKEY_MASK_";
        values("MASK_LENGTH " + mask + "LEN", "MASK_START " + mask + "START_ADDR", "MASK_KEY " + mask + "MKEY");
        values("MASK_NUMBER " + mask + "QPN", "MASK_LOCAL_WRITE " + mask + "ACCESS_LOCAL_WRITE");
        values("MASK_REMOTE_READ " + mask + "ACCESS_REMOTE_READ", "MASK_REMOTE_WRITE " + mask + "ACCESS_REMOTE_WRITE");
        values("MASK_ATOMIC " + mask + "ACCESS_ATOMIC", "MASK_FREE " + mask + "FREE");
        String window = "struct mlx5_wqe_mkey_context_seg";
        offsets(window, "WINDOW_FREE free", "WINDOW_ACCESS access_flags", "WINDOW_NUMBER_AND_KEY qpn_mkey");
        offsets(window, "WINDOW_START start_addr", "WINDOW_LENGTH len");
        size("WINDOW_BYTES", window);
        String may = "MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_";
        values("IS_FREE MLX5_WQE_MKEY_CONTEXT_FREE", "MAY_ATOMIC " + may + "ATOMIC");
        for (String access : List.of("REMOTE_WRITE", "REMOTE_READ", "LOCAL_WRITE")) {
            values("MAY_%s %s%s".formatted(access, may, access));
        }
        String behind = "struct mlx5_wqe_umr_klm_seg";
        offsets(behind, "BEHIND_LENGTH byte_count", "BEHIND_KEY mkey", "BEHIND_ADDRESS address");
        // Their place is that of a block, which the header does not say.
        values("BEHIND_BYTES MLX5_SEND_WQE_BB", "BLOCK_BYTES MLX5_SEND_WQE_BB", "BLOCK_SHIFT MLX5_SEND_WQE_SHIFT");
        String code = "MLX5_OPCODE_";
        values("SEND_INVALIDATE " + code + "SEND_INVAL", "RDMA_WRITE_IMMEDIATE " + code + "RDMA_WRITE_IMM");
        values("SEND_IMMEDIATE " + code + "SEND_IMM", "COMPARE_AND_SWAP " + code + "ATOMIC_CS");
        values("FETCH_AND_ADD " + code + "ATOMIC_FA", "CHANGE_KEY " + code + "UMR");
        for (String same : List.of("RDMA_WRITE", "SEND", "RDMA_READ")) {
            values("%s %s%s".formatted(same, code, same));
        }
        values("RECEIVE_COUNTER MLX5_RCV_DBR * 4", "SEND_COUNTER MLX5_SND_DBR * 4");
        values("ARMING_REGISTER MLX5_CQ_DOORBELL", "ARM_SOLICITED MLX5_CQ_DB_REQ_NOT_SOL");
        String completion = "struct mlx5_cqe64";
        offsets(completion, "COMPLETION_PATH ml_path", "COMPLETION_LID slid", "COMPLETION_FLAGS_AND_PEER flags_rqpn");
        offsets(completion, "COMPLETION_IMMEDIATE imm_inval_pkey", "COMPLETION_LENGTH byte_cnt");
        offsets(completion, "COMPLETION_OPCODE_AND_NUMBER sop_drop_qpn", "COMPLETION_COUNTER wqe_counter");
        offsets(completion, "COMPLETION_OWNER op_own");
        size("COMPLETION_BYTES", completion);
        offsets("struct mlx5_err_cqe", "COMPLETION_VENDOR_ERROR vendor_err_synd", "COMPLETION_SYNDROME syndrome");
        values("OWNER_MASK MLX5_CQE_OWNER_MASK", "SCATTER_32 MLX5_INLINE_SCATTER_32");
        values("SCATTER_64 MLX5_INLINE_SCATTER_64", "REQUEST MLX5_CQE_REQ", "REQUEST_ERROR MLX5_CQE_REQ_ERR");
        values("RESPONSE_WRITE_IMMEDIATE MLX5_CQE_RESP_WR_IMM", "RESPONSE_SEND MLX5_CQE_RESP_SEND");
        values("RESPONSE_SEND_IMMEDIATE MLX5_CQE_RESP_SEND_IMM", "RESPONSE_ERROR MLX5_CQE_RESP_ERR");
        values("RESPONSE_SEND_INVALIDATE MLX5_CQE_RESP_SEND_INV", "INVALID MLX5_CQE_INVALID");
        String syndrome = "MLX5_CQE_SYNDROME_";
        values("LOCAL_LENGTH_ERROR " + syndrome + "LOCAL_LENGTH_ERR");
        values("LOCAL_QP_OPERATION_ERROR " + syndrome + "LOCAL_QP_OP_ERR");
        values("LOCAL_PROTECTION_ERROR " + syndrome + "LOCAL_PROT_ERR", "FLUSH_ERROR " + syndrome + "WR_FLUSH_ERR");
        values("WINDOW_BIND_ERROR " + syndrome + "MW_BIND_ERR", "BAD_RESPONSE_ERROR " + syndrome + "BAD_RESP_ERR");
        values("LOCAL_ACCESS_ERROR " + syndrome + "LOCAL_ACCESS_ERR");
        values("REMOTE_INVALID_REQUEST_ERROR " + syndrome + "REMOTE_INVAL_REQ_ERR");
        values("REMOTE_ACCESS_ERROR " + syndrome + "REMOTE_ACCESS_ERR");
        values("REMOTE_OPERATION_ERROR " + syndrome + "REMOTE_OP_ERR");
        values("RETRIES_EXCEEDED " + syndrome + "TRANSPORT_RETRY_EXC_ERR");
        values("RNR_RETRIES_EXCEEDED " + syndrome + "RNR_RETRY_EXC_ERR");
        values("REMOTE_ABORTED " + syndrome + "REMOTE_ABORTED_ERR");
    }

    /**
     * Those that the header has no name for; libmlx5's sources have them, and {@code Mlx5Test} holds the bytes to what
     * libmlx5 writes.
     */
    private static final List<String> NOT_IN_HEADER = List.of(
            "COUNTER_MASK",
            "CONSUMER_INDEX",
            "ARMING",
            "INDEX_MASK",
            "ARM_SEQUENCE_SHIFT",
            "ARM_SEQUENCE_MASK",
            "KIND_SHIFT");

    private static void offsets(String structure, String... fields) {
        for (String field : fields) {
            String[] names = field.split(" ");
            IN_C.put(names[0], "offsetof(%s, %s)".formatted(structure, names[1]));
        }
    }

    private static void size(String name, String structure) {
        IN_C.put(name, "sizeof(%s)".formatted(structure));
    }

    private static void values(String... values) {
        for (String value : values) {
            String[] names = value.split(" ", 2);
            IN_C.put(names[0], names[1]);
        }
    }

    private static String ours(String name) {
        try {
            Field field = Mlx5Layout.class.getDeclaredField(name);
            return name + " " + ((Number) field.get(null)).longValue();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void allOfItIsInTheHeader() {
        List<String> prints = new ArrayList<>();
        IN_C.forEach((name, c) -> prints.add("printf(\"%s %%lld\\n\", (long long)(%s));".formatted(name, c)));
        assertThat(IN_C.keySet().stream().map(Mlx5LayoutTest::ours))
                .containsExactlyElementsOf(CProgram.run("""
                #include <infiniband/mlx5dv.h>
                #include <stddef.h>
                #include <stdio.h>
                int main(void) {
                %s
                    return 0;
                }
                """.formatted(String.join("\n", prints))));
    }

    @Test
    void nothingIsLeftOut() {
        List<String> all = Arrays.stream(Mlx5Layout.class.getDeclaredFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                .map(Field::getName)
                .toList();
        List<String> compared = new ArrayList<>(IN_C.keySet());
        compared.addAll(NOT_IN_HEADER);
        assertThat(all).containsExactlyInAnyOrderElementsOf(compared);
    }
}
