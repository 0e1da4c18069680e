// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.time.Duration;
import java.util.function.Consumer;

/** The server's listening end: accepts one client, as the C tools do. */
public interface ControlServer extends AutoCloseable {
    /**
     * Listens for TCP connections on all interfaces.
     *
     * @param port TCP port; 0 for any free port
     * @throws HandshakeException when the port is taken
     */
    static ControlServer listen(int port) {
        return listen(MeetingPoint.overTcp(null, port));
    }

    /**
     * Listens.
     *
     * @param where port, and the local address if not all
     * @throws HandshakeException when the port is taken, or rdma_cm cannot be used
     */
    static ControlServer listen(MeetingPoint where) {
        return where.overRdma() ? CmControlServer.listen(where) : TcpControlServer.listen(where);
    }

    /** The port listened on. */
    int port();

    /**
     * Waits for the client and stops listening.
     *
     * @param limit the longest wait for a client; zero for none
     * @param timeout limit of every later wait on the channel
     */
    ControlChannel accept(Duration limit, Duration timeout);

    /**
     * Waits for a client, and closes connections that are not from a client, such as a port scanner or a browser.
     *
     * @param limit the longest wait for a client; zero for none
     * @param timeout timeout of every later wait on the channel, and of a silent connection
     * @param strangers receives a sentence about each connection that was closed
     */
    default ControlChannel acceptClient(Duration limit, Duration timeout, Consumer<String> strangers) {
        return accept(limit, timeout);
    }

    @Override
    void close();

    /** Returns the failure that no client has connected. */
    static HandshakeException noClient(int port, Duration limit, Throwable cause) {
        return new HandshakeException(
                "no client connected to port " + port + " within " + ControlChannel.text(limit) + " (--timeout)",
                "start the client with this host's name or address and the same -p",
                cause);
    }
}
