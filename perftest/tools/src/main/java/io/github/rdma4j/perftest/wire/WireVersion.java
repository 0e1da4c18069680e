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
 * <p>We announce 6.24, the last version before peers send a structure of their own build ("negotiate", from 6.28 on).
 */
public final class WireVersion {
    /** The version that we announce. */
    public static final String OURS = "6.24";

    private static final double OLDEST = 5.70;
    private static final int LENGTH = 16;
    private static final String STEP = "version";

    /** After the NUL, where the C tools stop reading: our name, and a byte of flags. */
    private static final byte[] NAME = "rdma4j".getBytes(StandardCharsets.US_ASCII);

    private static final int NAME_AT = 5;
    private static final int FLAGS_AT = NAME_AT + NAME.length;
    private static final int SEALED = 1;

    private static final Pattern NUMBER = Pattern.compile("\\d+\\.\\d+");

    private WireVersion() {}

    /**
     * The properties of a peer.
     *
     * @param number version of its wire protocol
     * @param rdma4j whether the peer is an rdma4j tool and not a C tool
     * @param sealed whether its messages can be checked, and it checks ours (--data_validation)
     */
    public record Peer(String number, boolean rdma4j, boolean sealed) {}

    /**
     * Exchanges versions.
     *
     * @return the properties of the peer
     * @throws HandshakeException when the peer is too old or uses another protocol
     */
    public static Peer exchange(ControlChannel channel) {
        return parse(channel, channel.exchange(ours(false), STEP));
    }

    /**
     * Exchanges versions, as the first contact of two sides that prepare independently.
     *
     * @param sealed whether our messages can be checked
     * @param limit the longest wait for the peer's version
     * @param meanwhile the work of the client once it has sent its version
     * @return the properties of the peer
     * @throws HandshakeException when the peer is too old or uses another protocol
     */
    public static Peer exchange(ControlChannel channel, boolean sealed, Duration limit, Runnable meanwhile) {
        return parse(channel, channel.exchange(ours(sealed), STEP, limit, meanwhile));
    }

    private static byte[] ours(boolean sealed) {
        byte[] message = Arrays.copyOf(OURS.getBytes(StandardCharsets.US_ASCII), LENGTH);
        System.arraycopy(NAME, 0, message, NAME_AT, NAME.length);
        message[FLAGS_AT] = (byte) (sealed ? SEALED : 0);
        return message;
    }

    private static Peer parse(ControlChannel channel, byte[] theirs) {
        int end = 0;
        while (end < LENGTH && theirs[end] != 0) {
            end++;
        }
        // The bytes after the NUL may be anything, because the C tools send uninitialized memory: this is not our name.
        String text = new String(theirs, 0, end, StandardCharsets.ISO_8859_1);
        Matcher number = NUMBER.matcher(text);
        if (end == 0 || !number.lookingAt()) {
            throw new HandshakeException(
                    "the peer " + channel.peer() + " sent no perftest version but " + Garbage.show(theirs),
                    ControlChannel.SAME_TOOL + (channel.isServer() ? "" : ": another program may listen on that port"));
        }
        double version = Double.parseDouble(number.group());
        if (version < OLDEST) {
            throw new HandshakeException(
                    "the peer " + channel.peer() + " speaks perftest version " + number.group()
                            + "; 5.70 or later is needed",
                    "update perftest on the other side");
        }
        channel.peerSpeaks(version);
        boolean rdma4j = Arrays.equals(theirs, NAME_AT, FLAGS_AT, NAME, 0, NAME.length);
        return new Peer(number.group(), rdma4j, rdma4j && (theirs[FLAGS_AT] & SEALED) != 0);
    }
}
