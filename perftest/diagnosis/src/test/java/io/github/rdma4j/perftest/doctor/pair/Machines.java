// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import java.util.List;

/** Made-up machines. */
public final class Machines {
    private static final String V4 = "0000:0000:0000:0000:0000:ffff:";

    private Machines() {}

    /** A machine with one port. */
    public static PeerMachine with(PeerPort... ports) {
        return new PeerMachine("1.0", "alpha", "6.8.0", List.of(ports), List.of());
    }

    /** A healthy port of RoCE v2 with an IPv4 address. */
    public static PeerPort roce(String device, String lastWords) {
        return roce(device, 4096, 1, V4 + lastWords, PeerPort.ROCE_V2, 0, -1);
    }

    static PeerPort roce(String device, int mtu, int index, String gid, String type, int vlan, int trafficClass) {
        return new PeerPort(
                device,
                1,
                Transport.ROCE,
                "ACTIVE",
                true,
                mtu,
                index,
                gid,
                type,
                "v2 can be routed; IPv4 is preferred",
                gid.isEmpty() ? List.of() : List.of("fe80:0000:0000:0000:0000:0000:0000:0001", gid),
                "eth0",
                mtu + 104,
                vlan,
                List.of("0xffff"),
                trafficClass);
    }

    /** A healthy port of InfiniBand. */
    public static PeerPort infiniBand(String gid, String... keys) {
        return new PeerPort(
                "mlx5_0",
                1,
                Transport.INFINIBAND,
                "ACTIVE",
                true,
                4096,
                0,
                gid,
                "InfiniBand",
                "the port's own",
                List.of(gid),
                "",
                0,
                -1,
                List.of(keys),
                -1);
    }

    /** A healthy port of iWARP. */
    public static PeerPort iwarp() {
        return new PeerPort(
                "siw0",
                1,
                Transport.IWARP,
                "ACTIVE",
                true,
                1024,
                0,
                "0200:0000:0000:0000:0000:0000:0000:0000",
                "InfiniBand",
                "the port's own",
                List.of(),
                "eth0",
                1500,
                0,
                List.of(),
                -1);
    }

    /** A healthy port of an EFA. */
    public static PeerPort efa(String gid) {
        return new PeerPort(
                "efa_0",
                1,
                Transport.SRD,
                "ACTIVE",
                true,
                4096,
                0,
                gid,
                "",
                "the port's own",
                List.of(gid),
                "",
                0,
                -1,
                List.of(),
                -1);
    }

    /** The same port, down. */
    public static PeerPort down(PeerPort port) {
        return new PeerPort(
                port.device(),
                port.number(),
                port.transport(),
                "DOWN",
                false,
                0,
                port.gidIndex(),
                port.gid(),
                port.gidType(),
                port.gidReason(),
                port.gids(),
                port.networkInterface(),
                port.interfaceMtu(),
                port.vlan(),
                port.partitionKeys(),
                port.trafficClass());
    }
}
