// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The two sides cannot understand each other: the peer speaks another protocol, or another version of this one, or one
 * side has {@link EndpointConfig#integrity sums} or {@linkplain Transport#RDMA_WITH_FAILOVER failover} and the other
 * has not. To try again helps only once one of them is started anew, so a {@link Reconnector} does not.
 *
 * @since 0.1.0
 */
public final class IncompatiblePeerException extends EndpointException {
    private static final long serialVersionUID = 1L;

    IncompatiblePeerException(String operation, String explanation, String remedy) {
        super(operation, explanation, remedy);
    }
}
