// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.PerftestException;

/** The measurement itself could not be set up or broke off: a completion with an error, a peer that went away. */
public final class TestFailedException extends PerftestException {
    TestFailedException(String message, String remedy) {
        super(message, remedy);
    }
}
