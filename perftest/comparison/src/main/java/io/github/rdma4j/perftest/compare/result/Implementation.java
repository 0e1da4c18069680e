// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import java.util.List;

/** The compared implementations: a program and its transport. */
public enum Implementation {
    /** This project's tools. */
    JAVA("Java", "java", false),

    /** The C perftest package's. */
    C("C", "c", false),

    /** This project's test over plain TCP. */
    TCP_JAVA("TCP Java", "tcp-java", true),

    /** Packaged C programs over plain TCP: sockperf and iperf3. */
    TCP_C("TCP C", "tcp-c", true);

    private final String title;
    private final String key;
    private final boolean tcp;

    Implementation(String title, String key, boolean tcp) {
        this.title = title;
        this.key = key;
        this.tcp = tcp;
    }

    /** Returns the printed name. */
    public String title() {
        return title;
    }

    /** Returns the key in JSON. */
    public String key() {
        return key;
    }

    /** Returns whether it is over plain TCP, not RDMA. */
    public boolean isTcp() {
        return tcp;
    }

    /**
     * Returns the order in a round, counted from 1. The second program finds warmer caches, so Java and C take turns.
     */
    public static List<Implementation> turns(int round) {
        return round % 2 == 1 ? List.of(JAVA, C, TCP_JAVA, TCP_C) : List.of(C, JAVA, TCP_C, TCP_JAVA);
    }
}
