// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.tcp;

import io.github.rdma4j.perftest.exit.PerftestException;

/** Thrown when a run over plain TCP fails: no connection, a peer that has gone, or a timeout. */
public final class TcpException extends PerftestException {
    TcpException(String message, String remedy, Throwable cause) {
        super(message, remedy, cause);
    }
}
