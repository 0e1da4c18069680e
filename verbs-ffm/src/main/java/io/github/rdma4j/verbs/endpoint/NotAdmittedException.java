// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The server has not let this client in: its {@link EndpointConfig#admission} has said no. It does not say why, so that
 * nobody learns from it.
 *
 * @since 0.1.0
 */
public final class NotAdmittedException extends EndpointException {
    private static final long serialVersionUID = 1L;

    NotAdmittedException(String operation, String explanation, String remedy) {
        super(operation, explanation, remedy);
    }
}
