// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.talk.Fields;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The properties of a port, as its own end reads them.
 *
 * @param device such as {@code mlx5_0}
 * @param number of the port, from 1
 * @param transport the protocol of the port
 * @param state such as {@code ACTIVE}; empty if it cannot be read
 * @param usable whether data can go through it, as far as its machine shows
 * @param mtu the active path MTU, in bytes; 0 if unknown
 * @param gidIndex of the GID to use; -1 if there is none
 * @param gid that GID as text; empty if there is none
 * @param gidType {@code RoCE v2}, {@code RoCE v1} or {@code InfiniBand}; empty if there is none
 * @param gidReason why this GID; empty if there is none
 * @param gids all GIDs as text, at most {@value #MOST_GIDS}
 * @param networkInterface the network interface of the port; empty if unknown
 * @param interfaceMtu the interface's MTU, in bytes; 0 if unknown
 * @param vlan 0 for none, -1 if unknown
 * @param partitionKeys the keys that are set, in hexadecimal, at most {@value #MOST_KEYS}
 * @param trafficClass the traffic class that the kernel sets for all programs; -1 if no file has one
 */
public record PeerPort(
        String device,
        int number,
        Transport transport,
        String state,
        boolean usable,
        int mtu,
        int gidIndex,
        String gid,
        String gidType,
        String gidReason,
        List<String> gids,
        String networkInterface,
        int interfaceMtu,
        int vlan,
        List<String> partitionKeys,
        int trafficClass) {
    /** Only the first entries of a longer table are kept. */
    public static final int MOST_GIDS = 32;

    /** Only the first entries of a longer table are kept. */
    public static final int MOST_KEYS = 32;

    /** The type of GIDs that routers understand. */
    public static final String ROCE_V2 = "RoCE v2";

    private static final int GID_BYTES = 16;
    private static final int IPV4_OFFSET = 12;
    private static final int MOST_MTU = 1 << 20;
    private static final int MOST_VLAN = 4095;

    /** Copies the lists. */
    public PeerPort {
        gids = List.copyOf(gids);
        partitionKeys = List.copyOf(partitionKeys);
    }

    /** Returns the name, such as {@code mlx5_0/1}. */
    public String name() {
        return device + "/" + number;
    }

    /** Returns the GID's bytes; empty if there is none. */
    public Optional<byte[]> gidBytes() {
        return bytes(gid);
    }

    /** Returns the IP address that a GID represents; on RoCE an address of a network interface. */
    public static Optional<InetAddress> address(String gid) {
        return bytes(gid).flatMap(bytes -> {
            try {
                boolean four = Arrays.equals(bytes, 0, 12, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1}, 0, 12);
                return Optional.of(
                        InetAddress.getByAddress(four ? Arrays.copyOfRange(bytes, IPV4_OFFSET, GID_BYTES) : bytes));
            } catch (UnknownHostException _) {
                return Optional.empty();
            }
        });
    }

    private static Optional<byte[]> bytes(String gid) {
        return gid.matches("([0-9a-f]{4}:){7}[0-9a-f]{4}")
                ? Optional.of(HexFormat.of().parseHex(gid.replace(":", "")))
                : Optional.empty();
    }

    /** Returns whether an address belongs to this port. */
    public boolean has(InetAddress wanted) {
        return gids.stream()
                .anyMatch(each -> address(each).filter(wanted::equals).isPresent());
    }

    Fields fields() {
        return new Fields()
                .with("device", device)
                .with("number", number)
                .with("transport", transport.name())
                .with("state", state)
                .with("usable", usable)
                .with("mtu", mtu)
                .with("gid-index", gidIndex)
                .with("gid", gid)
                .with("gid-type", gidType)
                .with("gid-reason", gidReason)
                .with("gids", String.join(" ", gids.subList(0, Math.min(gids.size(), MOST_GIDS / 2))))
                .with("more-gids", String.join(" ", gids.subList(Math.min(gids.size(), MOST_GIDS / 2), gids.size())))
                .with("interface", networkInterface)
                .with("interface-mtu", interfaceMtu)
                .with("vlan", vlan)
                .with("partition-keys", String.join(" ", partitionKeys))
                .with("traffic-class", trafficClass);
    }

    /** Ignores unknown fields, which come from a later version. */
    static PeerPort of(Fields fields) {
        Transport transport = Arrays.stream(Transport.values())
                .filter(each -> each.name().equals(fields.text("transport")))
                .findFirst()
                .orElse(Transport.OTHER);
        return new PeerPort(
                fields.text("device"),
                fields.integer("number", 1, 255),
                transport,
                fields.text("state"),
                fields.yes("usable"),
                fields.integer("mtu", 0, MOST_MTU),
                fields.integer("gid-index", -1, 65535),
                fields.text("gid"),
                fields.text("gid-type"),
                fields.text("gid-reason"),
                words(fields.text("gids") + " " + fields.text("more-gids"), MOST_GIDS),
                fields.text("interface"),
                fields.integer("interface-mtu", 0, Integer.MAX_VALUE),
                fields.integer("vlan", -1, MOST_VLAN),
                words(fields.text("partition-keys"), MOST_KEYS),
                fields.integer("traffic-class", -1, 255));
    }

    private static List<String> words(String text, int most) {
        return Arrays.stream(text.split(" "))
                .filter(word -> !word.isEmpty())
                .limit(most)
                .toList();
    }
}
