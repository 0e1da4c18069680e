// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What the two sides tell each other in the private data of connecting and accepting.
 *
 * @param version of the protocol
 * @param receiveBuffers the credits that the other side starts with
 * @param bufferSize the longest message that this side takes, in bytes
 * @param userData the program's own bytes
 */
record Hello(int version, int receiveBuffers, int bufferSize, byte[] userData) {
    /** Changes whenever two versions would misunderstand each other. */
    static final int VERSION = 2;
    /** The bytes before the program's own. */
    static final int HEADER = 16;

    private static final int MAGIC = 0x52_34_4a_45;
    private static final int REFUSED = 0xffff_ffff;

    byte[] toBytes() {
        return ByteBuffer.allocate(HEADER + userData.length)
                .putInt(MAGIC)
                .putShort((short) version)
                .putShort((short) userData.length)
                .putInt(receiveBuffers)
                .putInt(bufferSize)
                .put(userData)
                .array();
    }

    /** Whether the bytes come from an endpoint of any version. */
    static boolean isHello(byte[] bytes) {
        return bytes.length >= HEADER && ByteBuffer.wrap(bytes).getInt() == MAGIC;
    }

    /** The version of bytes that are from an endpoint. */
    static int versionOf(byte[] bytes) {
        return Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(Integer.BYTES));
    }

    /** How many bytes of a greeting without a problem are one; others may follow. */
    static int lengthOf(byte[] bytes) {
        return HEADER + Short.toUnsignedInt(ByteBuffer.wrap(bytes).getShort(Integer.BYTES + Short.BYTES));
    }

    /**
     * Reads what an endpoint of this version has sent; what is behind it is padding. It allocates no more than a copy
     * of the bytes.
     */
    static Hello parse(byte[] bytes) {
        String problem = problem(bytes);
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException(problem);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, Integer.BYTES, bytes.length - Integer.BYTES);
        int version = Short.toUnsignedInt(buffer.getShort());
        int userLength = Short.toUnsignedInt(buffer.getShort());
        return new Hello(
                version, buffer.getInt(), buffer.getInt(), Arrays.copyOfRange(bytes, HEADER, HEADER + userLength));
    }

    /** Why the bytes cannot be used; an empty string if they can. */
    static String problem(byte[] bytes) {
        if (!isHello(bytes)) {
            return "the peer does not speak the endpoint protocol of rdma4j";
        }
        if (versionOf(bytes) != VERSION) {
            return "the peer speaks version %d of the endpoint protocol, and this side version %d"
                    .formatted(versionOf(bytes), VERSION);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int userLength = Short.toUnsignedInt(buffer.getShort(6));
        int buffers = buffer.getInt(8);
        int size = buffer.getInt(12);
        if (HEADER + userLength > bytes.length || buffers < 1 || buffers > Frame.MAX_CREDITS || size < 0) {
            return "the peer's greeting is damaged";
        }
        return "";
    }

    /** The private data of a refusal: magic and version, and nothing where the buffers would be. */
    static byte[] refusal() {
        return new Hello(VERSION, REFUSED, 0, new byte[0]).toBytes();
    }

    /** {@return the numbers} */
    @Override
    public String toString() {
        return "Hello[version=%d, receiveBuffers=%d, bufferSize=%d, %d bytes of the program]"
                .formatted(version, receiveBuffers, bufferSize, userData.length);
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
