// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.DmaBuf;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.device.DataDirectSupport;

/** The calls of the adapter on the direct paths; an interface, so that tests can simulate an adapter. */
interface Registrar {
    /** Whether the adapter can register dma-bufs. */
    boolean supportsDmaBuf();

    /** Registers the exported part of a dma-buf, under the given address. */
    MemoryRegion dmaBuf(DmaBuf exported, long address, AccessFlag... access);

    /** Whether the adapter has a Data Direct engine, or why not. */
    DataDirectSupport dataDirect();

    /** Registers the exported part of a dma-buf with the Data Direct engine, under the given address. */
    MemoryRegion dmaBufByDataDirect(DmaBuf exported, long address, AccessFlag... access);

    /** Registers addresses that a peer-memory module supports. */
    MemoryRegion addresses(long first, long length, AccessFlag... access);

    /** Returns the registrar of a protection domain. */
    static Registrar of(ProtectionDomain domain) {
        return new Registrar() {
            @Override
            public boolean supportsDmaBuf() {
                return domain.supportsDmaBuf();
            }

            @Override
            public MemoryRegion dmaBuf(DmaBuf exported, long address, AccessFlag... access) {
                // The offset into the dma-buf equals the offset into the page, so the adapter accepts the device
                // address.
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
