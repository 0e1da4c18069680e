// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import io.github.rdma4j.perftest.exit.PerftestException;

/** Thrown when the other end has closed the connection, does not answer, or is too slow. */
public final class PeerLostException extends PerftestException {
    /** The message contains the reason. */
    public PeerLostException(String message) {
        super(
                message,
                "read what the other end printed, and check whether its machine still runs; then start both ends"
                        + " again");
    }

    @Override
    public boolean peerLost() {
        return true;
    }
}
