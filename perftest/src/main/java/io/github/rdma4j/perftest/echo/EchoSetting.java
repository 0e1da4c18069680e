// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import java.util.Locale;

/**
 * What both sides must know of the connections before there is one.
 *
 * @param transport over what
 * @param address of the server, a numeric one
 * @param port of the server; 0 takes any
 * @param size of each message in bytes, {@link Messages#LEAST_SIZE} to {@link Messages#LARGEST_SIZE}
 * @param connections how many, from 1
 */
public record EchoSetting(Transport transport, String address, int port, int size, int connections) {
    /** What may be under way on all connections of an endpoint together, as far as the limits of one allow. */
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

    /** As words of a line. */
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
