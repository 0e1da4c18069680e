// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

/** How a test ended. The results until then are kept in each case. */
public enum RunState {
    /** The test is complete. */
    COMPLETE("complete"),

    /** The user ended this side with Ctrl-C or a signal. */
    INTERRUPTED("interrupted"),

    /** The other side has closed its connection, or fell silent. */
    PEER_LOST("peer lost"),

    /** Another failure. */
    FAILED("failed");

    private final String key;

    RunState(String key) {
        this.key = key;
    }

    /** Returns the name in results documents. */
    public String key() {
        return key;
    }
}
