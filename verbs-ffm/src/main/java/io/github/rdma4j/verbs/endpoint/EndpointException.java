// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.VerbsException;

/**
 * A failure of a connection between two endpoints; the subclasses distinguish them.
 *
 * @since 0.1.0
 */
public class EndpointException extends VerbsException {
    private static final long serialVersionUID = 1L;

    EndpointException(String operation, String explanation, String remedy) {
        super(operation, 0, explanation, remedy);
    }
}
