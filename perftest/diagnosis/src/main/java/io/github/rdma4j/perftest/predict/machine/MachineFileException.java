// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import io.github.rdma4j.perftest.exit.PerftestException;

/** Thrown when a file with a machine's description or measurements cannot be used. */
public final class MachineFileException extends PerftestException {
    MachineFileException(String message, String remedy) {
        super(message, remedy);
    }
}
