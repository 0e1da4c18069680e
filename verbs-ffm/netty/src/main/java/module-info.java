// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * A transport for Netty over RDMA.
 *
 * <p>Needs the run-time libraries of rdma-core and native access
 * ({@code --enable-native-access=io.github.rdma4j.verbs}).
 */
@SuppressWarnings("module") // The module that uses our internal package is built later.
module io.github.rdma4j.netty {
    requires transitive io.github.rdma4j.verbs;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive io.netty.transport;

    exports io.github.rdma4j.netty;
    exports io.github.rdma4j.netty.internal to
            io.github.rdma4j.valkey;
}
