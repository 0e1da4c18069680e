// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The two sides are incompatible: the peer speaks another protocol or another version of this one, or only one side
 * uses {@link EndpointConfig#integrity checksums} or {@linkplain Transport#RDMA_WITH_FAILOVER failover}. A retry helps
 * only after one of them has been restarted, so a {@link Reconnector} does not retry.
 *
 * @since 0.1.0
 */
public final class IncompatiblePeerException extends EndpointException {
    private static final long serialVersionUID = 1L;

    IncompatiblePeerException(String operation, String explanation, String remedy) {
        super(operation, explanation, remedy);
    }
}
