// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp_encap;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp_keymat_aes_gcm;
import io.github.rdma4j.verbs.bindings.ib_uverbs_flow_action_esp_replay_bmp;
import io.github.rdma4j.verbs.bindings.ibv_flow_action_esp_attr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * An {@link EspActionConfig} as {@code struct ibv_flow_action_esp_attr} with all structures that it points to. Closing
 * it wipes the key.
 */
final class EspActionAttributes implements AutoCloseable {
    private final MemorySegment attributes;
    private final MemorySegment key;

    EspActionAttributes(EspActionConfig config, Arena arena) {
        attributes = ibv_flow_action_esp_attr.allocate(arena);
        key = ib_uverbs_flow_action_esp_keymat_aes_gcm.allocate(arena);
        if (config.attributesSet()) {
            ibv_flow_action_esp_attr.esp_attr(attributes, header(config, arena));
        }
        if (config.keyMaterial() != null) {
            fillKey(config.keyMaterial());
            ibv_flow_action_esp_attr.keymat_proto(attributes, RdmaHeaders.IBV_FLOW_ACTION_ESP_KEYMAT_AES_GCM());
            ibv_flow_action_esp_attr.keymat_len(attributes, (short) key.byteSize());
            ibv_flow_action_esp_attr.keymat_ptr(attributes, key);
        }
        if (config.replayWindow() > 0) {
            MemorySegment bitmap = ib_uverbs_flow_action_esp_replay_bmp.allocate(arena);
            ib_uverbs_flow_action_esp_replay_bmp.size(bitmap, config.replayWindow());
            ibv_flow_action_esp_attr.replay_proto(attributes, RdmaHeaders.IBV_FLOW_ACTION_ESP_REPLAY_BMP());
            ibv_flow_action_esp_attr.replay_len(attributes, (short) bitmap.byteSize());
            ibv_flow_action_esp_attr.replay_ptr(attributes, bitmap);
        }
        if (config.extendedSequence() != null) {
            ibv_flow_action_esp_attr.comp_mask(attributes, RdmaHeaders.IBV_FLOW_ACTION_ESP_MASK_ESN());
            ibv_flow_action_esp_attr.esn(attributes, config.extendedSequence());
        }
        ibv_flow_action_esp_attr.esp_encap(attributes, encapsulation(config.encapsulation(), arena));
    }

    private static MemorySegment header(EspActionConfig config, Arena arena) {
        MemorySegment header = ib_uverbs_flow_action_esp.allocate(arena);
        ib_uverbs_flow_action_esp.spi(header, config.spi());
        ib_uverbs_flow_action_esp.seq(header, config.sequence());
        ib_uverbs_flow_action_esp.tfc_pad(header, config.trafficFlowPadding());
        ib_uverbs_flow_action_esp.flags(header, config.flags());
        ib_uverbs_flow_action_esp.hard_limit_pkts(header, config.hardLimitPackets());
        return header;
    }

    private void fillKey(EspActionConfig.KeyMaterial material) {
        ib_uverbs_flow_action_esp_keymat_aes_gcm.iv(key, material.initializationVector());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.iv_algo(key, RdmaHeaders.IBV_FLOW_ACTION_IV_ALGO_SEQ());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.salt(key, material.salt());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.icv_len(key, material.integrityCheckLength());
        ib_uverbs_flow_action_esp_keymat_aes_gcm.key_len(key, material.key().length);
        MemorySegment.copy(
                material.key(),
                0,
                ib_uverbs_flow_action_esp_keymat_aes_gcm.aes_key(key),
                ValueLayout.JAVA_BYTE,
                0,
                material.key().length);
    }

    /** Builds a linked list, from its end. */
    private static MemorySegment encapsulation(List<FlowHeader<?>> headers, Arena arena) {
        MemorySegment next = MemorySegment.NULL;
        for (FlowHeader<?> header : headers.reversed()) {
            MemorySegment values = arena.allocate(header.values().byteSize(), Long.BYTES);
            values.copyFrom(header.values());
            MemorySegment link = ib_uverbs_flow_action_esp_encap.allocate(arena);
            ib_uverbs_flow_action_esp_encap.val_ptr(link, values);
            ib_uverbs_flow_action_esp_encap.next_ptr(link, next);
            ib_uverbs_flow_action_esp_encap.len(link, (short) values.byteSize());
            ib_uverbs_flow_action_esp_encap.type(link, (short) header.type());
            next = link;
        }
        return next;
    }

    MemorySegment segment() {
        return attributes;
    }

    @Override
    public void close() {
        key.fill((byte) 0);
    }
}
