// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The perftest tools in Java, ib_write_lat to ib_atomic_bw, wire-compatible with the C ones.
 *
 * <p>An application, not a library. docs/architecture.md draws its packages.
 */
module io.github.rdma4j.perftest {
    requires com.fasterxml.jackson.core;
    requires com.samskivert.jmustache;
    requires HdrHistogram;
    requires info.picocli;
    requires io.github.rdma4j.base;
    requires io.github.rdma4j.cuda;
    requires io.github.rdma4j.gpudirect;
    requires io.github.rdma4j.verbs;
    requires java.management;
    requires jdk.httpserver;
    requires jdk.net;
    // For O_DIRECT of files.
    requires jdk.unsupported;

    opens io.github.rdma4j.perftest.allreduce to
            info.picocli;
    opens io.github.rdma4j.perftest.compare.plan to
            info.picocli;
    opens io.github.rdma4j.perftest.doctor to
            info.picocli;
    opens io.github.rdma4j.perftest.findings to
            info.picocli;
    opens io.github.rdma4j.perftest.gds to
            info.picocli;
    opens io.github.rdma4j.perftest.ordered to
            info.picocli;
    opens io.github.rdma4j.perftest.page to
            info.picocli;
    opens io.github.rdma4j.perftest.predict to
            info.picocli;
    opens io.github.rdma4j.perftest.watch to
            info.picocli;
}
