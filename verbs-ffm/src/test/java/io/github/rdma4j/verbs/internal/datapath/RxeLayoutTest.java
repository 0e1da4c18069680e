// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.CProgram;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What was written by hand of the kernel's headers, each number beside what the C compiler makes of them. */
class RxeLayoutTest {
    private static final Map<String, String> C = new LinkedHashMap<>();

    static {
        offset("MAPPING_OFFSET", "struct mminfo", "offset");
        offset("MAPPING_SIZE", "struct mminfo", "size");
        size("MAPPING_BYTES", "struct mminfo");
        offset("LOG2_ELEMENT_SIZE", "struct rxe_queue_buf", "log2_elem_size");
        offset("INDEX_MASK", "struct rxe_queue_buf", "index_mask");
        offset("PRODUCER_INDEX", "struct rxe_queue_buf", "producer_index");
        offset("CONSUMER_INDEX", "struct rxe_queue_buf", "consumer_index");
        offset("DATA", "struct rxe_queue_buf", "data");
        offset("SEND_WR_ID", "struct rxe_send_wqe", "wr.wr_id");
        offset("SEND_RESERVED", "struct rxe_send_wqe", "wr.reserved");
        offset("SEND_OPCODE", "struct rxe_send_wqe", "wr.opcode");
        offset("SEND_FLAGS", "struct rxe_send_wqe", "wr.send_flags");
        offset("SEND_IMMEDIATE_OR_KEY", "struct rxe_send_wqe", "wr.ex.imm_data");
        offset("RDMA_ADDRESS", "struct rxe_send_wqe", "wr.wr.rdma.remote_addr");
        offset("RDMA_KEY", "struct rxe_send_wqe", "wr.wr.rdma.rkey");
        offset("ATOMIC_ADDRESS", "struct rxe_send_wqe", "wr.wr.atomic.remote_addr");
        offset("ATOMIC_COMPARE_ADD", "struct rxe_send_wqe", "wr.wr.atomic.compare_add");
        offset("ATOMIC_SWAP", "struct rxe_send_wqe", "wr.wr.atomic.swap");
        offset("ATOMIC_KEY", "struct rxe_send_wqe", "wr.wr.atomic.rkey");
        offset("DATAGRAM_PEER", "struct rxe_send_wqe", "wr.wr.ud.remote_qpn");
        offset("DATAGRAM_KEY", "struct rxe_send_wqe", "wr.wr.ud.remote_qkey");
        offset("DATAGRAM_PARTITION", "struct rxe_send_wqe", "wr.wr.ud.pkey_index");
        offset("DATAGRAM_HANDLE", "struct rxe_send_wqe", "wr.wr.ud.ah_num");
        offset("WINDOW_ADDRESS", "struct rxe_send_wqe", "wr.wr.mw.addr");
        offset("WINDOW_LENGTH", "struct rxe_send_wqe", "wr.wr.mw.length");
        offset("WINDOW_REGION_KEY", "struct rxe_send_wqe", "wr.wr.mw.mr_lkey");
        offset("WINDOW_OLD_KEY", "struct rxe_send_wqe", "wr.wr.mw.mw_rkey");
        offset("WINDOW_KEY", "struct rxe_send_wqe", "wr.wr.mw.rkey");
        offset("WINDOW_ACCESS", "struct rxe_send_wqe", "wr.wr.mw.access");
        offset("SEND_STATUS", "struct rxe_send_wqe", "status");
        offset("SEND_STATE", "struct rxe_send_wqe", "state");
        offset("SEND_IOVA", "struct rxe_send_wqe", "iova");
        offset("SEND_DMA", "struct rxe_send_wqe", "dma");
        size("SEND_BYTES", "struct rxe_send_wqe");
        offset("RECEIVE_WR_ID", "struct rxe_recv_wqe", "wr_id");
        offset("RECEIVE_RESERVED", "struct rxe_recv_wqe", "reserved");
        offset("RECEIVE_DMA", "struct rxe_recv_wqe", "dma");
        size("RECEIVE_BYTES", "struct rxe_recv_wqe");
        offset("DMA_LENGTH", "struct rxe_dma_info", "length");
        offset("DMA_REMAINING", "struct rxe_dma_info", "resid");
        offset("DMA_CURRENT_ENTRY", "struct rxe_dma_info", "cur_sge");
        offset("DMA_ENTRIES", "struct rxe_dma_info", "num_sge");
        offset("DMA_ENTRY_OFFSET", "struct rxe_dma_info", "sge_offset");
        offset("DMA_RESERVED", "struct rxe_dma_info", "reserved");
        offset("DMA_DATA", "struct rxe_dma_info", "sge");
        offset("ENTRY_ADDRESS", "struct rxe_sge", "addr");
        offset("ENTRY_LENGTH", "struct rxe_sge", "length");
        offset("ENTRY_KEY", "struct rxe_sge", "lkey");
        size("ENTRY_BYTES", "struct rxe_sge");
        size("COMPLETION_BYTES", "struct ib_uverbs_wc");
    }

