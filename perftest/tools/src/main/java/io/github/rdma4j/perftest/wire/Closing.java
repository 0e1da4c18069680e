// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** Whether a peer has closed a TCP connection on which nothing may be due. */
public final class Closing {
    private Closing() {}

    /**
     * Waits up to a millisecond for the end of the connection, and consumes nothing.
     *
     * @param socket a connected socket; its read timeout is changed
     * @param in its input, with space to push back one byte unless bytes are waiting there
     * @return whether the connection is closed or broken
     */
    public static boolean hasCome(Socket socket, PushbackInputStream in) {
        try {
            socket.setSoTimeout(1);
            int next = in.read();
            if (next < 0) {
                return true;
            }
            in.unread(next);
            return false;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) {
            return true;
        } catch (IOException _) {
            // The pushed-back byte fills the buffer: an unread message is waiting, so the peer is ahead of us and has
            // not gone.
            return false;
        }
    }
}
