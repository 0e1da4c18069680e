// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The options of the C tools that are refused, each with the sentence that says why. The table in
 * docs/perftest-options.md repeats it, and is held to this one by a test.
 */
final class RefusedOptions {
    private static final String ENCRYPTION =
            "encryption by the adapter is mlx5's own interface (mlx5dv), which is not part of verbs";
    private static final String DYNAMICALLY_CONNECTED =
            "dynamically connected queue pairs (DC) are mlx5's own interface (mlx5dv), which is not part of verbs";
    private static final String OUT_OF_ORDER =
            "the order in which receives are used is mlx5's own interface (mlx5dv), which is not part of verbs";
    private static final String TWO_PORTS = "a test uses one port; run one test for each port side by side";
    private static final String ACCELERATOR =
            "of accelerators' memory that of NVIDIA GPUs is measured here, through CUDA (--use_cuda)";
    private static final String PCIE_MAPPING =
            "a dma-buf is exported with the mapping that the driver takes by itself; others are for adapters with a"
                    + " path of their own to the GPU, which this project has not met";
    private static final String STEERING = "DMA handles came with rdma-core 58; this project is built for those of 44";
    private static final String PACING =
            "it is for the packet pacing (PP) of raw Ethernet, which this project does not measure";

    /** Reasons by name; several options share one. */
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
                "congestion control is set by hns's own interface (hnsdv), which is not part of verbs",
                "--congest_type");
        refuse(
                "unsolicited receives are an interface of EFA's SRD queue pairs (efadv), which is not part of verbs",
                "--unsolicited_write");
        refuse(TWO_PORTS, "-O", "--dualport", "--report-per-port");
        refuse(PACING, "--typical_pkt_size");
        refuse(
                "no version of the C tools runs with it: each takes the version that it did not get for one that is"
                        + " too old",
                "--dont_xchg_versions");
        refuse(
                "it takes what comes to a group for ever (-g with --run_infinitely), and --run_infinitely is not for"
                        + " ib_send_bw here",
                "--connectionless");
        refuse(STEERING, "--tph_mem", "--cpu_id", "--ph");
        refuse("no kernel runs on the GPU beside the test, whose figures would then be of both", "--gpu_touch");
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

    /** Why an argument that begins with a dash was not understood. */
    static String explain(String argument) {
        String name = argument.startsWith("--") || argument.length() < 2
                ? argument.replaceFirst("=.*$", "")
                : argument.substring(0, 2);
        String reason = REASONS.get(name);
        return reason != null
                ? "option '" + argument + "' of the C tools is refused: " + reason
                : "unknown option '" + argument + "'";
    }

    /** The names of all of them, with their dashes. */
    static List<String> names() {
        return List.copyOf(REASONS.keySet());
    }
}
