// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The data that the two sides exchange in the private data of connecting and accepting.
 *
 * @param version of the protocol
 * @param integrity whether messages have sums
 * @param receiveBuffers the credits that the other side starts with
 * @param bufferSize the longest message that this side takes, in bytes, without its sum
 * @param userData the program's own bytes
 * @param token what a client shows to be let in, empty for nothing; of a server, {@value #LIFE_BYTES} bytes that no
 *     other server has, nor the same one after a restart
 */
public record Hello(int version, boolean integrity, int receiveBuffers, int bufferSize, byte[] userData, byte[] token) {
    /** Changes whenever two versions would misunderstand each other. */
    public static final int VERSION = 4;

    public static final int LIFE_BYTES = 8;
    /** The bytes before the program's own. */
    public static final int HEADER = 16;

    private static final int MAGIC = 0x52_34_4a_45;

    private static final int VERSION_AT = 4;
    private static final int USER_LENGTH_AT = 6;
    private static final int TOKEN_LENGTH_AT = 7;
    private static final int FLAGS_AT = 8;
    private static final int BUFFERS_AT = 10;
    private static final int SIZE_AT = 12;

    private static final int INTEGRITY = 1;
    /** Over TCP: an SRD address follows the hello. */
    private static final int DATAGRAMS = 2;
    /** Besides {@link #DATAGRAMS}: this side takes nothing else. */
    private static final int DATAGRAMS_ONLY = 4;

    private static final int KNOWN = INTEGRITY | DATAGRAMS | DATAGRAMS_ONLY;
    /** With the number of a {@link Refusal} where the size would be. */
    private static final int REFUSED = 1 << 15;

    /** A side without sums and token. */
    public Hello(int version, int receiveBuffers, int bufferSize, byte[] userData) {
        this(version, false, receiveBuffers, bufferSize, userData, new byte[0]);
    }

    public byte[] toBytes() {
        return header(version, integrity ? INTEGRITY : 0, receiveBuffers, bufferSize, userData.length, token.length)
                .put(userData)
                .put(token)
                .array();
    }

    private static ByteBuffer header(int version, int flags, int buffers, int size, int userLength, int tokenLength) {
        return ByteBuffer.allocate(HEADER + userLength + tokenLength)
                .putInt(MAGIC)
                .putShort((short) version)
                .put((byte) userLength)
                .put((byte) tokenLength)
                .putShort((short) flags)
                .putShort((short) buffers)
                .putInt(size);
    }

    /** Whether the bytes come from an endpoint of any version. */
    public static boolean isHello(byte[] bytes) {
        return bytes.length >= HEADER && isMagic(ByteBuffer.wrap(bytes).getInt());
    }

    /** Whether an endpoint of any version begins with this word, in the order of the network. */
    public static boolean isMagic(int word) {
        return word == MAGIC;
    }

    /** The version of bytes that are from an endpoint. */
    public static int versionOf(byte[] bytes) {
        return Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(VERSION_AT));
    }

    /** The length of the hello at the beginning of valid bytes; others may follow. */
    public static int lengthOf(byte[] bytes) {
        return HEADER + Byte.toUnsignedInt(bytes[USER_LENGTH_AT]) + Byte.toUnsignedInt(bytes[TOKEN_LENGTH_AT]);
    }

    /**
     * Reads what an endpoint of this version has sent; what is behind it is padding. It allocates no more than a copy
     * of the bytes.
     */
    public static Hello parse(byte[] bytes) {
        String problem = problem(bytes);
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException(problem);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int userEnd = HEADER + Byte.toUnsignedInt(bytes[USER_LENGTH_AT]);
        return new Hello(
                versionOf(bytes),
                (buffer.getShort(FLAGS_AT) & INTEGRITY) != 0,
                Short.toUnsignedInt(buffer.getShort(BUFFERS_AT)),
                buffer.getInt(SIZE_AT),
                Arrays.copyOfRange(bytes, HEADER, userEnd),
                Arrays.copyOfRange(bytes, userEnd, lengthOf(bytes)));
    }

    /** Why the bytes cannot be used; an empty string if they can. */
    public static String problem(byte[] bytes) {
        if (!isHello(bytes)) {
            return "the peer does not speak the endpoint protocol of rdma4j";
        }
        if (versionOf(bytes) != VERSION) {
            return "the peer speaks version %d of the endpoint protocol, and this side version %d"
                    .formatted(versionOf(bytes), VERSION);
        }
        if (isRefusal(bytes)) {
            return refusalOf(bytes).explanation();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        boolean unknown = (buffer.getShort(FLAGS_AT) & ~KNOWN) != 0;
        if (unknown
                || hasDatagramsOnly(bytes) && !hasDatagrams(bytes)
                || lengthOf(bytes) > bytes.length
                || buffer.getShort(BUFFERS_AT) == 0
                || buffer.getInt(SIZE_AT) < 0) {
            return "the peer's handshake is damaged";
        }
        return "";
    }

    /**
     * Marks a hello as one that an SRD address follows.
     *
     * @param only whether this side takes nothing else
     */
    public static byte[] withDatagrams(byte[] bytes, boolean only) {
        byte[] marked = bytes.clone();
        marked[FLAGS_AT + 1] |= (byte) (only ? DATAGRAMS | DATAGRAMS_ONLY : DATAGRAMS);
        return marked;
    }

    /** Whether an SRD address follows a valid hello. */
    public static boolean hasDatagrams(byte[] bytes) {
        return (bytes[FLAGS_AT + 1] & DATAGRAMS) != 0;
    }

    /** Whether a side with a valid hello takes nothing else than SRD. */
    public static boolean hasDatagramsOnly(byte[] bytes) {
        return (bytes[FLAGS_AT + 1] & DATAGRAMS_ONLY) != 0;
    }

    /** Whether bytes of this version are a server's refusal. */
    public static boolean isRefusal(byte[] bytes) {
        return isHello(bytes)
                && versionOf(bytes) == VERSION
                && (ByteBuffer.wrap(bytes).getShort(FLAGS_AT) & REFUSED) != 0;
    }

    /** Which server has said this; 0 of a client. */
    public long serverIdentity() {
        return token.length == LIFE_BYTES ? ByteBuffer.wrap(token).getLong() : 0;
    }

    /** Why the server has refused. */
    public static Refusal refusalOf(byte[] refusal) {
        int number = ByteBuffer.wrap(refusal).getInt(SIZE_AT);
        Refusal[] all = Refusal.values();
        return number >= 0 && number < all.length ? all[number] : Refusal.ANOTHER_PROTOCOL;
    }

    /** Why this side does not want to be connected with one that has said this; null if it does. */
    public Refusal disagreement(boolean withIntegrity) {
        if (integrity == withIntegrity) {
            return null;
        }
        return withIntegrity ? Refusal.SUMS_WANTED : Refusal.SUMS_UNWANTED;
    }

    /** The private data of a refusal: magic, version and reason, and nothing where the buffers would be. */
    public static byte[] refusal(Refusal reason) {
        return header(VERSION, REFUSED, 0, reason.ordinal(), 0, 0).array();
    }

    /** {@return the numbers, and no secret} */
    @Override
    public String toString() {
        return "Hello[version=%d, integrity=%b, receiveBuffers=%d, bufferSize=%d, %d bytes of the program]"
                .formatted(version, integrity, receiveBuffers, bufferSize, userData.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Hello that && Arrays.equals(toBytes(), that.toBytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toBytes());
    }
}
