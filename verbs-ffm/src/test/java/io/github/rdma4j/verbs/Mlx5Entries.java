// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.nio.ByteBuffer;
import java.util.Random;

/** Completions as an mlx5 adapter writes them, with anything in the fields that nobody has asked for. */
final class Mlx5Entries {
    /** The kinds: {@code MLX5_CQE_…}. */
    static final int REQUEST = 0;

    static final int RESPONSE_WRITE_IMMEDIATE = 1;
    static final int RESPONSE_SEND = 2;
    static final int RESPONSE_SEND_IMMEDIATE = 3;
    static final int RESPONSE_SEND_INVALIDATE = 4;
    static final int REQUEST_ERROR = 13;
    static final int RESPONSE_ERROR = 14;

    /** Data in the completion: {@code MLX5_INLINE_SCATTER_…}. */
    static final int SCATTER_32 = 4;

    static final int SCATTER_64 = 8;

    private static final int HALF = 64;

    private final Random random;
    private final int bytes;

    /**
     * Makes them.
     *
     * @param random for what matters to nobody
     * @param bytes of an entry, 64 or 128
     */
    Mlx5Entries(Random random, int bytes) {
        this.random = random;
        this.bytes = bytes;
    }

    /** Whether there is room for 64 bytes of data. */
    boolean areLong() {
        return bytes > HALF;
    }

    /**
     * An entry.
     *
     * @param pair whose it is
     * @param kind of it
     * @param code of the request, as the adapter knows it
     * @param counter where the request stands
     * @param scatter whether data are in it, and how
     * @param length of the message
     */
    byte[] entry(Mlx5StandIn.Pair pair, int kind, int code, int counter, int scatter, int length) {
        byte[] entry = new byte[bytes];
        random.nextBytes(entry);
        ByteBuffer fields = ByteBuffer.wrap(entry, bytes - HALF, HALF).slice();
        fields.putInt(32, random.nextInt() << 24 | pair.userIndex());
        // No matching of tags.
        fields.put(40, (byte) 0);
        fields.putInt(44, length);
        fields.putInt(56, code << 24 | pair.number());
        fields.putShort(60, (short) counter);
        fields.put(63, (byte) (kind << 4 | scatter));
        return entry;
    }

    /** One that says that a request has failed. */
    byte[] error(Mlx5StandIn.Pair pair, boolean request, int syndrome, int counter) {
        byte[] entry = entry(pair, request ? REQUEST_ERROR : RESPONSE_ERROR, 0, counter, 0, 0);
        entry[bytes - HALF + 55] = (byte) syndrome;
        return entry;
    }
}