    /**
     * The same field of what the library hands out and of what the kernel writes and reads, which is copied as it is.
     */
    private static final List<List<String>> THE_SAME = List.of(
            List.of("struct ibv_wc", "struct ib_uverbs_wc", "wr_id", "status", "opcode", "vendor_err", "byte_len"),
            List.of("struct ibv_wc", "struct ib_uverbs_wc", "qp_num", "src_qp", "wc_flags", "pkey_index", "slid", "sl"),
            List.of("struct ibv_wc", "struct ib_uverbs_wc", "dlid_path_bits"),
            List.of("struct ibv_sge", "struct rxe_sge", "addr", "length", "lkey"));

    private static void offset(String name, String type, String field) {
        C.put(name, "offsetof(%s, %s)".formatted(type, field));
    }

    private static void size(String name, String type) {
        C.put(name, "sizeof(%s)".formatted(type));
    }

    private static List<String> answers(Stream<String> expressions) {
        String prints = expressions
                .map("printf(\"%%lld\\n\", (long long)(%s));\n"::formatted)
                .reduce("", String::concat);
        return CProgram.run("""
                        #include <infiniband/verbs.h>
                        #include <rdma/ib_user_verbs.h>
                        #include <rdma/rdma_user_rxe.h>
                        #include <stddef.h>
                        #include <stdio.h>
                        int main(void) {
                            %s
                            return 0;
                        }
                        """.formatted(prints));
    }

    @Test
    void everyNumberIsTheCompilers() throws IllegalAccessException {
        Map<String, String> ours = new LinkedHashMap<>();
        for (Field field : RxeLayout.class.getDeclaredFields()) {
            ours.put(field.getName(), String.valueOf(field.getLong(null)));
        }
        List<String> compiled = answers(C.values().stream());
        Map<String, String> theirs = new LinkedHashMap<>();
        Arrays.stream(C.keySet().toArray(String[]::new)).forEach(name -> theirs.put(name, compiled.get(theirs.size())));
        assertThat(ours).isEqualTo(theirs);
    }

    @Test
    void whatIsCopiedAsItIsHasTheSameFields() {
        List<String> compiled = answers(THE_SAME.stream()
                .flatMap(row -> row.stream()
                        .skip(2)
                        .map(field -> "offsetof(%1$s, %3$s) == offsetof(%2$s, %3$s)"
                                .formatted(row.get(0), row.get(1), field))));
        assertThat(compiled).hasSize(15).containsOnly("1");
        assertThat(answers(Stream.of(
                        "offsetof(struct ibv_wc, imm_data) == offsetof(struct ib_uverbs_wc, ex)",
                        "sizeof(struct ibv_wc) == sizeof(struct ib_uverbs_wc)",
                        "offsetof(struct ibv_send_wr, imm_data) == offsetof(struct ibv_send_wr, send_flags) + 4",
                        "offsetof(struct rxe_send_wr, ex) == offsetof(struct rxe_send_wr, send_flags) + 4")))
                .containsOnly("1");
    }

    @Test
    void theDoorbellIsTheCommandOfTheHeader() {
        String type = "struct ib_uverbs_post_send";
        assertThat(answers(Stream.of(
                        "IB_USER_VERBS_CMD_POST_SEND",
                        "offsetof(struct ib_uverbs_cmd_hdr, command)",
                        "offsetof(struct ib_uverbs_cmd_hdr, in_words)",
                        "offsetof(struct ib_uverbs_cmd_hdr, out_words)",
                        "sizeof(struct ib_uverbs_cmd_hdr) + sizeof(" + type + ")",
                        "sizeof(struct ib_uverbs_cmd_hdr) + offsetof(" + type + ", response)",
                        "sizeof(struct ib_uverbs_cmd_hdr) + offsetof(" + type + ", qp_handle)",
                        "sizeof(struct ib_uverbs_cmd_hdr) + offsetof(" + type + ", wr_count)",
                        "sizeof(struct ib_uverbs_cmd_hdr) + offsetof(" + type + ", sge_count)",
                        "sizeof(struct ib_uverbs_cmd_hdr) + offsetof(" + type + ", wqe_size)",
                        "sizeof(struct ib_uverbs_post_send_resp)")))
                .isEqualTo(Stream.of(
                                RxeDoorbell.POST_SEND,
                                RxeDoorbell.COMMAND,
                                RxeDoorbell.IN_WORDS,
                                RxeDoorbell.OUT_WORDS,
                                RxeDoorbell.COMMAND_BYTES,
                                RxeDoorbell.RESPONSE,
                                RxeDoorbell.HANDLE,
                                RxeDoorbell.REQUEST_COUNT,
                                RxeDoorbell.ENTRY_COUNT,
                                RxeDoorbell.REQUEST_BYTES,
                                RxeDoorbell.RESPONSE_BYTES)
                        .map(String::valueOf)
                        .toList());
    }
}
