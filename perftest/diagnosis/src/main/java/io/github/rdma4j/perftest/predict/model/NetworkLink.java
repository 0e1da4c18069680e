// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import java.util.List;

/**
 * A network link.
 *
 * @param type its packets
 * @param gigabits its data rate in 10⁹ bit/s, after the encoding: 100 for EDR, 54.55 for FDR; 0 if it limits nothing,
 *     as between software devices in one machine
 * @param mtu bytes of data of an RDMA packet, one of RDMA's five sizes; for SRD the largest send; for iWARP and TCP the
 *     interface's MTU
 */
public record NetworkLink(LinkType type, double gigabits, int mtu) {
    /** The RDMA extended header: address, key and length of a write or of a read's request. */
    private static final int RDMA_HEADER = 16;

    private static final List<Integer> MTUS = List.of(4096, 2048, 1024, 512, 256);
    /** The headers that an interface's MTU must contain besides RoCE's data. */
    private static final int ROCE_HEADERS = 58;

    private static final int LEAST_ETHERNET = 1280;
    private static final int LEAST_MTU = 256;
    private static final int MOST_MTU = 65_536;

    /** Refuses what no network can be. */
    public NetworkLink {
        Ranges.notNegative("gigabits", gigabits);
        if (type == LinkType.IWARP || type == LinkType.TCP || type == LinkType.SRD) {
            Ranges.within("mtu", mtu, LEAST_MTU, MOST_MTU);
        } else if (!MTUS.contains(mtu)) {
            throw new IllegalArgumentException("mtu: " + mtu + " is no path MTU of " + type.title()
                    + ", which has 256, 512, 1024, 2048 or 4096"
                    + (type.isEthernet() && mtu >= LEAST_ETHERNET
                            ? ". Of an interface's MTU of " + mtu + " RoCE uses " + roce(mtu)
                            : ""));
        }
    }

    /**
     * The path MTU that RoCE uses on an interface.
     *
     * @param interfaceMtu the interface's, at least 314
     */
    public static int roce(int interfaceMtu) {
        return MTUS.stream()
                .filter(mtu -> mtu + ROCE_HEADERS <= interfaceMtu)
                .findFirst()
                .orElseThrow();
    }

    /** Returns whether its data rate limits anything. */
    public boolean hasLimit() {
        return gigabits > 0;
    }

    /** Returns the bytes per second in each direction, including all overhead. */
    public double capacity() {
        return gigabits * 1e9 / 8;
    }

    /** Bytes of data of a full packet. */
    public int data() {
        return type.data(mtu);
    }

    /** Returns a title, such as {@code InfiniBand 200 Gbit/s, MTU 4096}. */
    public String title() {
        String rate = gigabits == Math.rint(gigabits) ? Long.toString((long) gigabits) : Double.toString(gigabits);
        return type.title() + (hasLimit() ? " " + rate + " Gbit/s" : "") + ", MTU " + mtu;
    }

    /** Writes: the data, with the address in the first packet. */
    Load writes() {
        return new Load(title(), "to the receiver", capacity(), 1, data(), type.header(), RDMA_HEADER);
    }

    /** One acknowledgement a message; adapters may send fewer. */
    Load acknowledgements() {
        return new Load(title(), "to the sender", capacity(), 0, Integer.MAX_VALUE, 0, type.acknowledgement());
    }
}
