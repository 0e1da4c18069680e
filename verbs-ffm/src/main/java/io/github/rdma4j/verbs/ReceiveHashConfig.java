// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_rx_hash_conf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Selects an entry of a {@link ReceiveWorkQueueTable} by a hash of each packet ({@code struct ibv_rx_hash_conf}). The
 * only hash function is Toeplitz. Immutable.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class ReceiveHashConfig {
    private static final byte TOEPLITZ = 1;
    private static final int MAX_KEY_LENGTH = 255;
    private static final List<Set<ReceiveHashField>> IP_VERSIONS = List.of(
            Set.of(ReceiveHashField.SOURCE_IPV4, ReceiveHashField.DESTINATION_IPV4),
            Set.of(ReceiveHashField.SOURCE_IPV6, ReceiveHashField.DESTINATION_IPV6));
    private static final List<Set<ReceiveHashField>> TRANSPORTS = List.of(
            Set.of(ReceiveHashField.SOURCE_PORT_TCP, ReceiveHashField.DESTINATION_PORT_TCP),
            Set.of(ReceiveHashField.SOURCE_PORT_UDP, ReceiveHashField.DESTINATION_PORT_UDP));

    private final byte[] key;
    private final Set<ReceiveHashField> fields;

    private ReceiveHashConfig(byte[] key, Set<ReceiveHashField> fields) {
        this.key = key;
        this.fields = fields;
    }

    /**
     * Creates a configuration with the Toeplitz function.
     *
     * @param key the key, 1 to 255 bytes; most adapters need 40. It is copied
     * @param fields the hashed fields, of either IPv4 or IPv6, and of either TCP or UDP; none for a hash that is always
     *     0
     * @return the configuration
     * @throws IllegalArgumentException if the key is empty or too long, or fields exclude each other
     */
    public static ReceiveHashConfig toeplitz(byte[] key, ReceiveHashField... fields) {
        if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
            throw new IllegalArgumentException(
                    "a key of %d bytes is not in 1..%d".formatted(key.length, MAX_KEY_LENGTH));
        }
        for (ReceiveHashField field : fields) {
            Objects.requireNonNull(field, "field");
        }
        Set<ReceiveHashField> set = Set.of(fields);
        requireOneOf(IP_VERSIONS, set);
        requireOneOf(TRANSPORTS, set);
        return new ReceiveHashConfig(key.clone(), set);
    }

    private static void requireOneOf(List<Set<ReceiveHashField>> groups, Collection<ReceiveHashField> fields) {
        if (groups.stream().allMatch(group -> fields.stream().anyMatch(group::contains))) {
            throw new IllegalArgumentException("fields of %s and of %s cannot be hashed by one queue pair: %s"
                    .formatted(groups.get(0), groups.get(1), fields));
        }
    }

    /** {@return the key, a copy} */
    public byte[] key() {
        return key.clone();
    }

    /** {@return the hashed fields} */
    public Set<ReceiveHashField> fields() {
        return fields;
    }

    /**
     * Writes the configuration into a {@code struct ibv_rx_hash_conf}.
     *
     * @param hash the struct
     * @param allocator the allocator of the key, which must live as long as the struct is used
     */
    void write(MemorySegment hash, SegmentAllocator allocator) {
        ibv_rx_hash_conf.rx_hash_function(hash, TOEPLITZ);
        ibv_rx_hash_conf.rx_hash_key_len(hash, (byte) key.length);
        ibv_rx_hash_conf.rx_hash_key(hash, allocator.allocateFrom(ValueLayout.JAVA_BYTE, key));
        ibv_rx_hash_conf.rx_hash_fields_mask(hash, ReceiveHashField.mask(fields));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReceiveHashConfig that && Arrays.equals(key, that.key) && fields.equals(that.fields);
    }

    @Override
    public int hashCode() {
        return Objects.hash(Arrays.hashCode(key), fields);
    }

    /** {@return fields and key} */
    @Override
    public String toString() {
        return "Toeplitz of %s, key %s".formatted(fields, HexFormat.of().formatHex(key));
    }
}
