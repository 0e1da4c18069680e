// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.bindings.ibv_rwq_ind_table_init_attr;
import io.github.rdma4j.verbs.bindings.ibv_rx_hash_conf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the native structs of receive hashing and its table. */
class ReceiveHashTest {
    private final Arena arena = Arena.ofAuto();

    @Test
    void hashIsWrittenWithItsKeyAndFields() {
        byte[] key = new byte[40];
        key[39] = 7;
        ReceiveHashConfig hash = ReceiveHashConfig.toeplitz(
                key,
                ReceiveHashField.SOURCE_IPV4,
                ReceiveHashField.DESTINATION_IPV4,
                ReceiveHashField.DESTINATION_PORT_UDP,
                ReceiveHashField.INNER);
        MemorySegment conf = ibv_rx_hash_conf.allocate(arena);

        hash.write(conf, arena);

        assertThat(ibv_rx_hash_conf.rx_hash_function(conf)).isEqualTo((byte) 1);
        assertThat(ibv_rx_hash_conf.rx_hash_key_len(conf)).isEqualTo((byte) 40);
        assertThat(ibv_rx_hash_conf.rx_hash_key(conf).reinterpret(40).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(key);
        assertThat(ibv_rx_hash_conf.rx_hash_fields_mask(conf)).isEqualTo(0x80000083L);
    }

    @Test
    void fieldsOfTwoIpVersionsOrTwoTransportsExcludeEachOther() {
        byte[] key = new byte[40];
        assertThatThrownBy(() -> ReceiveHashConfig.toeplitz(
                        key, ReceiveHashField.SOURCE_IPV4, ReceiveHashField.DESTINATION_IPV6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be hashed by one queue pair");
        assertThatThrownBy(() -> ReceiveHashConfig.toeplitz(
                        key, ReceiveHashField.SOURCE_PORT_TCP, ReceiveHashField.SOURCE_PORT_UDP))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ReceiveHashConfig.toeplitz(new byte[0])).hasMessageContaining("1..255");
        assertThatThrownBy(() -> ReceiveHashConfig.toeplitz(new byte[256])).hasMessageContaining("1..255");
        assertThat(ReceiveHashConfig.toeplitz(key).fields()).isEmpty();
    }

    @Test
    void hashesAreValues() {
        byte[] key = {1, 2};
        ReceiveHashConfig hash = ReceiveHashConfig.toeplitz(key, ReceiveHashField.IPSEC_SPI);
        key[0] = 9;
        hash.key()[1] = 9;
        assertThat(hash)
                .isEqualTo(ReceiveHashConfig.toeplitz(new byte[] {1, 2}, ReceiveHashField.IPSEC_SPI))
                .isNotEqualTo(ReceiveHashConfig.toeplitz(new byte[] {1, 2}))
                .hasToString("Toeplitz of [IPSEC_SPI], key 0102");
    }

    @Test
    void tableListsItsQueues() {
        MemorySegment attributes = ReceiveWorkQueueTable.attributes(List.of(0x10L, 0x20L, 0x10L, 0x30L), arena);
        assertThat(ibv_rwq_ind_table_init_attr.log_ind_tbl_size(attributes)).isEqualTo(2);
        assertThat(ibv_rwq_ind_table_init_attr
                        .ind_tbl(attributes)
                        .reinterpret(32)
                        .toArray(ValueLayout.JAVA_LONG))
                .containsExactly(0x10, 0x20, 0x10, 0x30);
    }

    @Test
    void flagsAndStatesHaveTheirCodes() {
        assertThat(WorkQueueFlag.mask(Set.of(WorkQueueFlag.values()))).isEqualTo(15);
        assertThat(WorkQueueFlag.mask(Set.of(WorkQueueFlag.DELAY_DROP))).isEqualTo(4);
        assertThat(WorkQueueState.ofCode(1)).isEqualTo(WorkQueueState.READY);
        assertThat(WorkQueueState.ofCode(99)).isEqualTo(WorkQueueState.UNKNOWN);
    }
}
