// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** What a client of rdma_cm asks the server to do with its request, in its private data: a byte, then its number. */
enum CmAnswer {
    /** Accept, and say the word again. */
    WORD,
    /** Refuse, with the same private data. */
    REFUSE,
    /** Close the request without an answer, which also refuses it. */
    CLOSE,
    /** As {@link #WORD}, and then end. */
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

    /** {@return whether private data, which RoCE pads, are those} */
    static boolean is(byte[] data, byte[] asked) {
        return data.length >= BYTES && Arrays.equals(data, 0, BYTES, asked, 0, BYTES);
    }
}
