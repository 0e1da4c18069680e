// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import picocli.CommandLine.Option;

/** The memory that messages come from and go to. */
public final class MemoryOptions {
    @Option(
            names = "--disable_pcie_relaxed",
            description = "Register the buffer without relaxed ordering (the latency tools never ask for it).")
    private boolean strictOrdering;

    /** Whether the adapter may reorder its writes to memory; only where no program waits for the last byte. */
    boolean relaxedOrdering() {
        return !strictOrdering;
    }
}
