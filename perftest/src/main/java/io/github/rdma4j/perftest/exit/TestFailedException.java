// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

/** The measurement itself could not be set up or broke off: a completion with an error, a peer that went away. */
public final class TestFailedException extends PerftestException {
    private final boolean peerLost;

    public TestFailedException(String message, String remedy) {
        this(message, remedy, false);
    }

    private TestFailedException(String message, String remedy, boolean peerLost) {
        super(message, remedy);
        this.peerLost = peerLost;
    }

    /** The peer is gone or silent. */
    public static TestFailedException ofLostPeer(String message, String remedy) {
        return new TestFailedException(message, remedy, true);
    }

    @Override
    public boolean peerLost() {
        return peerLost;
    }
}
