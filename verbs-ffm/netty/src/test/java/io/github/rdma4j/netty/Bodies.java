// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;

/** The bodies of requests and responses: the bytes of a number, in different lengths. */
final class Bodies {
    static final int LONGEST = 40_000;

    private Bodies() {}

    /** Most are short; of each ten one may be as long as several messages of the transport. */
    private static int length(int number) {
        return Integer.remainderUnsigned(number * 0x9e3779b9, number % 10 == 0 ? LONGEST : 300);
    }

    private static byte content(int number, int index) {
        return (byte) (number * 31 + index * 7 + (index >>> 8));
    }

    /** Writes the bytes of a number. */
    static ByteBuf write(ByteBuf body, int number) {
        for (int i = 0, length = length(number); i < length; i++) {
            body.writeByte(content(number, i));
        }
        return body;
    }

    /** Compares each byte. */
    static void check(ByteBuf body, int number) {
        assertThat(body.readableBytes()).isEqualTo(length(number));
        for (int i = 0, start = body.readerIndex(); i < body.readableBytes(); i++) {
            if (body.getByte(start + i) != content(number, i)) {
                throw new AssertionError("request %d: byte %d of %d".formatted(number, i, body.readableBytes()));
            }
        }
    }
}
