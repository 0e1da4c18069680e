// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The names of the C tools' long options, and the expansion of abbreviations by getopt_long(3).
 *
 * <p>All C tools share one table, which includes the options of the raw_ethernet tools and has grown from version to
 * version: {@code --no} is {@code --noPeak} in 4.5 and ambiguous later. A script may have been written for any version,
 * so an abbreviation that one version accepts is accepted here.
 */
final class LongNames {
    private static final String ALWAYS = """
            all atomic_type bidirectional burst_size client comm_rdma_cm connection CPU-freq cpu_util cq-mod \
            dest_ip dest_mac dest_port dlid dont_xchg_versions dualport duration ethertype events flow_label \
            flows flows_burst force-link gid-index help hop_limit ib-dev ib-port inline_size ipv6 iters \
            latency_gap limit_bw limit_msgrate local_ip local_mac local_port mac_fwd margin mcg MGID mmap \
            mmap-offset mr_per_qp mtu noPeak odp out_json out_json_file output outs perform_warm_up \
            pkey_index port post_list promiscuous qp qp-timeout rate_limit rate_limit_type rate_units \
            raw_mcast rdma_cm recv_post_list remote_ip remote_mac remote_port reply_every report-both \
            report-counters report-cycles report-histogrm report-per-port report-unsorted report_gbits \
            retry_count reversed run_infinitely rx-depth server size sl source_ip source_mac source_port \
            tclass tcp tos tx-depth typical_pkt_size use-srq use_hugepages use_old_post_send use_rss vector \
            version vlan_en vlan_pcp wait_destroy""";

    private static final String BUILD_ALWAYS = """
            aes_block_size aes_xts credentials_path data_enc_key_app_path data_enc_keys_number \
            disable_pcie_relaxed encrypt_on_tx kek_path log_active_dci_streams log_dci_streams raw_ipv6 \
            sig_before sniffer use_cuda use_cuda_bus_id use_ooo use_rocm""";

    private static final String ONLY_4_5 = """
            inline_recv""";

    private static final String ONLY_25_01_BUILD = """
            no_ddp""";

    private static final String FROM_25_01 = """
            bind_source_ip connectionless ipv6-addr payload_file_path use-null-mr use_cuda_dmabuf \
            use_data_direct use_hl use_mlu use_neuron use_neuron_dmabuf write_with_imm""";

    private static final String FROM_25_01_BUILD = """
            congest_type no_lock unsolicited_write""";

    private static final String FROM_26_04 = """
            cqe_poll cuda_mem_type data_validation data_validation_debug disable_dynamic_polling gpu_touch \
            opencl_platform_id pin_cores send_with_imm use_cuda_pcie_mapping use_ib_dm_dmabuf use_mlu_dmabuf \
            use_musa use_musa_bus_id use_musa_dmabuf use_musa_pcie_mapping use_opencl use_rocm_dmabuf""";

    private static final String FROM_26_04_BUILD = """
            cpu_id disable_numa no_enhanced_reorder numa_node ph sig_offload tph_mem""";

    /** The table's spelling of {@code --report-histogram}, the name in the help of the C tools. */
    private static final String MISSPELT = "report-histogrm";

    /**
     * The names of each table, the newest version first, and the complete builds before those with no extra library.
     */
    private static final List<Set<String>> TABLES = List.of(
            names(ALWAYS, BUILD_ALWAYS, FROM_25_01, FROM_25_01_BUILD, FROM_26_04, FROM_26_04_BUILD),
            names(ALWAYS, BUILD_ALWAYS, FROM_25_01, FROM_25_01_BUILD, ONLY_25_01_BUILD),
            names(ALWAYS, BUILD_ALWAYS, ONLY_4_5),
            names(ALWAYS, FROM_25_01, FROM_26_04),
            names(ALWAYS, FROM_25_01),
            names(ALWAYS, ONLY_4_5));

    private LongNames() {}

    private static Set<String> names(String... groups) {
        Set<String> names = new LinkedHashSet<>();
        for (String group : groups) {
            names.addAll(List.of(group.split(" ")));
        }
        return names;
    }

    /**
     * Returns the full name of an abbreviation in some version of the C tools.
     *
     * @param abbreviation without dashes; a full name is also accepted
     * @return the name, without dashes; null if the abbreviation is ambiguous or unknown in every version
     */
    static String expand(String abbreviation) {
        for (Set<String> table : TABLES) {
            if (table.contains(abbreviation)) {
                return spelled(abbreviation);
            }
            List<String> matches = new ArrayList<>();
            for (String name : table) {
                if (name.startsWith(abbreviation)) {
                    matches.add(name);
                }
            }
            if (matches.size() == 1) {
                return spelled(matches.getFirst());
            }
        }
        return null;
    }

    private static String spelled(String name) {
        return name.equals(MISSPELT) ? "report-histogram" : name;
    }
}
