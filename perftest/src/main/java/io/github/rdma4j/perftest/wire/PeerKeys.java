// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.verbs.Gid;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * What one side must know of a queue pair of the other side: how to reach it and where to write. It also serves as the
 * content of every "I am here" message.
 *
 * <p>On the wire it is lower-case hexadecimal text of fixed width, 59 bytes without and 108 with a GID, a NUL at the
 * end. Which of the two is used is decided by each side on its own, so both must decide alike: with a GID on Ethernet,
 * and on InfiniBand when -x is given.
 *
 * @param lid local identifier of the port; 0 on Ethernet
 * @param outstandingReads how many reads may be under way to it
 * @param queuePairNumber 24 bits
 * @param packetSequenceNumber first one it sends, 24 bits
 * @param remoteKey key of the memory it may write
 * @param address start of that memory
 * @param gid its address, or null where LIDs are enough
 */
public record PeerKeys(
        int lid,
        int outstandingReads,
        int queuePairNumber,
        int packetSequenceNumber,
        int remoteKey,
        long address,
        Gid gid) {
    private static final int LENGTH = 59;
    private static final int LENGTH_WITH_GID = 108;
    private static final int GID_BYTES = 16;

    /** Exchanges them; the peer's must be of the same form. */
    public PeerKeys exchange(ControlChannel channel, String step) {
        return decode(channel.exchange(encode(), step), gid != null, channel.peer());
    }

    /** The same, waiting for the peer's as long as given: a run may lie between. */
    public PeerKeys exchange(ControlChannel channel, String step, Duration limit) {
        return decode(channel.exchange(encode(), step, limit), gid != null, channel.peer());
    }

    /** The message. */
    public byte[] encode() {
        StringBuilder text = new StringBuilder(LENGTH_WITH_GID);
        text.append(String.format(
                "%04x:%04x:%06x:%06x:%08x:%016x:",
                lid, outstandingReads, queuePairNumber, packetSequenceNumber, remoteKey, address));
        if (gid != null) {
            for (byte b : gid.bytes()) {
                text.append(String.format("%02x:", b));
            }
        }
        // The number of a shared receive queue, which writes do not use.
        text.append("00000000").append(gid != null ? ":" : "");
        return Arrays.copyOf(
                text.toString().getBytes(StandardCharsets.US_ASCII), gid != null ? LENGTH_WITH_GID : LENGTH);
    }

    static PeerKeys decode(byte[] message, boolean withGid, String peer) {
        String text = new String(message, StandardCharsets.ISO_8859_1);
        int nul = text.indexOf(0);
        String[] fields = (nul < 0 ? text : text.substring(0, nul)).split(":");
        if (fields.length != (withGid ? 7 + GID_BYTES : 7)) {
            throw notKeys(message, peer);
        }
        try {
            Gid gid = null;
            if (withGid) {
                byte[] bytes = new byte[GID_BYTES];
                for (int i = 0; i < GID_BYTES; i++) {
                    bytes[i] = (byte) field(fields[6 + i], 8);
                }
                gid = Gid.of(bytes);
            }
            return new PeerKeys(
                    (int) field(fields[0], 16),
                    (int) field(fields[1], 16),
                    (int) field(fields[2], 24),
                    (int) field(fields[3], 24),
                    (int) field(fields[4], 32),
                    field(fields[5], 64),
                    gid);
        } catch (NumberFormatException _) {
            throw notKeys(message, peer);
        }
    }

    private static long field(String hex, int bits) {
        long value = Long.parseUnsignedLong(hex, 16);
        if (bits < 64 && value >>> bits != 0) {
            throw new NumberFormatException(hex);
        }
        return value;
    }

    private static HandshakeException notKeys(byte[] message, String peer) {
        return new HandshakeException(
                "the peer " + peer + " sent " + Garbage.show(message) + " where its address and key were due",
                "see that both sides run the same tool on the same kind of link, and give -x on both or on none");
    }
}
