// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_dm;
import io.github.rdma4j.verbs.bindings.verbs_context;
import io.github.rdma4j.verbs.internal.AdapterMemoryCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.datapath.ProviderLibrary;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory on the adapter ({@code struct ibv_dm}, ibv_alloc_dm(3)), which work requests reach without crossing the PCI
 * bus. The process has no address for it, and copies data in and out. {@link ProtectionDomain#registerAdapterMemory}
 * makes a region of it.
 *
 * <p>Thread safety: all methods may be called from any thread. The copies of one device context run one after the
 * other.
 *
 * @experimental SoftRoCE does not support it, and it has not been run on an adapter.
 * @since 0.1.0
 */
public final class AdapterMemory extends Resource {
    private final DeviceContext context;
    private final MemorySegment memory;
    private final long length;
    private final boolean imported;
    /** Whether the driver has copy functions: libmana does not set these pointers. */
    private final boolean copies;

    private AdapterMemory(DeviceContext context, MemorySegment memory, long length, boolean imported) {
        super(context);
        this.context = context;
        this.memory = memory.reinterpret(ibv_dm.sizeof());
        this.length = length;
        this.imported = imported;
        MemorySegment ofDriver = NativeCalls.extendedEntry(context.segment(), verbs_context.alloc_dm$offset());
        this.copies = AdapterMemoryCalls.copying(this.memory).stream()
                .allMatch(function -> ProviderLibrary.hasFunction(function, ofDriver));
    }

    static AdapterMemory allocate(DeviceContext context, long length, int logAlignment) {
        String operation = "ibv_alloc_dm(%s, length=%d, log_align_req=%d)"
                .formatted(context.device().name(), length, logAlignment);
        if (length < 1 || logAlignment < 0 || logAlignment > 30) {
            throw new IllegalArgumentException(
                    operation + ": the length is 1 or more, the alignment 0..30 as a power of two");
        }
        MemorySegment entry = NativeCalls.extendedEntry(context.segment(), verbs_context.alloc_dm$offset());
        if (entry.address() == 0) {
            throw new UnsupportedVerbException(
                    operation,
                    Errno.EOPNOTSUPP,
                    "the installed libibverbs or the device's driver has no device memory");
        }
        MemorySegment allocated = AdapterMemoryCalls.alloc(entry, context.segment(), length, logAlignment);
        if (allocated.address() == 0) {
            int errno = NativeCalls.lastErrno();
            throw Failures.of(
                    operation,
                    errno,
                    errno == Errno.ENOMEM ? "the device does not have that much memory left" : "",
                    errno == Errno.ENOMEM ? "ask for less, or close unused device memory" : "");
        }
        return new AdapterMemory(context, allocated, length, false);
    }

    static AdapterMemory importHandle(DeviceContext context, int handle, long length) {
        MemorySegment imported = AdapterMemoryCalls.importHandle(context.segment(), handle);
        if (imported.address() == 0) {
            throw Failures.of(
                    "ibv_import_dm(%s, handle=%d)".formatted(context.device().name(), handle), NativeCalls.lastErrno());
        }
        return new AdapterMemory(context, imported, length, true);
    }

    /** {@return the device that the memory belongs to} */
    public DeviceContext context() {
        return context;
    }

    /** {@return the number of bytes; of imported memory, the length that the import named} */
    public long length() {
        return length;
    }

    /**
     * {@return the kernel's handle, by which another process that shares the device context imports it
     * (ibv_import_dm(3))}
     */
    public int kernelHandle() {
        return locked(() -> ibv_dm.handle(memory));
    }

    /**
     * Copies to the device (ibv_memcpy_to_dm(3)).
     *
     * @param offset in the device memory; a multiple of 4
     * @param source native memory, of a length that is a multiple of 4
     * @throws IndexOutOfBoundsException if it does not fit
     * @throws IllegalArgumentException if the source is on the heap
     * @throws UnsupportedVerbException if the driver, such as libmana, has no copy function
     * @throws VerbsException if the driver refuses
     */
    public void copyFrom(long offset, MemorySegment source) {
        check("ibv_memcpy_to_dm", offset, source);
        locked(() -> {
            Failures.check(
                    "ibv_memcpy_to_dm(offset=%d, length=%d)".formatted(offset, source.byteSize()),
                    AdapterMemoryCalls.copyTo(memory, offset, source));
            return null;
        });
    }

    /**
     * Copies from the device (ibv_memcpy_from_dm(3)).
     *
     * @param offset in the device memory; a multiple of 4
     * @param target native memory, of a length that is a multiple of 4; all of it is filled
     * @throws IndexOutOfBoundsException if it reaches beyond the memory
     * @throws IllegalArgumentException if the target is on the heap or read-only
     * @throws UnsupportedVerbException if the driver, such as libmana, has no copy function
     * @throws VerbsException if the driver refuses
     */
    public void copyTo(long offset, MemorySegment target) {
        check("ibv_memcpy_from_dm", offset, target);
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the target is read-only");
        }
        locked(() -> {
            Failures.check(
                    "ibv_memcpy_from_dm(offset=%d, length=%d)".formatted(offset, target.byteSize()),
                    AdapterMemoryCalls.copyFrom(memory, offset, target));
            return null;
        });
    }

    private void check(String verb, long offset, MemorySegment host) {
        Objects.checkFromIndexSize(offset, host.byteSize(), length);
        if (!host.isNative()) {
            throw new IllegalArgumentException("device memory is copied from and to native memory only");
        }
        if (!copies) {
            throw new UnsupportedVerbException(
                    verb,
                    Errno.EOPNOTSUPP,
                    "the driver of %s has no such function: work requests alone reach its memory"
                            .formatted(context.device().name()));
        }
    }

    /**
     * Exports the memory as a dma-buf (ibv_dm_export_dmabuf_fd(3), rdma-core 62).
     *
     * @return a file descriptor, to be closed by the caller
     * @throws UnsupportedVerbException if the library is too old, or the device cannot do it
     * @throws VerbsException if it fails
     */
    public int exportDmaBuf() {
        return locked(() -> {
            int fd = AdapterMemoryCalls.exportDmaBuf(memory);
            if (fd < 0) {
                throw Failures.of("ibv_dm_export_dmabuf_fd", NativeCalls.lastErrno());
            }
            return fd;
        });
    }

    MemorySegment segment() {
        requireOpen();
        return memory;
    }

    @Override
    public long handle() {
        requireOpen();
        return memory.address();
    }

    @Override
    void release() {
        if (imported) {
            ExportedVerb.UNIMPORT_DM.call(memory);
        } else {
            Failures.check(
                    "ibv_free_dm(length=%d)".formatted(length), AdapterMemoryCalls.free(context.segment(), memory));
        }
    }

    /** {@return length and device} */
    @Override
    public String toString() {
        return "device memory of %d bytes on %s"
                .formatted(length, context.device().name());
    }
}
