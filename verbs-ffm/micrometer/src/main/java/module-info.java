// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/** Counters of endpoints, servers and ports of RDMA adapters as meters of Micrometer. */
module io.github.rdma4j.micrometer {
    requires transitive io.github.rdma4j.verbs;
    requires transitive micrometer.core;

    exports io.github.rdma4j.micrometer;
}
