// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * The server refused this client by its {@link EndpointConfig#admission}. The reason is not reported, so that an
 * attacker learns nothing from it.
 *
 * @since 0.1.0
 */
public final class NotAdmittedException extends EndpointException {
    private static final long serialVersionUID = 1L;

    NotAdmittedException(String operation, String explanation, String remedy) {
        super(operation, explanation, remedy);
    }
}
