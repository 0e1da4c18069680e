// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.net.InetSocketAddress;

/**
 * A SoftRoCE device on its own interface, for tests that remove it. It goes away when no process has it open. librdmacm
 * keeps a used device open until the process ends, so its users must be separate processes.
 */
public final class SoftDevice implements AutoCloseable {
    private final String name;
    private final String networkInterface;
    private final String peer;
    private final InetSocketAddress address;

    /**
     * Names it, and makes nothing: another process can have the same one.
     *
     * @param word what its names begin with, 11 characters at most
     * @param net the third number of its address 10.98.NET.1
     */
    public SoftDevice(String word, int net) {
        name = "rxe_" + word;
        networkInterface = word + "0";
        peer = word + "1";
        address = new InetSocketAddress("10.98." + net + ".1", 0);
    }

    /** The device. */
    public String name() {
        return name;
    }

    /** Its IPv4 address, with port 0. */
    public InetSocketAddress address() {
        return address;
    }

    /** Makes interface and device. */
    public void make() throws InterruptedException {
        Shell.run("ip link add %s type veth peer name %s && ip addr add %s/24 dev %1$s"
                .formatted(networkInterface, peer, address.getAddress().getHostAddress()));
        Shell.run("ip link set %s up && ip link set %s up".formatted(networkInterface, peer));
        add();
    }

    /** Makes the device on its interface, again when it was taken out. */
    public void add() throws InterruptedException {
        Shell.run("rdma link add %s type rxe netdev %s".formatted(name, networkInterface));
    }

    /** Device and interface go; the device may have gone already. */
    @Override
    public void close() throws InterruptedException {
        Shell.run("rdma link del %s 2>/dev/null; ip link del %s".formatted(name, networkInterface));
    }
}
