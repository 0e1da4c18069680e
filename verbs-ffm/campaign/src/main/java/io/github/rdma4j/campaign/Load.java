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
    FAILOVER,
    /** Two channels of Netty write all they can to each other. */
    NETTY,
    /** Two channels of Netty wait for what the other one says at the end. */
    NETTY_IDLE,
    /** As {@link #CONNECTING}, with channels of Netty. */
    NETTY_CONNECTING,
    /** A client of Netty posts to a server, some requests ahead, and each checks what the other one says. */
    HTTP;

    boolean isBusy() {
        return this == BUSY || this == FAILOVER;
    }

    /** {@return the name for the table} */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** {@return whether Netty's channels carry it} */
    boolean isNetty() {
        return compareTo(NETTY) >= 0;
    }
}
