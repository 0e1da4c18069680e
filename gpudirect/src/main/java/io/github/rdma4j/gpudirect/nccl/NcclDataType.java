// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

/**
 * The type of the elements ({@code ncclDataType_t}), in native byte order.
 *
 * @since 0.1.0
 */
public enum NcclDataType {
    /** Signed, 1 byte. */
    INT8(0, 1),
    /** Unsigned, 1 byte; also for raw bytes. */
    UINT8(1, 1),
    /** Signed, 4 bytes. */
    INT32(2, 4),
    /** Unsigned, 4 bytes. */
    UINT32(3, 4),
    /** Signed, 8 bytes. */
    INT64(4, 8),
    /** Unsigned, 8 bytes. */
    UINT64(5, 8),
    /** IEEE 754 half precision, 2 bytes: {@link Float#float16ToFloat}. */
    FLOAT16(6, 2),
    /** IEEE 754 single precision, 4 bytes. */
    FLOAT32(7, 4),
    /** IEEE 754 double precision, 8 bytes. */
    FLOAT64(8, 8),
    /** The upper half of a float, 2 bytes. NCCL 2.10 and later. */
    BFLOAT16(9, 2, new NcclVersion(2, 10, 3)),
    /** 8 bits, 4 of exponent and 3 of fraction, without infinity. NCCL 2.24 and later. */
    FLOAT8_E4M3(10, 1, new NcclVersion(2, 24, 3)),
    /** 8 bits, 5 of exponent and 2 of fraction. NCCL 2.24 and later. */
    FLOAT8_E5M2(11, 1, new NcclVersion(2, 24, 3));

    private final int code;
    private final int size;
    private final NcclVersion since;

    NcclDataType(int code, int size) {
        this(code, size, null);
    }

    NcclDataType(int code, int size, NcclVersion since) {
        this.code = code;
        this.size = size;
        this.since = since;
    }

    /** {@return its number in nccl.h} */
    public int code() {
        return code;
    }

    /** {@return the bytes of an element} */
    public int size() {
        return size;
    }

    void requireKnown(Library library) {
        if (since != null) {
            library.require(since, "the data type " + this);
        }
    }
}
