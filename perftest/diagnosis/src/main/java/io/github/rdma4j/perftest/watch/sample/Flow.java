// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import java.util.List;

/** Traffic through a port, with the sysfs counters that measure it. No driver has all of them. */
public enum Flow {
    /** Bytes in. */
    RECEIVED_BYTES(new Source("counters/port_rcv_data", 4), new Source("hw_counters/rx_bytes", 1)),
    /** Bytes out. */
    SENT_BYTES(new Source("counters/port_xmit_data", 4), new Source("hw_counters/tx_bytes", 1)),
    /** Packets in. */
    RECEIVED_PACKETS(
            new Source("counters/port_rcv_packets", 1),
            new Source("hw_counters/rcvd_pkts", 1),
            new Source("hw_counters/rx_pkts", 1)),
    /** Packets out. */
    SENT_PACKETS(
            new Source("counters/port_xmit_packets", 1),
            new Source("hw_counters/sent_pkts", 1),
            new Source("hw_counters/tx_pkts", 1));

    private final List<Source> sources;

    Flow(Source... sources) {
        this.sources = List.of(sources);
    }

    /** Returns the counters that may measure it, the best first. */
    List<Source> sources() {
        return sources;
    }

    /**
     * A counter.
     *
     * @param file below the port's folder
     * @param unit the number of bytes or packets that it counts as one: the specification of InfiniBand counts data in
     *     words of four bytes
     */
    record Source(String file, int unit) {}
}
