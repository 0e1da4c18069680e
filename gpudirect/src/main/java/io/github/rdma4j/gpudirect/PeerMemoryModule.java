// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The kernel module that lets plain registration accept device memory, in its several forms. */
final class PeerMemoryModule {
    /**
     * The first two files list the modules that are registered with ib_core; the others belong to the modules
     * themselves.
     */
    static final List<String> FILES = List.of(
            "sys/kernel/mm/memory_peers/nv_mem/version",
            "sys/kernel/mm/memory_peers/nv_mem_nc/version",
            "sys/module/nvidia_peermem/version",
            "sys/module/nv_peer_mem/version");

    private PeerMemoryModule() {}

    /** Returns the file that shows a loaded module. */
    static Optional<Path> find(Path root) {
        return FILES.stream().map(root::resolve).filter(Files::exists).findFirst();
    }
}
