// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import io.github.rdma4j.verbs.internal.events.CorruptMessageEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;

/**
 * The protocol of an endpoint whose messages have checksums (EndpointConfig.integrity). As long as this class is not
 * loaded, {@link Protocol} has no subclass, and its calls are direct.
 */
public final class SummedProtocol extends Protocol {
    private final Checksum sums = new Checksum();

    /**
     * Creates the state after the handshake.
     *
     * @param bufferSize the length of this side's receive buffers with a checksum, in bytes
     * @param maxMessage the longest message to send, in bytes, without its sum
     */
    public SummedProtocol(
            String name,
            Wire wire,
            Credits credits,
            int sendDepth,
            int bufferSize,
            int maxMessage,
            Silence silence,
            EndExceptions exceptions) {
        super(name, wire, credits, sendDepth, bufferSize, maxMessage, silence, exceptions);
    }

    /** Called in the order of the posts, in which the messages arrive. */
    @Override
    void seal(int slot, long length) {
        sums.seal(wire.view(slot), (int) length);
    }

    @Override
    boolean isIntact(int buffer, long length) {
        int bytes = (int) length - Checksum.BYTES;
        if (bytes < 0) {
            violated("a message without a sum");
            return false;
        }
        boolean intact = sums.isIntact(wire.arrived(buffer), bytes);
        if (!intact) {
            corrupted(bytes);
        }
        return intact;
    }

    /** Drops a corrupted message and everything behind it, also if the connection was lost already. */
    private void corrupted(long length) {
        if (Recorder.isThere()) {
            CorruptMessageEvent.found(name, sums.next(), length, sums.declared(), sums.found());
        }
        Loss corrupt = Loss.ofCorruption(name, new Loss.Corruption(sums.next(), length, sums.declared(), sums.found()));
        if (state == State.LOST) {
            lost = corrupt;
        } else {
            lose(corrupt);
        }
    }

    @Override
    int behind() {
        return Checksum.BYTES;
    }

    @Override
    public Checksum sums() {
        return sums;
    }
}
