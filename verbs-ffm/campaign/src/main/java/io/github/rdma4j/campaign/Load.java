// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.util.Locale;

/** What the two ends do during the fault. */
enum Load {
    /** Both send messages of random sizes all the time, and write, add and read in each other's memory. */
    BUSY,
    /** They wait for each other's final message. */
    IDLE,
    /** They connect, send a word and close, repeatedly. */
    CONNECTING,
    /** As {@link #BUSY}, between endpoints that move to TCP and back. */
    FAILOVER,
    /** As {@link #IDLE}, between endpoints that can move to TCP. */
    FAILOVER_IDLE,
    /** Two channels of Netty write all they can to each other. */
    NETTY,
    /** Two channels of Netty wait for each other's final message. */
    NETTY_IDLE,
    /** As {@link #CONNECTING}, with channels of Netty. */
    NETTY_CONNECTING,
    /** A client of Netty posts to a server, some requests ahead, and each checks the other's data. */
    HTTP,
    /** Connected queue pairs without endpoints: messages, writes, additions and reads. */
    PAIRS,
    /** As {@link #PAIRS}, with requests by {@code ibv_wr_*}. */
    EXTENDED,
    /** Datagrams in both directions. */
    DATAGRAMS,
    /** Connections by rdma_cm without endpoints, made, refused and ended, again and again. */
    CM,
    /** {@link #CM}, after one attempt for each step, at which the wire is cut on one side, then the other. */
    CM_STEPS,
    /**
     * Processes that connect over RDMA and TCP, communicate as {@link #BUSY} and close: each is killed at some moment.
     */
    LIVES,
    /** One legitimate client while another process opens TCP connections and sends nothing. */
    HALF_OPEN_TCP,
    /** One legitimate client while another process sends requests of rdma_cm without reading the answers. */
    HALF_OPEN_RDMA,
    /** One legitimate client while another process makes and drops connections. */
    CONNECT_FLOOD,
    /** One legitimate client while another process tries transfers with guessed keys. */
    GUESSED_KEYS,
    /** A mixed load for as long as one likes. */
    SOAK,
    /** A separate process on machine 1 that has no file descriptors left. */
    FILES,
    /** As {@link #FILES}, without more memory that may be locked. */
    LOCKED,
    /** A separate process on machine 1 whose threads are interrupted while they wait. */
    INTERRUPTED,
    /** A separate process on machine 1 whose threads wait for objects that another thread closes. */
    CLOSED;

    boolean isBusy() {
        return this == BUSY || this == FAILOVER || this == LIVES;
    }

    /** {@return whether its endpoints move between RDMA and TCP} */
    boolean moves() {
        return this == FAILOVER || this == FAILOVER_IDLE;
    }

    /**
     * {@return the load that a process runs first, without a fault, so that its classes are loaded and its files open}
     */
    Load warmUp() {
        return switch (this) {
            case IDLE -> BUSY;
            case FAILOVER_IDLE -> FAILOVER;
            case NETTY_IDLE -> NETTY;
            default -> this;
        };
    }

    /** {@return whether the processes of the campaign itself run it, and not only new ones} */
    boolean needsWarmUp() {
        return !isAlone() && !isMalice() && this != SOAK && this != LIVES;
    }

    /** {@return the name for the table} */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** {@return whether Netty's channels carry it} */
    boolean isNetty() {
        return compareTo(NETTY) >= 0 && compareTo(HTTP) <= 0;
    }

    /** {@return whether queue pairs without endpoints and without rdma_cm carry it} */
    boolean isRaw() {
        return this == PAIRS || this == EXTENDED || this == DATAGRAMS;
    }

    /** {@return whether it runs on any machine that has an adapter} */
    boolean needsNoRight() {
        return compareTo(HTTP) <= 0;
    }

    /** {@return whether the load includes an attack} */
    boolean isMalice() {
        return compareTo(HALF_OPEN_TCP) >= 0 && compareTo(SOAK) < 0;
    }

    /** {@return whether a single process of machine 1 runs it} */
    boolean isAlone() {
        return compareTo(FILES) >= 0;
    }

    /** {@return whether it is about connections of rdma_cm, without endpoints} */
    boolean isCm() {
        return this == CM || this == CM_STEPS;
    }
}
