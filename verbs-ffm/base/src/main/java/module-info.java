// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0

/** Classes that the libraries share. Nothing here is for programs. */
@SuppressWarnings("module") // These modules are built later.
module io.github.rdma4j.base {
    exports io.github.rdma4j.base to
            io.github.rdma4j.cuda,
            io.github.rdma4j.gpudirect,
            io.github.rdma4j.perftest.diagnosis,
            io.github.rdma4j.verbs;
}
