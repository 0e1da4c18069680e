// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

/** The protocol over which a port carries RDMA. */
public enum Transport {
    /** InfiniBand. */
    INFINIBAND("InfiniBand"),
    /** RoCE of either version; the GIDs distinguish them. */
    ROCE("RoCE"),
    /** RDMA over TCP. */
    IWARP("iWARP"),
    /** Reliable datagrams of EFA. */
    SRD("SRD"),
    /** Another one, such as usNIC's. */
    OTHER("a transport of its own");

    private final String words;

    Transport(String words) {
        this.words = words;
    }

    /** For people. */
    @Override
    public String toString() {
        return words;
    }
}
