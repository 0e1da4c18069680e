// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that compare measurements and draw them: compare, mesh and report.
 *
 * <p>A part of a program, not a library. docs/architecture.md draws its packages.
 */
@SuppressWarnings("module") // The program is built later.
module io.github.rdma4j.perftest.comparison {
    requires com.samskivert.jmustache;
    requires transitive io.github.rdma4j.perftest.diagnosis;

    exports io.github.rdma4j.perftest.compare to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.mesh to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.page to
            io.github.rdma4j.perftest;

    opens io.github.rdma4j.perftest.compare.plan to
            info.picocli;
    opens io.github.rdma4j.perftest.mesh to
            info.picocli;
    opens io.github.rdma4j.perftest.page to
            info.picocli;
}
