// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.gpudirect.nccl.NcclDataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads and writes numbers as elements of NCCL's types. */
final class Elements {
    private static final int BFLOAT16_SHIFT = 16;

    private Elements() {}

    /** Stores a number, 0 or greater, that the type represents exactly. */
    static void set(MemorySegment into, NcclDataType type, long index, double value) {
        switch (type) {
            case INT8, UINT8 -> into.set(ValueLayout.JAVA_BYTE, index, (byte) value);
            case INT32, UINT32 -> into.setAtIndex(ValueLayout.JAVA_INT, index, (int) value);
            case INT64, UINT64 -> into.setAtIndex(ValueLayout.JAVA_LONG, index, (long) value);
            case FLOAT16 -> into.setAtIndex(ValueLayout.JAVA_SHORT, index, Float.floatToFloat16((float) value));
            case FLOAT32 -> into.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
            case FLOAT64 -> into.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
            case BFLOAT16 ->
                into.setAtIndex(ValueLayout.JAVA_SHORT, index, (short)
                        (Float.floatToRawIntBits((float) value) >>> BFLOAT16_SHIFT));
            case FLOAT8_E4M3 -> into.set(ValueLayout.JAVA_BYTE, index, eighth(value, 7, 3));
            case FLOAT8_E5M2 -> into.set(ValueLayout.JAVA_BYTE, index, eighth(value, 15, 2));
        }
    }

    /** Returns the number of an element. */
    static double get(MemorySegment from, NcclDataType type, long index) {
        return switch (type) {
            case INT8 -> from.get(ValueLayout.JAVA_BYTE, index);
            case UINT8 -> from.get(ValueLayout.JAVA_BYTE, index) & 0xff;
            case INT32 -> from.getAtIndex(ValueLayout.JAVA_INT, index);
            case UINT32 -> from.getAtIndex(ValueLayout.JAVA_INT, index) & 0xffffffffL;
            case INT64, UINT64 -> from.getAtIndex(ValueLayout.JAVA_LONG, index);
            case FLOAT16 -> Float.float16ToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT, index));
            case FLOAT32 -> from.getAtIndex(ValueLayout.JAVA_FLOAT, index);
            case FLOAT64 -> from.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
            case BFLOAT16 -> Float.intBitsToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT, index) << BFLOAT16_SHIFT);
            case FLOAT8_E4M3 -> number(from.get(ValueLayout.JAVA_BYTE, index), 7, 3);
            case FLOAT8_E5M2 -> number(from.get(ValueLayout.JAVA_BYTE, index), 15, 2);
        };
    }

    /** Returns the largest relative error of a number of the type after one rounding; 0 for integers. */
    static double precision(NcclDataType type) {
        return switch (type) {
            case INT8, UINT8, INT32, UINT32, INT64, UINT64 -> 0;
            case FLOAT16 -> 0x1p-10;
            case FLOAT32 -> 0x1p-23;
            case FLOAT64 -> 0x1p-52;
            case BFLOAT16 -> 0x1p-7;
            case FLOAT8_E4M3 -> 0x1p-3;
            case FLOAT8_E5M2 -> 0x1p-2;
        };
    }

    private static byte eighth(double value, int bias, int bits) {
        if (value == 0) {
            return 0;
        }
        int exponent = Math.getExponent(value);
        return (byte) ((exponent + bias) << bits | (int) ((value / Math.scalb(1.0, exponent) - 1) * (1 << bits)));
    }

    private static double number(byte eighth, int bias, int bits) {
        int exponent = (eighth & 0x7f) >> bits;
        double fraction = (eighth & (1 << bits) - 1) / (double) (1 << bits);
        double size = exponent == 0 ? Math.scalb(fraction, 1 - bias) : Math.scalb(1 + fraction, exponent - bias);
        return eighth < 0 ? -size : size;
    }
}
