// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The first message: 16 bytes with the version of the wire protocol as text.
 *
 * <p>We announce 6.24, the last one before peers send a structure of their own build ("negotiate", from 6.28 on).
 */
public final class WireVersion {
    /** What we announce. */
    public static final String OURS = "6.24";

    private static final double OLDEST = 5.70;
    private static final int LENGTH = 16;
    private static final String STEP = "version";
    private static final Pattern NUMBER = Pattern.compile("\\d+\\.\\d+");

    private WireVersion() {}

    /**
     * Exchanges versions.
     *
     * @return the peer's number; what stands behind it is dropped
     * @throws HandshakeException when the peer is too old or speaks something else
     */
    public static String exchange(ControlChannel channel) {
        return parse(channel, channel.exchange(ours(), STEP));
    }

    /**
     * The same as the first contact of two sides that have to prepare themselves, each at its own time.
     *
     * @param limit the longest wait for the peer's version
     * @param meanwhile what the client does once its own version is on its way
     * @return the peer's number
     * @throws HandshakeException when the peer is too old or speaks something else
     */
    public static String exchange(ControlChannel channel, Duration limit, Runnable meanwhile) {
        return parse(channel, channel.exchange(ours(), STEP, limit, meanwhile));
    }

    private static byte[] ours() {
        return Arrays.copyOf(OURS.getBytes(StandardCharsets.US_ASCII), LENGTH);
    }

    private static String parse(ControlChannel channel, byte[] theirs) {
        int end = 0;
        while (end < LENGTH && theirs[end] != 0) {
            end++;
        }
        // Bytes behind the NUL may be anything: the C tools send what their memory held.
        String text = new String(theirs, 0, end, StandardCharsets.ISO_8859_1);
        Matcher number = NUMBER.matcher(text);
        if (end == 0 || !number.lookingAt()) {
            throw new HandshakeException(
                    "the peer " + channel.peer() + " sent no perftest version but " + Garbage.show(theirs),
                    "see that the other side is one of the ib_write_* tools: another program may listen on that port");
        }
        if (Double.parseDouble(number.group()) < OLDEST) {
            throw new HandshakeException(
                    "the peer " + channel.peer() + " speaks perftest version " + number.group()
                            + "; 5.70 or later is needed",
                    "update perftest on the other side");
        }
        return number.group();
    }
}
