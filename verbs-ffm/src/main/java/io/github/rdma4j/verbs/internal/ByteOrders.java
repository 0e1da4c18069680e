// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.nio.ByteOrder;

/** Converts between the CPU's byte order and network order, which verbs use for immediate data and partition keys. */
public final class ByteOrders {
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private ByteOrders() {}

    public static int toNetwork(int value) {
        return LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
    }

    public static int fromNetwork(int value) {
        return toNetwork(value);
    }

    /** Converts a {@code __be64} of verbs.h to a number. */
    public static long fromNetwork(long value) {
        return LITTLE_ENDIAN ? Long.reverseBytes(value) : value;
    }
}
