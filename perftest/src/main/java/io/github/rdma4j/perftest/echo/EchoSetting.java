// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.util.Locale;

/**
 * The settings that both sides need before they connect.
 *
 * @param transport the transport
 * @param address the server's numeric address
 * @param port the server's port; 0 for any free one
 * @param size the size of each message in bytes, {@link Messages#LEAST_SIZE} to {@link Messages#LARGEST_SIZE}
 * @param connections the number of connections, from 1
 */
public record EchoSetting(Transport transport, String address, int port, int size, int connections) {
    /** The most messages under way on all connections of an endpoint together, as far as its limits allow. */
    private static final int MESSAGES_UNDER_WAY = 512;

    private static final int MOST_UNDER_WAY = 64;
    private static final int LEAST_UNDER_WAY = 16;
    private static final int WORDS = 5;

    /** Receive buffers, and places in the send queue, of each endpoint: so that many connections pin no gigabytes. */
    public int depth() {
        return Math.clamp(MESSAGES_UNDER_WAY / connections, LEAST_UNDER_WAY, MOST_UNDER_WAY);
    }

    /** This setting with the port that the server has taken. */
    public EchoSetting withPort(int taken) {
        return new EchoSetting(transport, address, taken, size, connections);
    }

    /** Returns the setting as words of a line. */
    public String encode() {
        return String.format(Locale.ROOT, "%s %s %d %d %d", transport.name(), address, port, size, connections);
    }

    /**
     * The reverse of {@link #encode()}.
     *
     * @throws IllegalArgumentException when the text is not such a line
     */
    public static EchoSetting decode(String text) {
        String[] words = text.split(" ");
        if (words.length != WORDS) {
            throw new IllegalArgumentException("'" + text + "' is no setting of an echo");
        }
        return new EchoSetting(
                Transport.valueOf(words[0]),
                words[1],
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]));
    }
}
