// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/** Received data differs from the data that was sent. */
final class Wrong extends RuntimeException {
    private static final long serialVersionUID = 1;

    Wrong(String message) {
        super(message);
    }
}
