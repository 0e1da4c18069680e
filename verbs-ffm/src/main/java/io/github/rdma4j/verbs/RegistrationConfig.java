// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * What {@link ProtectionDomain#registerMemory(java.util.function.Consumer)} registers: host memory, addresses that only
 * the kernel can follow, or a part of a dma-buf, and how the adapter shall see it. Setters return this; thread safety:
 * for one thread.
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
     * Host memory; this, {@link #address} or {@link #dmaBuf} must be called.
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
     * Addresses that this process may not be able to dereference: memory of a graphics processor, whose pages a
     * peer-memory module of the kernel finds. The region has no segment; this, {@link #segment} or {@link #dmaBuf} must
     * be called.
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
     * A part of a dma-buf, memory of another device; this, {@link #segment} or {@link #address} must be called.
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
     * The address that the first byte shall have in work requests; default the address in the process, 0 for a dma-buf.
     * A queue pair that receives or reads into it at another address than that in the process needs
     * {@link QueuePairConfig#scatterToCompletion scatterToCompletion(false)}.
     *
     * @param address with the same offset into its page as the first byte
     * @return this
     */
    public RegistrationConfig iova(long address) {
        iova = address;
        iovaGiven = true;
        return this;
    }

    /**
     * Hints for the transfers on the PCI bus; default none. Needs rdma-core 59 (ibv_reg_mr_ex(3)).
     *
     * @param handle of the same device
     * @return this
     */
    public RegistrationConfig dmaHandle(DmaHandle handle) {
        dmaHandle = Objects.requireNonNull(handle, "handle");
        return this;
    }

    /**
     * Has a dma-buf reached by the adapter's Data Direct engine (mlx5dv_reg_dmabuf_mr(3)), a way over PCI of its own;
     * default not. {@link ProtectionDomain#dataDirect()} tells whether there is one. What goes by the engine and what
     * goes by the adapter itself is ordered each for itself.
     *
     * @return this
     */
    public RegistrationConfig dataDirect() {
        dataDirect = true;
        return this;
    }

    /**
     * What may be done with the memory, besides local reading; default nothing.
     *
     * @param flags that go together
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
