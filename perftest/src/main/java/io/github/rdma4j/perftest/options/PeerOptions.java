// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.time.Duration;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Who the other side is, how it is reached, and how long it is waited for. */
public final class PeerOptions {
    @Parameters(
            arity = "0..1",
            paramLabel = "<host>",
            hidden = true,
            description = "Name or address of the server; without it, be the server.")
    private String server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "<port>",
            description = "Listen on/connect to TCP port <port> (default 18515).")
    @Within(least = 1, most = 65535)
    private int port = 18515;

    @Option(
            names = "--timeout",
            paramLabel = "<seconds>",
            description =
                    "rdma4j: longest wait for the peer at each step (default 30; a server waits for its client without"
                            + " limit).")
    @Within(least = 1, most = 86_400)
    private Integer timeout;

    @Option(
            names = "--run-timeout",
            paramLabel = "<seconds>",
            description = "rdma4j: longest wait of a side that only receives for the end of a run with -n"
                    + " (default 3600, 0 for ever).")
    @Within(least = 0, most = 1_000_000)
    private int runTimeout = 3600;

    /** Name or address of the server; null for the server itself. */
    public String server() {
        return server;
    }

    /** TCP port of the control channel. */
    public int port() {
        return port;
    }

    /** Longest wait for the peer at each step. */
    public Duration timeout() {
        return Duration.ofSeconds(timeout != null ? timeout : 30);
    }

    /**
     * Longest wait for the first messages of a peer that warms up between them: a minute more than elsewhere, unless a
     * time was given.
     */
    public Duration preparationTimeout() {
        return timeout != null ? timeout() : timeout().plusSeconds(60);
    }

    /** Longest wait of a server for its client; zero for none. */
    public Duration acceptTimeout() {
        return timeout != null ? timeout() : Duration.ZERO;
    }

    /** Longest run of one size with a number of messages, as seen by a side that only waits for it; zero for none. */
    public Duration runTimeout() {
        return Duration.ofSeconds(runTimeout);
    }
}
