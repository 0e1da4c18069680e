// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.exit.PerftestException;

/** A results document cannot be used. */
final class ReportException extends PerftestException {
    /**
     * @param message the file, the position in it, and the error
     * @param remedy what the user can do about it, or an empty string
     */
    ReportException(String message, String remedy) {
        super(message, remedy);
    }
}
