// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The commands that examine a machine: doctor, watch and predict.
 *
 * <p>A part of a program, not a library. docs/architecture.md draws its packages.
 */
@SuppressWarnings("module") // The other parts of the program are built later.
module io.github.rdma4j.perftest.diagnosis {
    requires io.github.rdma4j.base;
    requires transitive io.github.rdma4j.perftest.tools;
    requires jdk.httpserver;
    requires jdk.net;

    exports io.github.rdma4j.perftest.doctor to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.doctor.check to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.doctor.machine to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.doctor.nccl to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.doctor.pair to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.doctor.peer to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.predict to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.predict.machine to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.predict.model to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.predict.share to
            io.github.rdma4j.perftest;
    exports io.github.rdma4j.perftest.talk to
            io.github.rdma4j.perftest.comparison;
    exports io.github.rdma4j.perftest.watch to
            io.github.rdma4j.perftest;

    opens io.github.rdma4j.perftest.doctor to
            info.picocli;
    opens io.github.rdma4j.perftest.predict to
            info.picocli;
    opens io.github.rdma4j.perftest.watch to
            info.picocli;
}
