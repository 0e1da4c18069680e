// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CUipcMemHandle_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.IpcCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;

/** Memory of other processes. The context is current. */
final class IpcMemory {
    private IpcMemory() {}

    static IpcMemoryHandle export(DeviceMemory memory) {
        String call = "cuIpcGetMemHandle(0x%x)".formatted(memory.pointer);
        if (memory.kind() != DeviceMemory.Kind.ALLOCATED) {
            throw new UnsupportedCudaCallException(
                    call,
                    "memory of kind %s has no handle for other processes; use memory of CudaContext.allocate"
                            .formatted(memory.kind()));
        }
        // Memory of another library may begin in the middle of an allocation.
        long start = PointerAttributes.of(memory.pointer).rangeStart();
        long offset = start == 0 ? 0 : memory.pointer - start;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = CUipcMemHandle_st.allocate(arena);
            int result = IpcCalls.getMemHandle(handle, memory.pointer - offset);
            if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
                throw new UnsupportedCudaCallException(call, "the device shares no memory with other processes");
            }
            if (result != Results.SUCCESS) {
                throw Diagnosis.of(result, call, memory);
            }
            return new IpcMemoryHandle(
                    handle.toArray(ValueLayout.JAVA_BYTE),
                    ProcessHandle.current().pid(),
                    memory.context().device().uuid(),
                    offset,
                    memory.size());
        }
    }

    static DeviceMemory open(CudaContext context, IpcMemoryHandle handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment struct = CUipcMemHandle_st.allocate(arena);
            struct.copyFrom(MemorySegment.ofArray(handle.driverHandle()));
            int result = IpcCalls.openMemHandle(address, struct, CudaHeaders.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS());
            if (result != Results.SUCCESS) {
                throw Results.failure(
                        result,
                        "cuIpcOpenMemHandle(" + handle + ")",
                        isOpenElsewhere(result, handle)
                                ? "another context of this process has opened memory of that process and GPU, but the"
                                        + " driver allows only one: open it there"
                                : whyNot(handle.processId(), handle.device(), context));
            }
            long base = address.get(ValueLayout.JAVA_LONG, 0);
            try {
                requireWithin(handle, base);
                return new DeviceMemory(
                        context,
                        base + handle.offset(),
                        handle.size(),
                        DeviceMemory.Kind.IPC,
                        false,
                        () -> close(base));
            } catch (RuntimeException | Error e) {
                if (IpcCalls.closeMemHandle(base) != Results.SUCCESS) {
                    e.addSuppressed(new IllegalStateException("cuIpcCloseMemHandle(0x%x) failed".formatted(base)));
                }
                throw e;
            }
        }
    }

    /** Whether another context of this process has opened the memory, for which the driver has no specific result. */
    private static boolean isOpenElsewhere(int result, IpcMemoryHandle handle) {
        return result == CudaHeaders.CUDA_ERROR_INVALID_CONTEXT()
                && handle.processId() != ProcessHandle.current().pid();
    }

    /** The handle came from another process and must be checked. */
    private static void requireWithin(IpcMemoryHandle handle, long base) {
        long known = PointerAttributes.of(base).rangeSize();
        if (known > 0 && handle.offset() + handle.size() > known) {
            throw new IllegalArgumentException(
                    "%s, from offset %d: the allocation has %d bytes".formatted(handle, handle.offset(), known));
        }
    }

    static String whyNot(long processId, UUID device, CudaContext context) {
        if (processId == ProcessHandle.current().pid()) {
            return "this process exported the handle itself: use the exported object";
        }
        UUID ours;
        try {
            ours = context.device().uuid();
        } catch (CudaException e) {
            // The failure that is being explained is more important than this one.
            ours = device;
        }
        return ours.equals(device)
                ? "the process that exported it may have freed it or ended"
                : ("it belongs to the GPU %s, but the context to %s, %s: open it in a context of the first, or check that one"
                                + " can access the other (CudaDevice.canAccessPeer; instances of a GPU (MIG) cannot)")
                        .formatted(device, context.device(), ours);
    }

    private static void close(long base) {
        Results.check(IpcCalls.closeMemHandle(base), "cuIpcCloseMemHandle(0x%x)", base);
    }
}
