// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CUipcEventHandle_st;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.internal.IpcCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Events of other processes. The context is current. */
final class IpcEvents {
    private IpcEvents() {}

    static IpcEventHandle export(CudaContext context, long event) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = CUipcEventHandle_st.allocate(arena);
            int result = IpcCalls.getEventHandle(handle, event);
            if (result == CudaHeaders.CUDA_ERROR_NOT_SUPPORTED()) {
                throw new UnsupportedCudaCallException(
                        "cuIpcGetEventHandle()",
                        "the device shares no events with other processes: DeviceAttribute.IPC_EVENT_SUPPORTED");
            }
            Results.check(result, "cuIpcGetEventHandle()");
            return new IpcEventHandle(
                    handle.toArray(ValueLayout.JAVA_BYTE),
                    ProcessHandle.current().pid(),
                    context.device().uuid());
        }
    }

    static CudaEvent open(CudaContext context, IpcEventHandle handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment struct = CUipcEventHandle_st.allocate(arena);
            struct.copyFrom(MemorySegment.ofArray(handle.driverHandle()));
            int result = IpcCalls.openEventHandle(event, struct);
            if (result != Results.SUCCESS) {
                throw Results.failure(
                        result,
                        "cuIpcOpenEventHandle(" + handle + ")",
                        IpcMemory.whyNot(handle.processId(), handle.device(), context));
            }
            return new CudaEvent(context, event.get(ValueLayout.JAVA_LONG, 0), false, false);
        }
    }
}
