// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.wire.MeetingPoint;
import java.time.Duration;

/** Options about the other side: its address, the connection to it, and the timeouts. */
public final class PeerOptions {
    private String server;
    private int port;
    private boolean controlOverRdma;
    private boolean rdmaCm;
    private Integer typeOfService;
    private Integer retryCount;
    private String source;
    private boolean ipv6;
    private Integer timeout;
    private int runTimeout;
    private int waitAtEnd;

    void declare(OptionList options) {
        options.argument(
                "<host>", "Name or address of the server; without it, be the server.", value -> server = value);
        options.number("-p", "--port")
                .label("<port>")
                .within(1, 65535)
                .description("Listen on/connect to TCP port <port> (default 18515).")
                .initially(18515)
                .into(value -> port = value);
        options.flag("-z", "--com_rdma_cm", "--comm_rdma_cm")
                .description("Communicate with rdma_cm module to exchange data - use regular QPs.")
                .into(value -> controlOverRdma = value);
        options.flag("-R", "--rdma_cm")
                .description("Connect QPs with rdma_cm and run test on those QPs.")
                .into(value -> rdmaCm = value);
        options.number("-T", "--tos")
                .label("<tos>")
                .within(0, 255)
                .description("With -R, set the type of service of the QPs' packets (client; default the system's).")
                .into(value -> typeOfService = value);
        options.number("--retry_count")
                .label("<value>")
                .within(0, 7)
                .description("With -R, number of retries without an acknowledgement (default 7).")
                .into(value -> retryCount = value);
        options.value(String.class, "--bind_source_ip", "--source_ip")
                .label("<address>")
                .description("Connect from this local address, or listen on it (default any).")
                .into(value -> source = value);
        options.flag("--ipv6-addr")
                .description("Use IPv6 to reach the peer (default IPv4, and IPv6 if there is none).")
                .into(value -> ipv6 = value);
        options.number("--timeout")
                .label("<seconds>")
                .within(1, 86_400)
                .description("rdma4j: how long to wait for the peer at each step (default 30; a server waits for its"
                        + " client without limit).")
                .into(value -> timeout = value);
        options.number("--run-timeout")
                .label("<seconds>")
                .within(0, 1_000_000)
                .description("rdma4j: how long a side that only receives waits for a run with -n to end (default"
                        + " 3600; 0: no limit).")
                .initially(3600)
                .into(value -> runTimeout = value);
        options.number("--wait_destroy")
                .label("<seconds>")
                .within(0, 86_400)
                .description("Wait this long at the end, before the resources are released (default 0).")
                .initially(0)
                .into(value -> waitAtEnd = value);
    }

    /** Returns how long to wait before resources are released. */
    public Duration waitAtEnd() {
        return Duration.ofSeconds(waitAtEnd);
    }

    /** Name or address of the server; null for the server itself. */
    public String server() {
        return server;
    }

    /** TCP port of the control channel. */
    public int port() {
        return port;
    }

    /** Returns where the two sides connect: the server's address, and the path to it. */
    public MeetingPoint meetingPoint() {
        return new MeetingPoint(server, port, source, ipv6, controlOverRdma || rdmaCm);
    }

    /** Returns whether the queue pairs of the test are connected by rdma_cm. */
    public boolean rdmaCm() {
        return rdmaCm;
    }

    /** Type of service of the packets of queue pairs that rdma_cm connects, 0 to 255; -1 for the system's. */
    public int typeOfService() {
        return typeOfService != null ? typeOfService : -1;
    }

    /**
     * Returns how often a queue pair that rdma_cm connects retries without an acknowledgement, and with a receiver that
     * is not ready.
     */
    public int retryCount() {
        return retryCount != null ? retryCount : 7;
    }

    /** Longest wait for the peer at each step. */
    public Duration timeout() {
        return Duration.ofSeconds(timeout != null ? timeout : 30);
    }

    /**
     * Returns the longest wait for the first messages of a peer that warms up between them: a minute more than for
     * others, unless a time was given.
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

    void check(PathOptions path, ConnectionType connection, boolean reversed, Adjustments adjustments) {
        IllegalParameterException.when(
                typeOfService != null && !rdmaCm,
                "-T/--tos: only rdma_cm sets a type of service; also give -R/--rdma_cm");
        if (adjustments.when(
                retryCount != null && !rdmaCm,
                "--retry_count has no effect without -R/--rdma_cm, which sends it to the peer: queue pairs retry 7"
                        + " times")) {
            retryCount = null;
        }
        IllegalParameterException.when(
                rdmaCm && connection == ConnectionType.SRD,
                "-R/--rdma_cm: SRD does not support rdma_cm, as in C; leave it out");
        IllegalParameterException.when(
                rdmaCm && connection != ConnectionType.RC && connection != ConnectionType.UD,
                () -> "-c/--connection: rdma_cm (-R) connects RC and UD; leave -R out for " + connection
                        + ", or give -z/--com_rdma_cm, which is for all");
        IllegalParameterException.when(
                rdmaCm && reversed && connection == ConnectionType.UD,
                "--reversed: rdma_cm (-R) sends the client the server's datagram queue pair, and not the"
                        + " other way");
        if (rdmaCm) {
            path.ignoreForRdmaCm(adjustments);
        }
    }
}
