// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** Explains why a local address or port could not be used, and what to do about it. */
final class LocalAddress {
    private static final int EACCES = 13;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;

    private LocalAddress() {}

    /** Returns the errno of a BindException, which has only the text; 0 if the text is unknown. */
    static int errno(String message) {
        return message.contains("in use")
                ? EADDRINUSE
                : message.contains("assign requested address")
                        ? EADDRNOTAVAIL
                        : message.contains("ermission denied") ? EACCES : 0;
    }

    /**
     * The remedy for a server that cannot listen.
     *
     * @param lister the command that lists listening programs
     */
    static String remedy(MeetingPoint where, int errno, String lister) {
        return switch (errno) {
            case EADDRINUSE -> "another program listens there (" + lister + "): end it, or give another port with -p";
            case EADDRNOTAVAIL -> foreign(where);
            case EACCES ->
                "ports below " + SMALLEST_FREE + " take a right that this process has not (CAP_NET_BIND_SERVICE):"
                        + " give another port with -p";
            default -> "";
        };
    }

    /** The usual net.ipv4.ip_unprivileged_port_start. */
    private static final int SMALLEST_FREE = 1024;

    /** The remedy for an address that this machine does not have. */
    static String foreign(MeetingPoint where) {
        return "--bind_source_ip takes an address of this machine, which " + where.sourceName()
                + " is not: ip -brief address lists them";
    }

    /** Returns whether the requested source is not an address of this machine. */
    static boolean isForeign(InetAddress address) {
        try {
            return !address.isAnyLocalAddress() && NetworkInterface.getByInetAddress(address) == null;
        } catch (SocketException _) {
            return false;
        }
    }
}
