// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuMemAddressFree_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemAddressReserve_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemCreate_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemGetAllocationGranularity_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemMap_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemRelease_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemSetAccess_v10020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemUnmap_v10020;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The virtual-memory API: address ranges, physical memory and the mapping between them. All return a CUresult. */
public final class VirtualMemoryCalls {
    private static final MethodHandle ADDRESS_RESERVE =
            Driver.function("cuMemAddressReserve", 10020, PFN_cuMemAddressReserve_v10020.descriptor());
    private static final MethodHandle ADDRESS_FREE =
            Driver.function("cuMemAddressFree", 10020, PFN_cuMemAddressFree_v10020.descriptor());
    private static final MethodHandle CREATE =
            Driver.function("cuMemCreate", 10020, PFN_cuMemCreate_v10020.descriptor());
    private static final MethodHandle RELEASE =
            Driver.function("cuMemRelease", 10020, PFN_cuMemRelease_v10020.descriptor());
    private static final MethodHandle MAP = Driver.function("cuMemMap", 10020, PFN_cuMemMap_v10020.descriptor());
    private static final MethodHandle UNMAP = Driver.function("cuMemUnmap", 10020, PFN_cuMemUnmap_v10020.descriptor());
    private static final MethodHandle SET_ACCESS =
            Driver.function("cuMemSetAccess", 10020, PFN_cuMemSetAccess_v10020.descriptor());
    private static final MethodHandle GET_ALLOCATION_GRANULARITY = Driver.function(
            "cuMemGetAllocationGranularity", 10020, PFN_cuMemGetAllocationGranularity_v10020.descriptor());

    private VirtualMemoryCalls() {}

    /** cuMemAddressReserve: Reserves addresses. */
    public static int addressReserve(MemorySegment address, long size, long alignment, long wish, long flags) {
        try {
            return (int) ADDRESS_RESERVE.invokeExact(address.address(), size, alignment, wish, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemAddressFree: Frees the addresses. */
    public static int addressFree(long address, long size) {
        try {
            return (int) ADDRESS_FREE.invokeExact(address, size);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemCreate: Allocates physical memory. */
    public static int create(MemorySegment handle, long size, MemorySegment properties, long flags) {
        try {
            return (int) CREATE.invokeExact(handle.address(), size, properties.address(), flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemRelease: Releases physical memory, which stays allocated while it is mapped. */
    public static int release(long handle) {
        try {
            return (int) RELEASE.invokeExact(handle);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemMap: Maps it. */
    public static int map(long address, long size, long offset, long handle, long flags) {
        try {
            return (int) MAP.invokeExact(address, size, offset, handle, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemUnmap: Unmaps it. */
    public static int unmap(long address, long size) {
        try {
            return (int) UNMAP.invokeExact(address, size);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemSetAccess: Sets which devices may access it. */
    public static int setAccess(long address, long size, MemorySegment descriptors, long count) {
        try {
            return (int) SET_ACCESS.invokeExact(address, size, descriptors.address(), count);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemGetAllocationGranularity: Returns the granularity, of which sizes must be a multiple. */
    public static int getAllocationGranularity(MemorySegment granularity, MemorySegment properties, int option) {
        try {
            return (int) GET_ALLOCATION_GRANULARITY.invokeExact(granularity.address(), properties.address(), option);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
