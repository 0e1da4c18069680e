// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.verbs.RemoteMemory;
import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * The state of one connection in Valkey's RDMA protocol, without verbs, threads or clock. Each side has a ring, into
 * which the other side writes the bytes of its stream one after another. A full ring is announced again when all of it
 * was read. Checks everything that the peer sends.
 */
final class ValkeyProtocol {
    /** The length of a control message. */
    static final int MESSAGE_BYTES = 32;

    /**
     * How many messages are sent to a peer from which nothing arrives. The protocol has no flow control for messages: a
     * server has {@value ValkeyConnection#RECEIVES} receives, and the connection breaks if it is busy for so long that
     * they run out. A live server sends a keepalive every three seconds.
     */
    static final int MAX_UNANSWERED = 256;

    private static final int GET_SERVER_FEATURE = 0;
    private static final int SET_CLIENT_FEATURE = 1;
    private static final int KEEPALIVE = 2;
    private static final int REGISTER_MEMORY = 3;

    private static final int ADDRESS = 16;
    private static final int LENGTH = 24;
    private static final int KEY = 28;

    private final int ownLength;
    /** How many bytes of the own ring the peer has written, and how many were read. */
    private int received;

    private int read;

    /** Null until the peer has announced its ring. */
    private RemoteMemory peerRing;
    /** The number of bytes written into it. */
    private long written;

    private int unanswered;

    ValkeyProtocol(int ownLength) {
        this.ownLength = ownLength;
    }

    // ---- What the peer sends ----

    /**
     * Takes a control message.
     *
     * @param at its offset in the buffer
     * @param length the number of bytes that the peer sent
     * @return whether the peer's ring is another one than before
     */
    boolean controlArrived(ByteBuffer buffer, int at, long length) throws ProtocolException {
        unanswered = 0;
        if (length != MESSAGE_BYTES) {
            throw new ProtocolException("a control message has %d bytes, not %d".formatted(length, MESSAGE_BYTES));
        }
        int opcode = Short.toUnsignedInt(buffer.getShort(at));
        return switch (opcode) {
            // The server's features: this client uses none.
            case GET_SERVER_FEATURE, KEEPALIVE -> false;
            case REGISTER_MEMORY ->
                register(
                        buffer.getLong(at + ADDRESS),
                        Integer.toUnsignedLong(buffer.getInt(at + LENGTH)),
                        buffer.getInt(at + KEY));
            default ->
                throw new ProtocolException(
                        "a server does not send control message %d: it speaks another version".formatted(opcode));
        };
    }

    private boolean register(long address, long length, int key) throws ProtocolException {
        if (length == 0 || Long.compareUnsigned(address, -length) > 0) {
            throw new ProtocolException("no ring can have %d bytes at 0x%x".formatted(length, address));
        }
        if (peerRing != null && written < peerRing.length()) {
            throw new ProtocolException("a new ring after %d of %d bytes: bytes may be under way to the previous ring"
                    .formatted(written, peerRing.length()));
        }
        written = 0;
        if (peerRing != null
                && peerRing.address() == address
                && peerRing.length() == length
                && peerRing.remoteKey() == key) {
            return false;
        }
        peerRing = new RemoteMemory(address, length, key);
        return true;
    }

    /**
     * Takes a write into the own ring.
     *
     * @param bytes the number that came with it, unsigned
     */
    void dataArrived(int bytes) throws ProtocolException {
        unanswered = 0;
        if (Integer.compareUnsigned(bytes, ownLength - received) > 0) {
            throw new ProtocolException("a write of %d bytes into a ring with space for %d"
                    .formatted(Integer.toUnsignedLong(bytes), ownLength - received));
        }
        received += bytes;
    }

    // ---- Reading ----

    /** {@return how many bytes can be read from {@link #readPosition()} on} */
    int readable() {
        return received - read;
    }

    int readPosition() {
        return read;
    }

    /** Records that the program has taken bytes, at most {@link #readable()}. */
    void read(int bytes) {
        read += bytes;
    }

    /** {@return whether the peer waits for {@link #writeRegister}} */
    boolean isOwnRingUsedUp() {
        return read == ownLength;
    }

    // ---- Writing ----

    RemoteMemory peerRing() {
        return peerRing;
    }

    /** {@return the offset in the peer's ring of the next byte} */
    long writePosition() {
        return written;
    }

    /** {@return how many bytes may be written now} */
    long writable() {
        return peerRing == null || unanswered >= MAX_UNANSWERED ? 0 : peerRing.length() - written;
    }

    /** Records a write of at most {@link #writable()} bytes. */
    void wrote(long bytes) {
        written += bytes;
        unanswered++;
    }

    /** Writes the question for the server's features, and the answer that this client uses none. */
    void writeFeatures(ByteBuffer buffer, int first, int second) {
        header(buffer, first, GET_SERVER_FEATURE);
        header(buffer, second, SET_CLIENT_FEATURE);
    }

    /** Announces the own ring, which is empty then. */
    void writeRegister(ByteBuffer buffer, int at, long address, int key) {
        received = 0;
        read = 0;
        header(buffer, at, REGISTER_MEMORY);
        buffer.putLong(at + ADDRESS, address);
        buffer.putInt(at + LENGTH, ownLength);
        buffer.putInt(at + KEY, key);
    }

    private void header(ByteBuffer buffer, int at, int opcode) {
        unanswered++;
        for (int i = 0; i < MESSAGE_BYTES; i += Long.BYTES) {
            buffer.putLong(at + i, 0);
        }
        buffer.putShort(at, (short) opcode);
    }
}
