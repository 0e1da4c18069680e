// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DmaBuf;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.device.DataDirectSupport;

/** The adapter's part in the direct paths; an interface, so that tests can have an adapter that the machine lacks. */
interface Registrar {
    /** Whether it can register dma-bufs. */
    boolean supportsDmaBuf();

    /** Registers the part that a dma-buf was exported for, under the given address. */
    MemoryRegion dmaBuf(DmaBuf exported, long address, AccessFlag... access);

    /** Whether it has a Data Direct engine, or why not. */
    DataDirectSupport dataDirect();

    /** As {@link #dmaBuf}, by the Data Direct engine. */
    MemoryRegion dmaBufByDataDirect(DmaBuf exported, long address, AccessFlag... access);

    /** Registers addresses that a peer-memory module knows. */
    MemoryRegion addresses(long first, long length, AccessFlag... access);

    /** The registrar of a protection domain. */
    static Registrar of(ProtectionDomain domain) {
        return new Registrar() {
            @Override
            public boolean supportsDmaBuf() {
                return domain.supportsDmaBuf();
            }

            @Override
            public MemoryRegion dmaBuf(DmaBuf exported, long address, AccessFlag... access) {
                // The offset into the dma-buf is that into the page, so the address is one that the adapter can be
                // given.
                return domain.registerMemory(
                        config -> config.dmaBuf(exported.fileDescriptor(), exported.offset(), exported.length())
                                .iova(address)
                                .access(access));
            }

            @Override
            public DataDirectSupport dataDirect() {
                return domain.dataDirect();
            }

            @Override
            public MemoryRegion dmaBufByDataDirect(DmaBuf exported, long address, AccessFlag... access) {
                return domain.registerMemory(
                        config -> config.dmaBuf(exported.fileDescriptor(), exported.offset(), exported.length())
                                .iova(address)
                                .dataDirect()
                                .access(access));
            }

            @Override
            public MemoryRegion addresses(long first, long length, AccessFlag... access) {
                return domain.registerMemory(
                        config -> config.address(first, length).access(access));
            }
        };
    }
}
