// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.bindings.rdma_addr;
import io.github.rdma4j.verbs.bindings.rdma_cm_id;
import io.github.rdma4j.verbs.bindings.rdma_ib_addr;
import io.github.rdma4j.verbs.bindings.rdma_route;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.internal.SocketAddresses;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The addresses within {@code struct rdma_cm_id}: rdma_get_local_addr(3) and rdma_get_peer_addr(3), which are inline
 * functions.
 */
final class IdAddresses {
    private IdAddresses() {}

    private static MemorySegment address(MemorySegment id) {
        return rdma_route.addr(rdma_cm_id.route(id));
    }

    static Optional<InetSocketAddress> local(MemorySegment id) {
        return SocketAddresses.read(rdma_addr.src_storage(address(id)));
    }

    static Optional<InetSocketAddress> peer(MemorySegment id) {
        return SocketAddresses.read(rdma_addr.dst_storage(address(id)));
    }

    static Gid localGid(MemorySegment id) {
        return gid(rdma_ib_addr.sgid(rdma_addr.addr.ibaddr(rdma_addr.addr(address(id)))));
    }

    static Gid peerGid(MemorySegment id) {
        return gid(rdma_ib_addr.dgid(rdma_addr.addr.ibaddr(rdma_addr.addr(address(id)))));
    }

    private static Gid gid(MemorySegment gid) {
        return Gid.of(gid.toArray(ValueLayout.JAVA_BYTE));
    }

    static String describe(MemorySegment id) {
        return local(id).map(address -> " from " + address).orElse("")
                + peer(id).map(address -> " to " + address).orElse("");
    }
}
