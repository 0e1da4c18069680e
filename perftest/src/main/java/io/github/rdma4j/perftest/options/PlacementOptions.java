// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import picocli.CommandLine.Option;

/** Where the measuring thread and its memory are. */
public final class PlacementOptions {
    @Option(
            names = {"-F", "--CPU-freq"},
            description =
                    "Accepted for the C tools' sake: times here come from the monotonic clock, not from CPU cycles.")
    private boolean ignoreCpuFrequency;
}
