// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.nio.ByteOrder;

/**
 * Conversion between the processor's byte order and the network's, in which verbs keeps immediate data and keys of
 * partitions.
 */
public final class ByteOrders {
    private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private ByteOrders() {}

    public static int toNetwork(int value) {
        return LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
    }

    public static int fromNetwork(int value) {
        return toNetwork(value);
    }

    /** A {@code __be64} of verbs.h as a number. */
    public static long fromNetwork(long value) {
        return LITTLE_ENDIAN ? Long.reverseBytes(value) : value;
    }
}
