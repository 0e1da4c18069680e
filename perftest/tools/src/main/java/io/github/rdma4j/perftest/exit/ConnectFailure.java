// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;

/** The reason why a TCP connection failed, from the exception of {@link java.net.Socket#connect}. */
public enum ConnectFailure {
    /** The peer's host answers, but no program listens on the port. */
    NOBODY_LISTENS,
    /** The peer's host does not answer. */
    NO_ANSWER,
    /**
     * No machine has the address on its network, this machine's interface has lost its link, or a router or firewall
     * refuses the connection.
     */
    UNREACHABLE,
    /** This host has no route, or a route of type unreachable, prohibit or blackhole. */
    NO_ROUTE,
    /** The name has no address. */
    NO_ADDRESS,
    /** This host has no interface with the name behind the address. */
    NO_INTERFACE,
    /** Another reason, which is in the exception's message. */
    OTHER;

    /**
     * Classifies a failure.
     *
     * @param failure of the connection
     * @return where it failed
     */
    public static ConnectFailure of(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return switch (failure) {
            case SocketTimeoutException _ -> NO_ANSWER;
            // The JDK reports a scoped address with a wrong interface as an unknown host.
            case UnknownHostException _ -> message.startsWith("no such interface ") ? NO_INTERFACE : NO_ADDRESS;
            case NoRouteToHostException _ -> UNREACHABLE;
            case ConnectException _ -> message.contains("timed out") ? NO_ANSWER : NOBODY_LISTENS;
            // For a route of type prohibit, the JDK reports a failed bind.
            case BindException _ -> message.contains("ermission denied") ? NO_ROUTE : OTHER;
            case SocketException _ ->
                message.contains("unreachable") || message.contains("Invalid argument") ? NO_ROUTE : OTHER;
            default -> OTHER;
        };
    }

    /**
     * Returns the failure to report when no address of a host accepts: the first one, unless this host has no route to
     * that address, as with IPv6 on most networks.
     *
     * @param first the failure so far; null if there was none
     * @param next the failure of the next address
     * @return one of the two
     */
    public static IOException ofHost(IOException first, IOException next) {
        return first == null || of(first) == NO_ROUTE && of(next) != NO_ROUTE ? next : first;
    }

    /**
     * Returns what to do if the peer's program is not the cause.
     *
     * @param host the peer's name or address
     * @return the remedy; empty if the peer's program may be the cause
     */
    public String remedy(String host) {
        return switch (this) {
            case UNREACHABLE ->
                "see that this machine's network interface is up and has its link (ip route get " + host
                        + " names it), then ping " + host + ": its host must be up and have this address";
            case NO_ROUTE ->
                "ip route get " + host + "; bring this machine's network interface up (ip link), or add a route";
            case NO_INTERFACE -> "name one of this machine's network interfaces behind the %, from ip link";
            default -> "";
        };
    }
}
