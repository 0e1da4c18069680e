// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.verbs.device.Gid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/**
 * The address of the other side's queue pair, and of the memory to write to. It also serves as the content of every
 * synchronization message.
 *
 * <p>On the wire it is lower-case hexadecimal text of fixed width with a final NUL: 59 bytes without a GID and 108 with
 * one. Each side chooses independently by the same rule: with a GID on Ethernet, and on InfiniBand when -x is given.
 * Over rdma_cm it is the C tools' structure in network byte order: 56 bytes, or 64 with a peer of wire version 6.29 or
 * later, which adds a second address for a kind of data validation that is not used here.
 *
 * @param lid local identifier of the port; 0 on Ethernet
 * @param outstandingReads the number of reads that it serves at a time
 * @param queuePairNumber 24 bits
 * @param packetSequenceNumber the first number that it sends, 24 bits
 * @param remoteKey key of the memory that may be written
 * @param address start of that memory
 * @param gid the port's GID, or null if LIDs are enough
 * @param sharedReceiveQueueNumber the target of an XRC queue pair, 24 bits; 0 for other types
 */
public record PeerKeys(
        int lid,
        int outstandingReads,
        int queuePairNumber,
        int packetSequenceNumber,
        int remoteKey,
        long address,
        Gid gid,
        int sharedReceiveQueueNumber) {
    private static final int LENGTH = 59;
    private static final int LENGTH_WITH_GID = 108;
    private static final int BINARY_LENGTH = 56;
    private static final int BINARY_LENGTH_WITH_MARKERS = 64;

    /** The wire version of the C tools that brought the second address, in perftest 26.04. */
    static final double FIRST_WITH_MARKERS = 6.29;

    private static final int GID_BYTES = 16;

    /** Keys of a queue pair that is not XRC. */
    public PeerKeys(
            int lid,
            int outstandingReads,
            int queuePairNumber,
            int packetSequenceNumber,
            int remoteKey,
            long address,
            Gid gid) {
        this(lid, outstandingReads, queuePairNumber, packetSequenceNumber, remoteKey, address, gid, 0);
    }

    /** Exchanges the keys; the peer's must have the same form. */
    public PeerKeys exchange(ControlChannel channel, String step) {
        return decode(channel.exchange(encode(channel), step), channel);
    }

    /** Exchanges the keys, with a timeout for the peer's keys, because a run may precede them. */
    public PeerKeys exchange(ControlChannel channel, String step, Duration limit) {
        return decode(channel.exchange(encode(channel), step, limit), channel);
    }

    /**
     * Exchanges them, and waits before this side receives; a client's message is then in flight, as in
     * {@link ControlChannel}.
     */
    public PeerKeys exchange(ControlChannel channel, String step, Duration limit, Runnable meanwhile) {
        return decode(channel.exchange(encode(channel), step, limit, meanwhile), channel);
    }

    /** The message in the form that the channel carries. */
    public byte[] encode(ControlChannel channel) {
        return channel.carriesBinaryKeys() ? encodeBinary(channel.carriesKeysWithMarkers()) : encodeText();
    }

    private PeerKeys decode(byte[] message, ControlChannel channel) {
        return channel.carriesBinaryKeys()
                ? decodeBinary(message, gid != null, channel.carriesKeysWithMarkers(), channel.peer())
                : decodeText(message, gid != null, channel.peer());
    }

    byte[] encodeText() {
        StringBuilder text = new StringBuilder(LENGTH_WITH_GID);
        text.append(String.format(
                "%04x:%04x:%06x:%06x:%08x:%016x:",
                lid, outstandingReads, queuePairNumber, packetSequenceNumber, remoteKey, address));
        if (gid != null) {
            for (byte b : gid.bytes()) {
                text.append(String.format("%02x:", b));
            }
        }
        text.append(String.format("%08x", sharedReceiveQueueNumber)).append(gid != null ? ":" : "");
        return Arrays.copyOf(
                text.toString().getBytes(StandardCharsets.US_ASCII), gid != null ? LENGTH_WITH_GID : LENGTH);
    }

    /** {@code struct pingpong_dest} as compilers lay it out, with four bytes of padding before the address. */
    byte[] encodeBinary(boolean withMarkers) {
        ByteBuffer message = ByteBuffer.allocate(withMarkers ? BINARY_LENGTH_WITH_MARKERS : BINARY_LENGTH)
                .putInt(lid)
                .putInt(outstandingReads)
                .putInt(queuePairNumber)
                .putInt(packetSequenceNumber)
                .putInt(remoteKey)
                .putInt(0)
                .putLong(address);
        if (withMarkers) {
            message.putLong(0);
        }
        message.put(gid == null ? new byte[GID_BYTES] : gid.bytes());
        // The index of the GID is last; the peer ignores it.
        return message.putInt(sharedReceiveQueueNumber).putInt(0).array();
    }

    static PeerKeys decodeText(byte[] message, boolean withGid, String peer) {
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
                    gid,
                    (int) field(fields[fields.length - 1], 32));
        } catch (NumberFormatException _) {
            throw notKeys(message, peer);
        }
    }

    static PeerKeys decodeBinary(byte[] message, boolean withGid, boolean withMarkers, String peer) {
        ByteBuffer fields = ByteBuffer.wrap(message);
        int lid = fields.getInt();
        int outstandingReads = fields.getInt();
        int queuePairNumber = fields.getInt();
        int packetSequenceNumber = fields.getInt();
        int remoteKey = fields.getInt();
        fields.getInt();
        long address = fields.getLong();
        if (withMarkers) {
            fields.getLong();
        }
        byte[] gid = new byte[GID_BYTES];
        fields.get(gid);
        if ((lid | outstandingReads) >>> 16 != 0 || (queuePairNumber | packetSequenceNumber) >>> 24 != 0) {
            throw notKeys(message, peer);
        }
        return new PeerKeys(
                lid,
                outstandingReads,
                queuePairNumber,
                packetSequenceNumber,
                remoteKey,
                address,
                withGid ? Gid.of(gid) : null,
                fields.getInt());
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
