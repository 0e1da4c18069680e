// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.nio.charset.StandardCharsets;

/** What two ends talk about. Each has its own first bytes, so that one cannot be taken for another. */
public enum Protocol {
    /** Of {@code doctor --serve} and {@code --peer}. */
    DOCTOR("RDMA4JDR", "doctor", 18514),

    /** Of {@code compare --serve} and {@code --peer}. */
    COMPARE("RDMA4JCM", "compare", 18516);

    private final byte[] magic;
    private final String command;
    private final int port;

    Protocol(String magic, String command, int port) {
        this.magic = magic.getBytes(StandardCharsets.US_ASCII);
        this.command = command;
        this.port = port;
    }

    /** The first bytes of each message. */
    byte[] magic() {
        return magic;
    }

    /** The command whose ends speak it. */
    public String command() {
        return command;
    }

    /** The TCP port at which it is served unless another one is given. */
    public int port() {
        return port;
    }
}
