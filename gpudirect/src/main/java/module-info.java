// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * GPU memory over RDMA: device memory that is registered with the adapter, over the best path that the machine offers.
 */
@SuppressWarnings("module") // The diagnosis is built later.
module io.github.rdma4j.gpudirect {
    requires io.github.rdma4j.base;
    requires transitive io.github.rdma4j.cuda;
    requires transitive io.github.rdma4j.verbs;

    exports io.github.rdma4j.gpudirect;
    exports io.github.rdma4j.gpudirect.internal to
            io.github.rdma4j.perftest.diagnosis;
    exports io.github.rdma4j.gpudirect.nccl;
    exports io.github.rdma4j.gpudirect.storage;
    exports io.github.rdma4j.gpudirect.topology;
}
