// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/**
 * The packets of a network, and the bytes that each adds to its data.
 *
 * <p>InfiniBand: the local route header has 8 bytes, the base transport header 12, the checks 4 and 2 (InfiniBand
 * Architecture Specification, volume 1, chapters 5 to 9). On Ethernet: preamble 8, header 14, check 4, gap 12 (IEEE
 * 802.3); RoCE v2 has IPv4's 20 and UDP's 8 (annex A17), RoCE v1 the global route header's 40 (annex A16).
 */
public enum LinkType {
    /** InfiniBand within a subnet. */
    INFINIBAND("InfiniBand", 8 + 12 + 4 + 2, 8 + 12 + 4 + 4 + 2, 0),
    /** RDMA over Ethernet without IP. */
    ROCE_V1("RoCE v1", 38 + 40 + 12 + 4, 38 + 40 + 12 + 4 + 4, 0),
    /** RDMA over UDP and IPv4. */
    ROCE_V2("RoCE v2", 38 + 20 + 8 + 12 + 4, 38 + 20 + 8 + 12 + 4 + 4, 0),
    /**
     * RDMA over TCP: 20 bytes for IPv4, 20 for TCP, and 20 for MPA, DDP and RDMAP (RFC 5040, 5041, 5044; without
     * markers). The network's MTU contains all of them except Ethernet's bytes.
     */
    IWARP("iWARP", 38 + 60, 84, 60),
    /**
     * EFA's reliable datagrams, over UDP and IPv4. SRD's own header is not published, and is left out. An
     * acknowledgement counts as the smallest Ethernet packet.
     */
    SRD("SRD", 38 + 20 + 8, 84, 0),
    /** TCP itself with time stamps: IPv4 20, TCP 32. The network's MTU has these in it. */
    TCP("TCP", 38 + 52, 90, 52);

    private final String title;
    private final int header;
    private final int acknowledgement;
    private final int withinMtu;

    LinkType(String title, int header, int acknowledgement, int withinMtu) {
        this.title = title;
        this.header = header;
        this.acknowledgement = acknowledgement;
        this.withinMtu = withinMtu;
    }

    /** Returns the usual spelling. */
    public String title() {
        return title;
    }

    /** Bytes of a packet besides its data. */
    public int header() {
        return header;
    }

    /** Bytes of an acknowledgement. */
    int acknowledgement() {
        return acknowledgement;
    }

    /** Bytes of a packet that carry data. */
    int data(int mtu) {
        return mtu - withinMtu;
    }

    /** Returns whether Ethernet is below. */
    public boolean isEthernet() {
        return this != INFINIBAND;
    }
}
