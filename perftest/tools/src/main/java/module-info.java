// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The perftest tools in Java, ib_write_lat to ib_atomic_bw, wire-compatible with the C ones, and the tools for GPUs.
 *
 * <p>A part of a program, not a library. docs/architecture.md draws its packages.
 */
@SuppressWarnings("module") // The other parts of the program are built later.
module io.github.rdma4j.perftest.tools {
    requires transitive com.fasterxml.jackson.core;
    requires transitive HdrHistogram;
    requires transitive info.picocli;
    requires transitive io.github.rdma4j.gpudirect;
    requires java.management;
    requires jdk.net;
    // For O_DIRECT of files.
    requires jdk.unsupported;

    exports io.github.rdma4j.perftest.allreduce to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.allreduce.choice to
            io.github.rdma4j.perftest,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.command to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.document to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.environment to
            io.github.rdma4j.perftest,
            io.github.rdma4j.perftest.comparison,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.exit to
            io.github.rdma4j.perftest,
            io.github.rdma4j.perftest.comparison,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.figures to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.findings to
            io.github.rdma4j.perftest.comparison,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.gds to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.options to
            io.github.rdma4j.perftest,
            io.github.rdma4j.perftest.comparison,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.ordered to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.placement to
            io.github.rdma4j.perftest.comparison,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.print to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.result to
            io.github.rdma4j.perftest,
            io.github.rdma4j.perftest.comparison,
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.perftest.run to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.wire to
            io.github.rdma4j.perftest.comparison;

    opens io.github.rdma4j.perftest.allreduce to
            info.picocli;
    opens io.github.rdma4j.perftest.findings to
            info.picocli;
    opens io.github.rdma4j.perftest.gds to
            info.picocli;
    opens io.github.rdma4j.perftest.ordered to
            info.picocli;
}
