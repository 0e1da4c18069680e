// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection that is not identified as a client yet: the first message of a client is its version. */
final class PendingClient implements AutoCloseable {
    /** The nature of a connection. */
    enum Nature {
        /** It has not sent enough. */
        UNKNOWN,

        /** It uses the protocol of a client. */
        CLIENT,

        /** It sends something else, or has closed the connection. */
        STRANGER
    }

    private static final Pattern VERSION = Pattern.compile("\\d{1,3}\\.\\d.*", Pattern.DOTALL);
    private static final int LENGTH = 16;
    private static final int MOMENT_MILLIS = 1;

    private final Socket socket;
    private final long since = System.nanoTime();
    private final byte[] bytes = new byte[LENGTH];
    private int length;
    private boolean left;

    PendingClient(Socket socket) {
        this.socket = socket;
    }

    /** Reads the data that has arrived, for a moment. */
    Nature classify() {
        try {
            socket.setSoTimeout(MOMENT_MILLIS);
            int read = socket.getInputStream().read(bytes, length, LENGTH - length);
            left = read < 0;
            length += Math.max(0, read);
        } catch (SocketTimeoutException _) {
            return Nature.UNKNOWN;
        } catch (IOException _) {
            left = true;
        }
        Matcher version = VERSION.matcher(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
        if (version.matches()) {
            return Nature.CLIENT;
        }
        return left || !version.hitEnd() ? Nature.STRANGER : Nature.UNKNOWN;
    }

    /** Returns whether it has been connected for longer. */
    boolean isOlderThan(Duration age) {
        return System.nanoTime() - since > age.toNanos();
    }

    /** Describes a connection that is not a client, for the user. */
    String describe() {
        return socket.getRemoteSocketAddress().toString().replaceFirst("^.*/", "") + " connected and "
                + (length > 0
                        ? "sent " + Garbage.show(Arrays.copyOf(bytes, length)) + ", which is no perftest version"
                        : left ? "left without a word" : "says nothing")
                + ": it is no client, which is still waited for";
    }

    /** Returns the conversation with a client, from its first byte. */
    ControlChannel channel(Duration timeout) throws IOException {
        return new TcpControlChannel(socket, true, timeout, Arrays.copyOf(bytes, length));
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing was sent on it.
        }
    }
}
