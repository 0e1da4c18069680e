// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_flow_esp_filter;
import io.github.rdma4j.verbs.bindings.ibv_flow_spec_esp;

/**
 * An ESP header of IPsec ({@code struct ibv_flow_spec_esp}).
 *
 * @since 0.1.0
 */
public final class EspFlowSpec extends FlowHeader<EspFlowSpec> {
    private static final int INT = 32;

    EspFlowSpec() {
        super(
                RdmaHeaders.IBV_FLOW_SPEC_ESP(),
                ibv_flow_spec_esp.sizeof(),
                ibv_flow_spec_esp.val$offset(),
                ibv_flow_esp_filter.sizeof());
    }

    /**
     * The security parameters index.
     *
     * @param value 32 bits
     * @return this
     */
    public EspFlowSpec securityParametersIndex(long value) {
        return field("securityParametersIndex", ibv_flow_esp_filter.spi$offset(), INT, value);
    }

    /**
     * Some bits of the security parameters index.
     *
     * @param value 32 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public EspFlowSpec securityParametersIndex(long value, long mask) {
        return field("securityParametersIndex", ibv_flow_esp_filter.spi$offset(), INT, value, mask);
    }

    /**
     * The sequence number.
     *
     * @param value 32 bits
     * @return this
     */
    public EspFlowSpec sequenceNumber(long value) {
        return field("sequenceNumber", ibv_flow_esp_filter.seq$offset(), INT, value);
    }

    /**
     * Some bits of the sequence number.
     *
     * @param value 32 bits
     * @param mask the bits that count
     * @return this
     * @throws IllegalArgumentException if the value has bits outside the mask
     */
    public EspFlowSpec sequenceNumber(long value, long mask) {
        return field("sequenceNumber", ibv_flow_esp_filter.seq$offset(), INT, value, mask);
    }

    @Override
    EspFlowSpec self() {
        return this;
    }
}
