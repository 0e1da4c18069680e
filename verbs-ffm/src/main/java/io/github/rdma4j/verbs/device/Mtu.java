// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The path MTU: the payload of one packet, in bytes ({@code enum ibv_mtu}).
 *
 * @since 0.1.0
 */
public enum Mtu {
    /** The port does not report it, because it has no link or no network interface. */
    UNKNOWN(0),
    /** 256 bytes. */
    MTU_256(1),
    /** 512 bytes. */
    MTU_512(2),
    /** 1024 bytes; of a RoCE port with an Ethernet MTU of 1500. */
    MTU_1024(3),
    /** 2048 bytes. */
    MTU_2048(4),
    /** 4096 bytes; of a RoCE port with an Ethernet MTU of 4200 or more. */
    MTU_4096(5);

    private final int code;

    Mtu(int code) {
        this.code = code;
    }

    /** {@return the value of {@code enum ibv_mtu}, 1 to 5; 0 if unknown} */
    public int code() {
        return code;
    }

    /** {@return the size in bytes, 256 to 4096; 0 if unknown} */
    public int bytes() {
        return code == 0 ? 0 : 128 << code;
    }

    /**
     * Returns the MTU of a size.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096
     * @return the MTU
     * @throws IllegalArgumentException if it is another number
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : values()) {
            if (mtu != UNKNOWN && mtu.bytes() == bytes) {
                return mtu;
            }
        }
        throw new IllegalArgumentException("MTU " + bytes + " is not one of 256, 512, 1024, 2048, 4096 bytes");
    }

    /**
     * Returns the MTU of a code.
     *
     * @param code the value of {@code enum ibv_mtu}, 1 to 5
     * @return the MTU
     * @throws IllegalArgumentException if there is none
     */
    public static Mtu ofCode(int code) {
        if (code < 1 || code > MTU_4096.code) {
            throw new IllegalArgumentException("MTU code " + code + " is not in 1.." + MTU_4096.code);
        }
        return values()[code];
    }

    /**
     * Returns the MTU of a code from a query, which must not fail for a port that is down.
     *
     * @param code the value of {@code enum ibv_mtu}
     * @return the MTU; {@link #UNKNOWN} for any other number
     */
    public static Mtu ofQuery(int code) {
        return code < 1 || code > MTU_4096.code ? UNKNOWN : values()[code];
    }
}
