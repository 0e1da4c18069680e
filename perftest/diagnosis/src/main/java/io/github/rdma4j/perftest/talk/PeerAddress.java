// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import io.github.rdma4j.perftest.exit.ConnectFailure;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * The address where the other end listens.
 *
 * @param host name or address, as the user gave it
 * @param port the TCP port
 */
public record PeerAddress(String host, int port) {
    /**
     * Parses {@code HOST}, {@code HOST:PORT}, {@code [IPV6]:PORT} or an IPv6 address.
     *
     * @param protocol the protocol with the default port
     * @param option the name of the option, for messages
     * @throws IllegalParameterException if the text is invalid
     */
    public static PeerAddress parse(Protocol protocol, String option, String text) {
        String host = text;
        String port = "";
        int colon = text.lastIndexOf(':');
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            host = end < 0 ? "" : text.substring(1, end);
            String rest = end < 0 ? "" : text.substring(end + 1);
            if (!rest.isEmpty()) {
                port = rest.startsWith(":") && rest.length() > 1 ? rest.substring(1) : "?";
            }
        } else if (colon >= 0 && text.indexOf(':') == colon) {
            host = text.substring(0, colon);
            port = text.substring(colon + 1).isEmpty() ? "?" : text.substring(colon + 1);
        }
        if (host.isBlank() || host.contains(":") && !isIpv6(host) || !port.matches("\\d{0,5}")) {
            throw refused(option, text);
        }
        int number = port.isEmpty() ? protocol.port() : Integer.parseInt(port);
        if (number < 1 || number > 65535) {
            throw refused(option, text);
        }
        return new PeerAddress(host, number);
    }

    private static boolean isIpv6(String host) {
        try {
            // A missing interface of the scope is another error.
            Inet6Address.ofLiteral(host.replaceFirst("%.+", ""));
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static IllegalParameterException refused(String option, String text) {
        return new IllegalParameterException(
                option + ": '" + text + "' is not HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535");
    }

    /**
     * Connects to the first address of the host that accepts.
     *
     * @param limit the timeout for each address
     * @throws IOException if the name has no address, or none accepts
     */
    public Socket connect(Duration limit) throws IOException {
        return connect(List.of(InetAddress.getAllByName(host)), port, limit);
    }

    static Socket connect(List<InetAddress> addresses, int port, Duration limit) throws IOException {
        IOException reported = null;
        for (InetAddress each : addresses) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(each, port), Math.toIntExact(limit.toMillis()));
                return socket;
            } catch (IOException failure) {
                socket.close();
                reported = ConnectFailure.ofHost(reported, failure);
            }
        }
        throw reported;
    }

    /** Returns the host in the form that precedes a port. */
    public String name() {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    @Override
    public String toString() {
        return name() + ":" + port;
    }
}
