// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.nio.charset.StandardCharsets;

/**
 * The protocols between two ends. Messages of each protocol begin with different bytes, so that they cannot be
 * confused.
 */
public enum Protocol {
    /** The protocol of {@code doctor --serve} and {@code --peer}. */
    DOCTOR("RDMA4JDR", "doctor", 18514),

    /** The protocol of {@code compare --serve} and {@code --peer}. */
    COMPARE("RDMA4JCM", "compare", 18516),

    /** The protocol between the hosts of {@code mesh}. */
    MESH("RDMA4JMS", "mesh", 18518);

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

    /** Returns the command that uses the protocol. */
    public String command() {
        return command;
    }

    /** Returns the default TCP port. */
    public int port() {
        return port;
    }
}
