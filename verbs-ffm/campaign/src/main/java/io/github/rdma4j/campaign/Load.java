// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.util.Locale;

/** What the two ends do meanwhile. */
enum Load {
    /** Both send messages of random sizes all the time, and write, add and read in each other's memory. */
    BUSY,
    /** They wait for what the other one says at the end. */
    IDLE,
    /** They connect, say a word and close, again and again. */
    CONNECTING,
    /** As {@link #BUSY}, between endpoints that move to TCP and back. */
    FAILOVER;

    boolean isBusy() {
        return this == BUSY || this == FAILOVER;
    }

    /** {@return the name for the table} */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
