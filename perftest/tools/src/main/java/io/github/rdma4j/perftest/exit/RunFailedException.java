// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

/** The measurement itself could not be set up or broke off: a completion with an error, a peer that went away. */
public final class RunFailedException extends PerftestException {
    private final boolean peerLost;

    public RunFailedException(String message, String remedy) {
        this(message, remedy, false);
    }

    private RunFailedException(String message, String remedy, boolean peerLost) {
        super(message, remedy);
        this.peerLost = peerLost;
    }

    /** The peer has gone or does not answer. */
    public static RunFailedException ofLostPeer(String message, String remedy) {
        return new RunFailedException(message, remedy, true);
    }

    @Override
    public boolean peerLost() {
        return peerLost;
    }
}
