// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CUmemAccessDesc_st;
import io.github.rdma4j.cuda.bindings.CUmemAllocationProp_st;
import io.github.rdma4j.cuda.bindings.CUmemLocation_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.Results;
import io.github.rdma4j.cuda.internal.VirtualMemoryCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory of the virtual-memory API: a range of addresses, with one physical allocation mapped to all of it. */
final class VirtualAllocation implements Freeing {
    private final long address;
    private final long size;
    /** The resources to release. {@link #make} sets them, and each is released once. */
    private boolean reserved = true;

    private long physical;
    private boolean created;
    private boolean mapped;
    /** Whether the memory has an owner that can free it again. */
    private boolean complete;

    private VirtualAllocation(long address, long size) {
        this.address = address;
        this.size = size;
    }

    long address() {
        return address;
    }

    long size() {
        return size;
    }

    static VirtualAllocation make(CudaContext context, long wanted) {
        CudaDevice device = context.device();
        String operation = "allocateGpuDirect(size=%d)".formatted(wanted);
        if (!device.has(DeviceAttribute.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)) {
            throw new UnsupportedCudaCallException(operation, device + " has no virtual-memory API");
        }
        if (!device.has(DeviceAttribute.GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED)) {
            throw new UnsupportedCudaCallException(
                    operation, device + " does not let other PCI devices access memory of the virtual-memory API");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment properties = CUmemAllocationProp_st.allocate(arena);
            CUmemAllocationProp_st.type(properties, CudaHeaders.CU_MEM_ALLOCATION_TYPE_PINNED());
            place(CUmemAllocationProp_st.location(properties), device);
            CUmemAllocationProp_st.allocFlags.gpuDirectRDMACapable(
                    CUmemAllocationProp_st.allocFlags(properties), (byte) 1);
            MemorySegment number = arena.allocate(ValueLayout.JAVA_LONG);
            Results.check(
                    VirtualMemoryCalls.getAllocationGranularity(
                            number, properties, CudaHeaders.CU_MEM_ALLOC_GRANULARITY_MINIMUM()),
                    "cuMemGetAllocationGranularity()");
            long granularity = number.get(ValueLayout.JAVA_LONG, 0);
            if (wanted > Long.MAX_VALUE - granularity) {
                // The rounded size would overflow. The driver would return the same result for the largest size.
                DeviceAllocations.check(CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY(), operation, context);
            }
            long size = (wanted + granularity - 1) / granularity * granularity;
            DeviceAllocations.check(
                    VirtualMemoryCalls.addressReserve(number, size, 0, 0, 0),
                    "cuMemAddressReserve(size=%d)".formatted(size),
                    context);
            VirtualAllocation allocation = new VirtualAllocation(number.get(ValueLayout.JAVA_LONG, 0), size);
            try {
                allocation.populate(context, properties, number);
            } catch (RuntimeException | Error e) {
                try {
                    allocation.free();
                } catch (CudaException undoing) {
                    e.addSuppressed(undoing);
                }
                throw e;
            }
            allocation.complete = true;
            return allocation;
        }
    }

    private static void place(MemorySegment location, CudaDevice device) {
        CUmemLocation_st.type(location, CudaHeaders.CU_MEM_LOCATION_TYPE_DEVICE());
        CUmemLocation_st.id(location, device.ordinal());
    }

    private void populate(CudaContext context, MemorySegment properties, MemorySegment number) {
        DeviceAllocations.check(
                VirtualMemoryCalls.create(number, size, properties, 0),
                "cuMemCreate(size=%d)".formatted(size),
                context);
        physical = number.get(ValueLayout.JAVA_LONG, 0);
        created = true;
        Results.check(
                VirtualMemoryCalls.map(address, size, 0, physical, 0),
                "cuMemMap(address=0x%x, size=%d)".formatted(address, size));
        mapped = true;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment access = CUmemAccessDesc_st.allocate(arena);
            place(CUmemAccessDesc_st.location(access), context.device());
            CUmemAccessDesc_st.flags(access, CudaHeaders.CU_MEM_ACCESS_FLAGS_PROT_READWRITE());
            Results.check(
                    VirtualMemoryCalls.setAccess(address, size, access, 1),
                    "cuMemSetAccess(address=0x%x, size=%d)".formatted(address, size));
        }
    }

    /**
     * Runs each step, even if another one fails. Keeps the addresses if the mapping cannot be removed: otherwise the
     * driver would give them to another allocation.
     */
    @Override
    public void free() {
        CudaException failure = null;
        if (mapped) {
            int result = VirtualMemoryCalls.unmap(address, size);
            failure = outcome(result, "cuMemUnmap(address=0x%x)".formatted(address), failure);
            mapped = result != Results.SUCCESS;
        }
        if (created) {
            int result = VirtualMemoryCalls.release(physical);
            failure = outcome(result, "cuMemRelease()", failure);
            created = result != Results.SUCCESS;
        }
        if (reserved && !mapped) {
            int result = VirtualMemoryCalls.addressFree(address, size);
            failure = outcome(result, "cuMemAddressFree(address=0x%x)".formatted(address), failure);
            reserved = result != Results.SUCCESS;
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the first failure, with later ones suppressed. */
    private CudaException outcome(int result, String call, CudaException before) {
        if (result == Results.SUCCESS) {
            return before;
        }
        CudaException failure =
                Results.failure(result, call, complete ? "close the memory again to release the rest" : "");
        if (before == null) {
            return failure;
        }
        before.addSuppressed(failure);
        return before;
    }

    @Override
    public boolean isIncomplete() {
        return mapped || created || reserved;
    }
}
