// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** The path MTU: the payload of one packet, in bytes ({@code enum ibv_mtu}). */
public enum Mtu {
    /** 256 bytes. */
    MTU_256(1),
    /** 512 bytes. */
    MTU_512(2),
    /** 1024 bytes: what a RoCE port has over an Ethernet MTU of 1500. */
    MTU_1024(3),
    /** 2048 bytes. */
    MTU_2048(4),
    /** 4096 bytes: what a RoCE port has over an Ethernet MTU of 4200 or more. */
    MTU_4096(5);

    private final int code;

    Mtu(int code) {
        this.code = code;
    }

    /** {@return the value of {@code enum ibv_mtu}, 1 to 5} */
    public int code() {
        return code;
    }

    /** {@return the size in bytes, 256 to 4096} */
    public int bytes() {
        return 128 << code;
    }

    /**
     * The MTU of that size.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096
     * @return the MTU
     * @throws IllegalArgumentException if it is another number
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : values()) {
            if (mtu.bytes() == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("MTU " + bytes + " is not one of 256, 512, 1024, 2048, 4096 bytes");
    }

    /**
     * The MTU with that code.
     *
     * @param code the value of {@code enum ibv_mtu}, 1 to 5
     * @return the MTU
     * @throws IllegalArgumentException if there is none
     */
    public static Mtu ofCode(int code) {
        if (code < 1 || code > values().length) {
            throw new IllegalArgumentException("MTU code " + code + " is not in 1.." + values().length);
        }
        return values()[code - 1];
    }
}
