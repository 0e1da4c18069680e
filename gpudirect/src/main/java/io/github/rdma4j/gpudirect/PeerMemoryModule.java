// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The kernel module by which plain registration knows device memory, in its several forms. */
final class PeerMemoryModule {
    /** The first two are ib_core's list of those that have signed on, the others the modules themselves. */
    static final List<String> FILES = List.of(
            "sys/kernel/mm/memory_peers/nv_mem/version",
            "sys/kernel/mm/memory_peers/nv_mem_nc/version",
            "sys/module/nvidia_peermem/version",
            "sys/module/nv_peer_mem/version");

    private PeerMemoryModule() {}

    /** The file that shows it. */
    static Optional<Path> find(Path root) {
        return FILES.stream().map(root::resolve).filter(Files::exists).findFirst();
    }
}
