// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuIpcCloseMemHandle_v4010;
import io.github.rdma4j.cuda.bindings.PFN_cuIpcGetEventHandle_v4010;
import io.github.rdma4j.cuda.bindings.PFN_cuIpcGetMemHandle_v4010;
import io.github.rdma4j.cuda.bindings.PFN_cuIpcOpenEventHandle_v4010;
import io.github.rdma4j.cuda.bindings.PFN_cuIpcOpenMemHandle_v11000;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions that share memory and events with other processes. All return a CUresult. */
public final class IpcCalls {
    private static final MethodHandle GET_EVENT_HANDLE =
            Driver.function("cuIpcGetEventHandle", 4010, PFN_cuIpcGetEventHandle_v4010.descriptor());
    private static final MethodHandle OPEN_EVENT_HANDLE =
            Driver.function("cuIpcOpenEventHandle", 4010, PFN_cuIpcOpenEventHandle_v4010.descriptor());
    private static final MethodHandle GET_MEM_HANDLE =
            Driver.function("cuIpcGetMemHandle", 4010, PFN_cuIpcGetMemHandle_v4010.descriptor());
    private static final MethodHandle OPEN_MEM_HANDLE =
            Driver.function("cuIpcOpenMemHandle", 11000, PFN_cuIpcOpenMemHandle_v11000.descriptor());
    private static final MethodHandle CLOSE_MEM_HANDLE =
            Driver.function("cuIpcCloseMemHandle", 4010, PFN_cuIpcCloseMemHandle_v4010.descriptor());

    private IpcCalls() {}

    /** cuIpcGetEventHandle: Returns the handle of an event. */
    public static int getEventHandle(MemorySegment handle, long event) {
        try {
            return (int) GET_EVENT_HANDLE.invokeExact(handle.address(), event);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuIpcOpenEventHandle: Opens the event of a handle. */
    public static int openEventHandle(MemorySegment event, MemorySegment handle) {
        try {
            return (int) OPEN_EVENT_HANDLE.invokeExact(event.address(), handle);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuIpcGetMemHandle: Returns the handle of an allocation. */
    public static int getMemHandle(MemorySegment handle, long address) {
        try {
            return (int) GET_MEM_HANDLE.invokeExact(handle.address(), address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuIpcOpenMemHandle: Opens the allocation of a handle. */
    public static int openMemHandle(MemorySegment address, MemorySegment handle, int flags) {
        try {
            return (int) OPEN_MEM_HANDLE.invokeExact(address.address(), handle, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuIpcCloseMemHandle: Closes the allocation of a handle. */
    public static int closeMemHandle(long address) {
        try {
            return (int) CLOSE_MEM_HANDLE.invokeExact(address);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
