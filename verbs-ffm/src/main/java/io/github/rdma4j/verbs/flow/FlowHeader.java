// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_action_drop;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * A header of a packet, with the values that its fields must have and masks of the bits that count.
 *
 * @param <T> the header itself
 * @since 0.1.0
 */
public abstract sealed class FlowHeader<T extends FlowHeader<T>> extends FlowSpec
        permits EthernetFlowSpec,
                Ipv4FlowSpec,
                Ipv6FlowSpec,
                PortsFlowSpec,
                VxlanFlowSpec,
                GreFlowSpec,
                MplsFlowSpec,
                EspFlowSpec {
    private final MemorySegment values;
    private final MemorySegment masks;

    /** All such structs have the same layout: type, size, the values, the masks, padding. */
    FlowHeader(int type, long size, long valueOffset, long filterSize) {
        super(type, size);
        values = segment().asSlice(valueOffset, filterSize);
        masks = segment().asSlice(valueOffset + filterSize, filterSize);
    }

    /**
     * Declares that the header is inside a tunnel.
     *
     * @return this
     */
    public final T inner() {
        type(type() | RdmaHeaders.IBV_FLOW_SPEC_INNER());
        return self();
    }

    abstract T self();

    final int type() {
        return segment().get(ValueLayout.JAVA_INT, ibv_flow_spec_action_drop.type$offset());
    }

    final void type(int type) {
        segment().set(ValueLayout.JAVA_INT, ibv_flow_spec_action_drop.type$offset(), type);
    }

    final MemorySegment masks() {
        return masks;
    }

    /** Returns the values alone, for the encapsulation of an ESP action. */
    final MemorySegment values() {
        return values;
    }

    /**
     * Sets a number, in network order.
     *
     * @param name for messages
     * @param offset in the filter struct
     * @param bits the width; 20 or 24 bits are the low bits of a word of 32, where the kernel refuses other bits, also
     *     in the mask
     * @param value the required value
     * @param mask the bits that count
     */
    final T field(String name, long offset, int bits, long value, long mask) {
        long limit = (1L << bits) - 1;
        if (value < 0 || value > limit) {
            throw new IllegalArgumentException("%s 0x%x: it has %d bits".formatted(name, value, bits));
        }
        if (mask < 0 || mask > limit) {
            throw new IllegalArgumentException("mask 0x%x of %s, which has %d bits".formatted(mask, name, bits));
        }
        if ((value & ~mask) != 0) {
            throw new IllegalArgumentException(
                    "%s 0x%x has bits outside its mask 0x%x, which no packet could match".formatted(name, value, mask));
        }
        put(values, offset, bits, value);
        put(masks, offset, bits, mask);
        return self();
    }

    /** Sets a field of which all bits count. */
    final T field(String name, long offset, int bits, long value) {
        return field(name, offset, bits, value, (1L << bits) - 1);
    }

    private static void put(MemorySegment filter, long offset, int bits, long value) {
        int word = bits > Short.SIZE ? Integer.SIZE : bits;
        for (int i = 0; i < word / Byte.SIZE; i++) {
            filter.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (value >>> word - Byte.SIZE * (i + 1)));
        }
    }

    /** Sets an address of any length, in network order. */
    final T field(String name, long offset, int length, byte[] value, byte[] mask) {
        if (value.length != length || mask.length != length) {
            throw new IllegalArgumentException(
                    "%s and its mask have %d bytes, not %d and %d".formatted(name, length, value.length, mask.length));
        }
        for (int i = 0; i < length; i++) {
            if ((value[i] & ~mask[i]) != 0) {
                throw new IllegalArgumentException(
                        "%s has bits outside its mask in byte %d, which no packet could match".formatted(name, i));
            }
        }
        MemorySegment.copy(value, 0, values, ValueLayout.JAVA_BYTE, offset, length);
        MemorySegment.copy(mask, 0, masks, ValueLayout.JAVA_BYTE, offset, length);
        return self();
    }

    /** Sets an address of which a number of leading bits count; the other bits are cleared. */
    final T prefix(String name, long offset, byte[] address, int prefixLength) {
        int bits = address.length * Byte.SIZE;
        if (prefixLength < 0 || prefixLength > bits) {
            throw new IllegalArgumentException("a prefix of %d bits: %s has 0..%d".formatted(prefixLength, name, bits));
        }
        byte[] mask = new byte[address.length];
        byte[] network = address.clone();
        for (int i = 0; i < mask.length; i++) {
            int kept = Math.clamp(prefixLength - i * Byte.SIZE, 0, Byte.SIZE);
            mask[i] = (byte) (0xff00 >>> kept);
            network[i] &= mask[i];
        }
        return field(name, offset, address.length, network, mask);
    }

    static byte[] allBits(int length) {
        byte[] mask = new byte[length];
        Arrays.fill(mask, (byte) 0xff);
        return mask;
    }
}
