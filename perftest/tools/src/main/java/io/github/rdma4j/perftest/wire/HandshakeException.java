// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.perftest.exit.PerftestException;

/**
 * Thrown when the exchange with the other side fails: no server, silence, garbage, another version, or a closed
 * connection.
 */
public final class HandshakeException extends PerftestException {
    private final boolean peerLost;

    HandshakeException(String message, String remedy) {
        this(message, remedy, null);
    }

    HandshakeException(String message, String remedy, Throwable cause) {
        this(message, remedy, cause, false);
    }

    private HandshakeException(String message, String remedy, Throwable cause, boolean peerLost) {
        super(message, remedy, cause);
        this.peerLost = peerLost;
    }

    /** The peer was connected, and has gone or does not answer. */
    static HandshakeException ofLostPeer(String message, String remedy, Throwable cause) {
        return new HandshakeException(message, remedy, cause, true);
    }

    @Override
    public boolean peerLost() {
        return peerLost;
    }
}
