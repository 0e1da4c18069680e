// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * A global identifier: the 128-bit address of a port ({@code union ibv_gid}). On RoCE it is an IPv6 address,
 * or an IPv4 address mapped into IPv6. Immutable; written as IPv6 text.
 *
 * @since 0.1.0
 */
public final class Gid {
    /** The number of bytes. */
    public static final int LENGTH = 16;
    /** All bits zero: no GID. */
    public static final Gid ZERO = new Gid(new byte[LENGTH]);

    private final byte[] bytes;

    private Gid(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Creates a GID from its bytes.
     *
     * @param bytes 16 bytes in network order; copied
     * @return the GID
     * @throws IllegalArgumentException if there are not 16
     */
    public static Gid of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("a GID has " + LENGTH + " bytes, not " + bytes.length);
        }
        return new Gid(bytes.clone());
    }

    /** {@return the 16 bytes in network order, a copy} */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** {@return whether it is an IPv4 address mapped into IPv6 ({@code ::ffff:a.b.c.d})} */
    public boolean isIpv4Mapped() {
        for (int i = 0; i < 10; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
    }

    /**
     * {@return whether it is a link-local address: of IPv6 ({@code fe80::/10}), like an InfiniBand port's default GID,
     * or of IPv4 ({@code 169.254.0.0/16}) mapped into IPv6}
     */
    public boolean isLinkLocal() {
        if (isIpv4Mapped()) {
            return bytes[12] == (byte) 169 && bytes[13] == (byte) 254;
        }
        return bytes[0] == (byte) 0xfe && (bytes[1] & 0xc0) == 0x80;
    }

    /** {@return whether it is a multicast address: of IPv6 ({@code ff00::/8}), or of IPv4 mapped into IPv6} */
    public boolean isMulticast() {
        return bytes[0] == (byte) 0xff || isIpv4Mapped() && (bytes[12] & 0xf0) == 0xe0;
    }

    /** {@return whether all bits are zero} */
    public boolean isZero() {
        return equals(ZERO);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gid gid && Arrays.equals(bytes, gid.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /**
     * {@return the IPv6 text, all eight groups: {@code 0000:0000:0000:0000:0000:ffff:0a63:0001}, as rdma-core's tools
     * print it}
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < LENGTH; i += 2) {
            if (i > 0) {
                text.append(':');
            }
            HexFormat.of().formatHex(text, bytes, i, i + 2);
        }
        return text.toString();
    }
}
