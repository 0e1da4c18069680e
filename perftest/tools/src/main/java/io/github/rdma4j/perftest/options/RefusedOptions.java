// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The options of the C tools that the Java tools refuse, with the reasons. docs/options.md repeats them. */
final class RefusedOptions {
    private static final String ENCRYPTION =
            "encryption by the adapter is mlx5's own interface (mlx5dv), which is not part of verbs";
    private static final String DYNAMICALLY_CONNECTED =
            "dynamically connected queue pairs (DC) are mlx5's own interface (mlx5dv), which is not part of verbs";
    private static final String OUT_OF_ORDER =
            "the order in which receives are used is mlx5's own interface (mlx5dv), which is not part of verbs";
    private static final String TWO_PORTS = "a test uses one port; run one test for each port side by side";
    private static final String ACCELERATOR = "only the memory of NVIDIA GPUs is supported, through CUDA (--use_cuda)";
    private static final String STEERING = "DMA handles need rdma-core 58, and rdma4j is built for rdma-core 44";
    private static final String PACING = "it is for packet pacing (PP) of raw Ethernet, which rdma4j does not support";

    /** Reason by option name. */
    private static final Map<String, String> REASONS = new LinkedHashMap<>();

    static {
        refuse(
                ENCRYPTION,
                "--aes_xts",
                "--encrypt_on_tx",
                "--sig_before",
                "--aes_block_size",
                "--data_enc_keys_number",
                "--kek_path",
                "--credentials_path",
                "--data_enc_key_app_path");
        refuse(DYNAMICALLY_CONNECTED, "--log_dci_streams", "--log_active_dci_streams");
        refuse(OUT_OF_ORDER, "--no_ddp", "--use_ooo", "--no_enhanced_reorder");
        refuse(
                "signatures made by the adapter are mlx5's own interface (mlx5dv), which is not part of verbs",
                "--sig_offload");
        refuse(
                "congestion control is set through hns's own interface (hnsdv), which is not part of verbs",
                "--congest_type");
        refuse(TWO_PORTS, "-O", "--dualport", "--report-per-port");
        refuse(PACING, "--typical_pkt_size");
        refuse(
                "no version of the C tools works with it: each treats the missing version as one that is too old",
                "--dont_xchg_versions");
        refuse(
                "it receives from a multicast group without end (-g with --run_infinitely), and ib_send_bw has no"
                        + " --run_infinitely here",
                "--connectionless");
        refuse(STEERING, "--tph_mem", "--cpu_id", "--ph");
        refuse("rdma4j runs no kernel on the GPU during a test, because it would change the figures", "--gpu_touch");
        refuse(
                ACCELERATOR,
                "--use_musa",
                "--use_musa_bus_id",
                "--use_musa_dmabuf",
                "--use_musa_pcie_mapping",
                "--use_rocm",
                "--use_rocm_dmabuf",
                "--use_neuron",
                "--use_neuron_dmabuf",
                "--use_hl",
                "--use_mlu",
                "--use_mlu_dmabuf",
                "--use_opencl",
                "--opencl_platform_id",
                "--use_ib_dm_dmabuf");
    }

    private RefusedOptions() {}

    private static void refuse(String reason, String... names) {
        for (String name : names) {
            REASONS.put(name, reason);
        }
    }

    /** Returns why the tools do not accept an argument that starts with a dash. */
    static String explain(String argument) {
        String name = argument.startsWith("--") || argument.length() < 2
                ? argument.replaceFirst("=.*$", "")
                : argument.substring(0, 2);
        String reason = REASONS.get(name);
        return reason != null
                ? "option '" + argument + "' of the C tools is refused: " + reason
                : "unknown option '" + argument + "'";
    }

    /** Returns all names, with their dashes. */
    static List<String> names() {
        return List.copyOf(REASONS.keySet());
    }
}
