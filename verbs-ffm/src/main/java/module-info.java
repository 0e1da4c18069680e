// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * RDMA verbs for Java: libibverbs through the Foreign Function and Memory API.
 *
 * <p>Needs the run-time libraries of rdma-core and native access
 * ({@code --enable-native-access=io.github.rdma4j.verbs}).
 */
module io.github.rdma4j.verbs {
    requires io.github.rdma4j.base;
    requires jdk.jfr;

    exports io.github.rdma4j.verbs;
    exports io.github.rdma4j.verbs.device;
    exports io.github.rdma4j.verbs.flow;
    exports io.github.rdma4j.verbs.pool;
    exports io.github.rdma4j.verbs.cm;
    exports io.github.rdma4j.verbs.endpoint;
}
