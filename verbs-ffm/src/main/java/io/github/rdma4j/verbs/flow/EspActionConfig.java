// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Settings of a {@link FlowAction} that encrypts or decrypts ({@code struct ibv_flow_action_esp_attr}).
 *
 * @since 0.1.0
 */
public final class EspActionConfig {
    private static final Set<Integer> KEY_LENGTHS = Set.of(16, 24, 32);

    private int spi;
    private int sequence;
    private int trafficFlowPadding;
    private int flags;
    private long hardLimitPackets;
    private boolean attributesSet;
    private KeyMaterial keyMaterial;
    private int replayWindow;
    private Integer extendedSequence;
    private List<FlowHeader<?>> encapsulation = List.of();

    EspActionConfig() {}

    record KeyMaterial(byte[] key, int salt, long initializationVector, int integrityCheckLength) {}

    /**
     * Encrypts packets; the default is to decrypt them.
     *
     * @return this
     */
    public EspActionConfig encrypt() {
        return flag(RdmaHeaders.IBV_FLOW_ACTION_ESP_FLAGS_ENCRYPT());
    }

    /**
     * Lets the adapter also add and remove the ESP header and trailer. By default the packets have them, and only the
     * payload is encrypted or decrypted (inline crypto).
     *
     * @return this
     */
    public EspActionConfig fullOffload() {
        return flag(RdmaHeaders.IBV_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD());
    }

    /**
     * Selects transport mode; the default is tunnel mode.
     *
     * @return this
     */
    public EspActionConfig transport() {
        return flag(RdmaHeaders.IBV_FLOW_ACTION_ESP_FLAGS_TRANSPORT());
    }

    /**
     * Declares that the bottom of the replay window is in the upper half of the sequence numbers; for inline crypto
     * with {@link #extendedSequenceNumber}.
     *
     * @return this
     */
    public EspActionConfig newWindow() {
        return flag(RdmaHeaders.IBV_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW());
    }

    private EspActionConfig flag(int flag) {
        flags |= flag;
        attributesSet = true;
        return this;
    }

    /**
     * Sets the fields of the header; with full offload.
     *
     * @param securityParametersIndex the security parameters index
     * @param sequenceNumber the first sequence number, its lower 32 bits
     * @return this
     */
    public EspActionConfig header(int securityParametersIndex, int sequenceNumber) {
        this.spi = securityParametersIndex;
        this.sequence = sequenceNumber;
        attributesSet = true;
        return this;
    }

    /**
     * Sets padding against traffic analysis; with full offload.
     *
     * @param length in bytes; 0 for none
     * @return this
     */
    public EspActionConfig trafficFlowPadding(int length) {
        this.trafficFlowPadding = length;
        attributesSet = true;
        return this;
    }

    /**
     * Sets the number of packets after which the key is used up and packets are dropped; with full offload.
     *
     * @param packets the number
     * @return this
     */
    public EspActionConfig hardLimit(long packets) {
        this.hardLimitPackets = packets;
        attributesSet = true;
        return this;
    }

    /**
     * Sets the key for AES-GCM (RFC 4106). The copies made here are overwritten after the native call; the caller's
     * array is not.
     *
     * @param key 16, 24 or 32 bytes
     * @param salt the salt of RFC 4106, its bytes as they are in memory
     * @param initializationVector the first one; with full offload
     * @param integrityCheckLength the length of the integrity check value, in bytes
     * @return this
     * @throws IllegalArgumentException if the key has another length
     */
    public EspActionConfig aesGcm(byte[] key, int salt, long initializationVector, int integrityCheckLength) {
        if (!KEY_LENGTHS.contains(key.length)) {
            throw new IllegalArgumentException("an AES key of %d bytes: it has 16, 24 or 32".formatted(key.length));
        }
        this.keyMaterial = new KeyMaterial(key, salt, initializationVector, integrityCheckLength);
        return this;
    }

    /**
     * Sets replay protection by a bitmap of sequence numbers; with full offload.
     *
     * @param window the window in sequence numbers, above 0
     * @return this
     */
    public EspActionConfig replayWindow(int window) {
        if (window < 1) {
            throw new IllegalArgumentException("a replay window of " + window);
        }
        this.replayWindow = window;
        return this;
    }

    /**
     * Sets the upper half of the extended sequence number.
     *
     * @param upperHalf 32 bits
     * @return this
     */
    public EspActionConfig extendedSequenceNumber(int upperHalf) {
        this.extendedSequence = upperHalf;
        return this;
    }

    /**
     * Sets the headers around the ESP header, from the outside to the inside; with full offload in tunnel mode.
     *
     * @param headers the headers with their values; masks are ignored
     * @return this
     */
    public EspActionConfig encapsulation(FlowHeader<?>... headers) {
        for (FlowHeader<?> header : headers) {
            Objects.requireNonNull(header, "header");
        }
        this.encapsulation = List.of(headers);
        return this;
    }

    int spi() {
        return spi;
    }

    int sequence() {
        return sequence;
    }

    int trafficFlowPadding() {
        return trafficFlowPadding;
    }

    int flags() {
        return flags;
    }

    long hardLimitPackets() {
        return hardLimitPackets;
    }

    boolean attributesSet() {
        return attributesSet;
    }

    KeyMaterial keyMaterial() {
        return keyMaterial;
    }

    int replayWindow() {
        return replayWindow;
    }

    Integer extendedSequence() {
        return extendedSequence;
    }

    List<FlowHeader<?>> encapsulation() {
        return encapsulation;
    }

    /** {@return the settings, without the key} */
    @Override
    public String toString() {
        return "flags=0x%x, key=%s, replay window=%d, %d headers"
                .formatted(
                        flags,
                        keyMaterial == null ? "none" : keyMaterial.key().length * Byte.SIZE + " bits",
                        replayWindow,
                        encapsulation.size());
    }
}
