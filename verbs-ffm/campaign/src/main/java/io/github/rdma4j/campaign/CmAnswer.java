// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * How a client of rdma_cm wants the server to handle its request. The private data contains a byte for this, then the
 * number of the request.
 */
enum CmAnswer {
    /** Accept, and echo the word. */
    WORD,
    /** Refuse, with the same private data. */
    REFUSE,
    /** Close the request without an answer, which also refuses it. */
    CLOSE,
    /** As {@link #WORD}, and then stop. */
    LAST;

    private static final int BYTES = 1 + Long.BYTES;

    byte[] ask(long number) {
        return ByteBuffer.allocate(BYTES).put((byte) ordinal()).putLong(number).array();
    }

    static CmAnswer of(byte[] asked) {
        return values()[asked[0]];
    }

    static long number(byte[] asked) {
        return ByteBuffer.wrap(asked).getLong(1);
    }

    boolean isRefusal() {
        return this == REFUSE || this == CLOSE;
    }

    /** {@return whether private data, which RoCE pads, equals these bytes} */
    static boolean is(byte[] data, byte[] asked) {
        return data.length >= BYTES && Arrays.equals(data, 0, BYTES, asked, 0, BYTES);
    }
}
