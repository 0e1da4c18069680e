// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.perftest.PerftestException;

/** The exchange with the other side over TCP failed: nobody there, silence, garbage, another version, a closed line. */
public final class HandshakeException extends PerftestException {
    HandshakeException(String message, String remedy) {
        super(message, remedy);
    }

    HandshakeException(String message, String remedy, Throwable cause) {
        super(message, remedy, cause);
    }
}
