// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.RegistrationExCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A buffer that the adapter's driver allocates ({@code struct ibv_buf}, ibv_alloc_buf(3)). In confidential virtual
 * machines it is memory that the adapter can access. Requires rdma-core 64.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class ProviderBuffer extends Resource {
    private final ProtectionDomain domain;
    private final MemorySegment buffer;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    ProviderBuffer(ProtectionDomain domain, long size) {
        super(domain);
        this.domain = domain;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment out = call.allocate(ValueLayout.ADDRESS);
            MemorySegment allocated = RegistrationExCalls.allocBuffer(domain.segment(), size, out);
            if (allocated.address() == 0) {
                throw Failures.of("ibv_alloc_buf(size=%d)".formatted(size), NativeCalls.lastErrno());
            }
            this.buffer = out.get(ValueLayout.ADDRESS, 0);
            // The arena only limits how long the memory may be used; the driver frees it.
            this.memory = allocated.reinterpret(size, arena, null);
        }
    }

    /** {@return the memory, which any thread may use until this is closed} */
    public MemorySegment segment() {
        return memory;
    }

    /** {@return the domain that the buffer was allocated in} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /**
     * Registers a part of the buffer (ibv_reg_buf_mr(3)).
     *
     * @param offset from the start of the buffer, in bytes
     * @param length in bytes, above 0
     * @param access the rights, as for {@link ProtectionDomain#registerMemory}
     * @return the region, to be closed before or with this buffer
     * @throws IndexOutOfBoundsException if the part does not lie within the buffer
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion register(long offset, long length, AccessFlag... access) {
        Objects.checkFromIndexSize(offset, length, memory.byteSize());
        return createChild(() -> new MemoryRegion(
                domain, MemoryRegistration.ofBuffer(this, offset, length, AccessFlag.mask(access)), null, this));
    }

    /**
     * Exports the memory as a dma-buf (ibv_export_buf_dmabuf_fd(3), rdma-core 65).
     *
     * @return a file descriptor, to be closed by the caller
     * @throws VerbsException if the buffer is ordinary memory (ENODATA), or the library is too old
     */
    public int exportDmaBuf() {
        return locked(() -> {
            int fd = RegistrationExCalls.exportBuffer(buffer);
            if (fd < 0) {
                throw Failures.of("ibv_export_buf_dmabuf_fd", NativeCalls.lastErrno());
            }
            return fd;
        });
    }

    MemorySegment nativeBuffer() {
        return buffer;
    }

    @Override
    public long handle() {
        requireOpen();
        return buffer.address();
    }

    @Override
    void release() {
        // First, so that no thread uses the memory when it is freed.
        closeMemory(arena);
        RegistrationExCalls.freeBuffer(buffer);
    }

    /** {@return address and size} */
    @Override
    public String toString() {
        return "provider buffer 0x%x, %d bytes".formatted(memory.address(), memory.byteSize());
    }
}
