// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The meaning of port counters that indicate trouble. Counters of data and requests are left out, and so are counters
 * of a program's own mistakes, which completions report.
 */
public enum CounterMeaning {
    /** Packets did not arrive. */
    LOSS(
            true,
            true,
            "packets arrived out of order, late or not at all: the network drops some, or a peer stopped responding",
            "check PFC and ECN on adapters and switches, then cables; watch the counter with rdma statistic show"
                    + " link",
            "out_of_sequence",
            "packet_seq_err",
            "local_ack_timeout_err",
            "implied_nak_seq_err",
            "roce_adp_retrans",
            "roce_adp_retrans_to",
            "out_of_seq_request",
            "rcvd_seq_err",
            "retry_exceeded_err",
            "completer_retry_err",
            "seq_err_naks_rcvd",
            "to_retransmits",
            "max_retry_exceeded",
            "oos_drop_count",
            "missing_resp",
            "Nak Sequence Error",
            "RetransSegs",
            "tcpRetransSegs",
            "rx_drops",
            "rx_roce_discard_pkts",
            "rx_roce_discards"),
    /** Receivers were too slow. */
    NO_RECEIVE(
            true,
            true,
            "messages arrived before a receive was posted: the sender waits and sends them again",
            "post more receives, and post them earlier; endpoints use credits, which prevent this",
            "rnr_nak_retry_err",
            "out_of_buffer",
            "rcvd_rnr_err",
            "send_rnr_err",
            "retry_rnr_exceeded_err",
            "rnr_naks_rcvd",
            "rx_out_of_buffer",
            "RNR received"),
    /** EFA sent packets again, as SRD is made to. */
    RETRANSMITTED(
            false,
            true,
            "EFA sent packets again, or on another path: SRD expects some loss and handles it",
            "",
            "retrans_pkts",
            "retrans_timeout_events"),
    /** EFA waited for peers. */
    UNRESPONSIVE_PEER(
            true,
            false,
            "a peer did not answer, or the path to it was bad: the peer ended, or a security group blocks the"
                    + " packets",
            "let the security group of each instance allow all traffic to and from itself, in and out; then check"
                    + " which peers ended",
            "unresponsive_remote_events",
            "impaired_remote_conn_events"),
    /** Acknowledgements were lost. */
    REPEATED(
            false,
            true,
            "peers sent requests again, because acknowledgements were lost or late",
            "",
            "duplicate_request"),
    /** Switches marked packets. */
    CONGESTION(
            false,
            true,
            "congestion, which ECN handled: switches marked packets, and senders slowed down",
            "",
            "np_cnp_sent",
            "np_ecn_marked_roce_packets",
            "rp_cnp_handled",
            "cnpSent",
            "cnpHandled",
            "RxECNMrkd",
            "rx_ecn_marked_pkts",
            "tx_cnp_pkts",
            "rx_cnp_pkts",
            "tx_cnp_pkt",
            "rx_cnp_pkt",
            "roce_slow_restart",
            "roce_slow_restart_cnps",
            "roce_slow_restart_trans"),
    /** A port ignored congestion notifications. */
    CONGESTION_IGNORED(
            true,
            true,
            "peers asked this port to slow down, but it did not: its reaction to ECN is off",
            "write 1 to the files in ecn/roce_rp/enable of the port's network interface in sysfs (MLNX_OFED), or"
                    + " use the adapter's own tool",
            "rp_cnp_ignored",
            "cnpIgnored"),
    /** Packets waited. */
    NO_CREDITS(
            false,
            false,
            "the number of ticks in which the port had data but no credits to send it: congestion further along the"
                    + " path",
            "",
            "port_xmit_wait"),
    /** Packets were thrown away. */
    DISCARDED(
            true,
            true,
            "the port discarded packets instead of sending them, because it was down or congested for too long",
            "find the slow port with ibqueryerrors",
            "port_xmit_discards"),
    /** Data arrived corrupted. */
    BAD_LINK(
            true,
            true,
            "bits or packets arrived corrupted: a cable, transceiver or connector is bad",
            "clean, reseat or replace cable and transceiver; ibqueryerrors, mlxlink or ethtool -m shows details",
            "symbol_error",
            "link_error_recovery",
            "port_rcv_errors",
            "local_link_integrity_errors",
            "excessive_buffer_overrun_errors",
            "port_rcv_remote_physical_errors",
            "rx_icrc_encapsulated",
            "rx_roce_error_pkts",
            "rx_roce_errors"),
    /** The link went. */
    LINK_LOST(
            true,
            false,
            "the link has gone down so many times since the driver was loaded; a long outage breaks queue pairs",
            "if nobody switched the link off, replace cable and transceiver; dmesg shows the times",
            "link_downed"),
    /** An adapter that cannot carry out requests. */
    REQUESTS_FAILED(
            true,
            false,
            "requests of programs ended with errors",
            "look for the failed requests in the programs' completions",
            "rdma_read_wr_err",
            "rdma_write_wr_err",
            "unrecoverable_err");

    private static final Map<String, CounterMeaning> BY_NAME = Arrays.stream(values())
            .flatMap(meaning -> meaning.names.stream().map(name -> Map.entry(name, meaning)))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));

    private final boolean trouble;
    private final boolean perPacket;
    private final String words;
    private final String remedy;
    private final List<String> names;

    CounterMeaning(boolean trouble, boolean perPacket, String words, String remedy, String... names) {
        this.trouble = trouble;
        this.perPacket = perPacket;
        this.words = words;
        this.remedy = remedy;
        this.names = List.of(names);
    }

    /** Returns the meaning of a counter; empty if the counter indicates no trouble. */
    public static Optional<CounterMeaning> of(String counter) {
        return Optional.ofNullable(BY_NAME.get(counter));
    }

    /** Returns whether it slows programs down or breaks them. */
    public boolean isTrouble() {
        return trouble;
    }

    /** Returns whether the counter is compared with the number of packets. */
    public boolean isPerPacket() {
        return perPacket;
    }

    /** Returns the meaning, without a full stop. */
    public String words() {
        return words;
    }

    /** Returns how to fix it; may be empty. */
    public String remedy() {
        return remedy;
    }
}
