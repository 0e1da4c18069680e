// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import static io.github.rdma4j.verbs.endpoint.Transport.RDMA;
import static io.github.rdma4j.verbs.endpoint.Transport.RDMA_WITH_FAILOVER;

import java.util.Arrays;
import java.util.List;

/** The transport of the messages. */
public enum Transport {
    /** Endpoints of verbs-ffm over RDMA. */
    ENDPOINT("endpoint", "rdma", "RDMA", RDMA),

    /** Endpoints over RDMA, with a sum of each message. */
    ENDPOINT_SUMS("endpoint-sums", "sums", "RDMA+sums", RDMA),

    /** Endpoints over RDMA that fail over to TCP. */
    ENDPOINT_FAILOVER("endpoint-failover", "failover", "failover", RDMA_WITH_FAILOVER),

    /** Endpoints over TCP. */
    ENDPOINT_TCP("endpoint-tcp", "tcp", "TCP", io.github.rdma4j.verbs.endpoint.Transport.TCP),

    /** TCP through java.nio, without endpoints: what all others are compared with. */
    TCP("tcp-java", "", "plain TCP", null);

    private final String key;
    private final String option;
    private final String title;
    private final io.github.rdma4j.verbs.endpoint.Transport ofEndpoints;

    Transport(String key, String option, String title, io.github.rdma4j.verbs.endpoint.Transport ofEndpoints) {
        this.key = key;
        this.option = option;
        this.title = title;
        this.ofEndpoints = ofEndpoints;
    }

    /** Returns the transports of endpoints. */
    public static List<Transport> endpoints() {
        return Arrays.stream(values()).filter(Transport::isOfEndpoints).toList();
    }

    /** Returns the name in results documents. */
    public String key() {
        return key;
    }

    /** Returns the name on the command line; empty if it cannot be chosen. */
    public String option() {
        return option;
    }

    /** Returns the name for people, at most ten characters long. */
    public String title() {
        return title;
    }

    /** Returns whether endpoints exchange the messages. */
    public boolean isOfEndpoints() {
        return ofEndpoints != null;
    }

    /** Returns the transport that the endpoint is configured with; null for plain TCP. */
    io.github.rdma4j.verbs.endpoint.Transport ofEndpoints() {
        return ofEndpoints;
    }
}
