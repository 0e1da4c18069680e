// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/** Why a server refuses a client, as sent to the client. The order is part of the protocol. */
public enum Refusal {
    /** The client has not said what an endpoint of this version says. */
    ANOTHER_PROTOCOL(
            "the server did not understand this side's handshake",
            "use versions of rdma4j that speak the same protocol, on this port"),
    /** The server has sums, and the client has not. */
    SUMS_WANTED(
            "the server puts a sum behind each message, and this side does not (EndpointConfig.integrity)",
            "set integrity(true) on both sides, or on neither"),
    /** The other way round. */
    SUMS_UNWANTED(
            "this side puts a sum behind each message, and the server does not (EndpointConfig.integrity)",
            "set integrity(true) on both sides, or on neither"),
    /** The server's admission has said no. */
    NOT_ADMITTED(
            "the server does not let this client in (EndpointConfig.admission): it has sent no token, or a"
                    + " wrong one, or its address is not allowed",
            "give the token that the server's operator has given to you (EndpointConfig.token)"),
    /** The server takes SRD alone, and the client has none. */
    DATAGRAMS_WANTED(
            "the server accepts clients over SRD of an EFA alone, and this side has none or does not use it",
            "run this program on an instance with an EFA, with Transport.RDMA or RDMA_OR_TCP; or give the server"
                    + " RDMA_OR_TCP"),
    /** The other way round. */
    DATAGRAMS_UNWANTED(
            "this side connects over SRD of its EFA alone (Transport.RDMA), and the server has none or does not use it",
            "run the server on an instance with an EFA, with Transport.RDMA or RDMA_OR_TCP; or connect with"
                    + " RDMA_OR_TCP");

    private final String explanation;
    private final String remedy;

    Refusal(String explanation, String remedy) {
        this.explanation = explanation;
        this.remedy = remedy;
    }

    /** What the client reads. */
    public String explanation() {
        return explanation;
    }

    public String remedy() {
        return remedy;
    }
}
