// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Set;

/** The options that the C tools have and we have not, so that their users are told so and not that they do not exist. */
final class OptionsOfC {
    private static final String SHORT = "CAglLMoO";

    private static final Set<String> LONG = Set.of(
            "aes_block_size",
            "aes_xts",
            "atomic_type",
            "burst_size",
            "congest_type",
            "cqe_poll",
            "credentials_path",
            "cuda_mem_type",
            "data_enc_key_app_path",
            "data_enc_keys_number",
            "data_validation",
            "disable_dynamic_polling",
            "dlid",
            "dont_xchg_versions",
            "dualport",
            "encrypt_on_tx",
            "flow_label",
            "flows",
            "flows_burst",
            "force-link",
            "gpu_touch",
            "hop_limit",
            "kek_path",
            "latency_gap",
            "log_active_dci_streams",
            "log_dci_streams",
            "mcg",
            "MGID",
            "mr_per_qp",
            "no_ddp",
            "no_enhanced_reorder",
            "no_lock",
            "outs",
            "perform_warm_up",
            "pkey_index",
            "post_list",
            "rate_limit",
            "rate_limit_type",
            "rate_units",
            "recv_post_list",
            "report-cycles",
            "report-per-port",
            "reversed",
            "run_infinitely",
            "sig_before",
            "sig_offload",
            "tclass",
            "tph_mem",
            "typical_pkt_size",
            "unsolicited_write",
            "use-null-mr",
            "use_cuda",
            "use_cuda_bus_id",
            "use_cuda_dmabuf",
            "use_data_direct",
            "use_old_post_send",
            "use_ooo",
            "use_rocm",
            "wait_destroy",
            "write_with_imm");

    private OptionsOfC() {}

    /** Why an option was not understood. */
    static String explain(String argument) {
        String name = argument.replaceFirst("^-+", "").replaceFirst("=.*$", "");
        boolean known =
                argument.startsWith("--") ? LONG.contains(name) : !name.isEmpty() && SHORT.indexOf(name.charAt(0)) >= 0;
        return known
                ? "option '" + argument + "' of the C tools is not supported yet"
                : "unknown option '" + argument + "'";
    }
}
