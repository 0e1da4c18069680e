// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stores numbers as elements. */
final class Scalars {
    private static final int UPPER_HALF = 16;

    private Scalars() {}

    /** Stores one element. */
    static MemorySegment store(Arena arena, NcclDataType type, double value) {
        return switch (type) {
            case INT8, UINT8 -> arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) (int) value);
            case INT32, UINT32 -> arena.allocateFrom(ValueLayout.JAVA_INT, (int) (long) value);
            case INT64, UINT64 -> arena.allocateFrom(ValueLayout.JAVA_LONG, (long) value);
            case FLOAT16 -> arena.allocateFrom(ValueLayout.JAVA_SHORT, Float.floatToFloat16((float) value));
            case FLOAT32 -> arena.allocateFrom(ValueLayout.JAVA_FLOAT, (float) value);
            case FLOAT64 -> arena.allocateFrom(ValueLayout.JAVA_DOUBLE, value);
            case BFLOAT16 -> arena.allocateFrom(ValueLayout.JAVA_SHORT, bfloat16((float) value));
            case FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new IllegalArgumentException(
                        type + ": give the factor as an element in device memory, Java has no such numbers");
        };
    }

    /** Returns the upper half of a float, rounded to nearest even. NaN stays NaN. */
    static short bfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> UPPER_HALF | 0x40);
        }
        return (short) (bits + 0x7fff + (bits >>> UPPER_HALF & 1) >>> UPPER_HALF);
    }
}
