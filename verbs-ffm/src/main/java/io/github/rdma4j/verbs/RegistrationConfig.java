// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Settings of {@link ProtectionDomain#registerMemory(java.util.function.Consumer)}: the memory, which is host memory,
 * addresses that only the kernel can resolve, or a part of a dma-buf, and how the adapter accesses it. Each setter
 * returns this object. Thread safety: for one thread.
 *
 * @since 0.1.0
 */
public final class RegistrationConfig {
    private MemorySegment segment;
    private boolean dmaBuf;
    private boolean addressOnly;
    private long address;
    private int fileDescriptor;
    private long offset;
    private long length;
    private boolean iovaGiven;
    private long iova;
    private DmaHandle dmaHandle;
    private boolean dataDirect;
    private int access;

    RegistrationConfig() {}

    /**
     * Sets host memory. Exactly one of this method, {@link #address} and {@link #dmaBuf} must be called.
     *
     * @param memory native memory, not empty
     * @return this
     */
    public RegistrationConfig segment(MemorySegment memory) {
        segment = Objects.requireNonNull(memory, "memory");
        dmaBuf = false;
        addressOnly = false;
        return this;
    }

    /**
     * Sets addresses that this process may not be able to dereference, such as GPU memory whose pages a peer-memory
     * module of the kernel finds. The region has no segment. Exactly one of this method, {@link #segment} and
     * {@link #dmaBuf} must be called.
     *
     * @param first the address of the first byte
     * @param size in bytes, 1 or more
     * @return this
     */
    public RegistrationConfig address(long first, long size) {
        segment = null;
        dmaBuf = false;
        addressOnly = true;
        address = first;
        length = size;
        return this;
    }

    /**
     * Sets a part of a dma-buf, which is memory of another device. Exactly one of this method, {@link #segment} and
     * {@link #address} must be called.
     *
     * @param fd the dma-buf's file descriptor; it may be closed once the memory is registered
     * @param from the first byte, from the start of the dma-buf
     * @param size in bytes
     * @return this
     */
    public RegistrationConfig dmaBuf(int fd, long from, long size) {
        segment = null;
        dmaBuf = true;
        addressOnly = false;
        fileDescriptor = fd;
        offset = from;
        length = size;
        return this;
    }

    /**
     * Sets the address of the first byte in work requests. The default is the address in the process, or 0 for a
     * dma-buf. If it differs from the address in the process, a queue pair that receives or reads into the region needs
     * {@link QueuePairConfig#scatterToCompletion scatterToCompletion(false)}.
     *
     * @param address an address with the same offset within a page as the first byte
     * @return this
     */
    public RegistrationConfig iova(long address) {
        iova = address;
        iovaGiven = true;
        return this;
    }

    /**
     * Sets hints for transfers on the PCI bus; default none. Requires rdma-core 59 (ibv_reg_mr_ex(3)).
     *
     * @param handle of the same device
     * @return this
     */
    public RegistrationConfig dmaHandle(DmaHandle handle) {
        dmaHandle = Objects.requireNonNull(handle, "handle");
        return this;
    }

    /**
     * Accesses a dma-buf through the adapter's Data Direct engine, which has a separate PCI path
     * (mlx5dv_reg_dmabuf_mr(3)); by default it is not used. {@link ProtectionDomain#dataDirect()} says whether the
     * adapter has one. Transfers through the engine are not ordered with other transfers of the adapter.
     *
     * @return this
     */
    public RegistrationConfig dataDirect() {
        dataDirect = true;
        return this;
    }

    /**
     * Sets the rights besides local reading; default none.
     *
     * @param flags the rights, which must be compatible
     * @return this
     */
    public RegistrationConfig access(AccessFlag... flags) {
        access = AccessFlag.mask(flags);
        return this;
    }

    void check(ProtectionDomain domain) {
        if (segment == null && !dmaBuf && !addressOnly) {
            throw new IllegalArgumentException(
                    "nothing to register: none of segment(...), address(...) and dmaBuf(...) was called");
        }
        if (dmaHandle != null && dmaHandle.context() != domain.context()) {
            throw new IllegalArgumentException("the DMA handle belongs to another device context");
        }
        if (dataDirect && (!dmaBuf || dmaHandle != null)) {
            throw new IllegalArgumentException("Data Direct is for dma-bufs, without a DMA handle");
        }
    }

    MemorySegment segment() {
        return segment;
    }

    int fileDescriptor() {
        return fileDescriptor;
    }

    long offset() {
        return offset;
    }

    long length() {
        return length;
    }

    boolean isAddressOnly() {
        return addressOnly;
    }

    long address() {
        return address;
    }

    long iova() {
        if (iovaGiven || dmaBuf) {
            return iova;
        }
        return addressOnly ? address : segment.address();
    }

    DmaHandle dmaHandle() {
        return dmaHandle;
    }

    boolean isDataDirect() {
        return dataDirect;
    }

    int access() {
        return access;
    }
}
