// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuCtxCreate_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxDestroy_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxDisablePeerAccess_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxEnablePeerAccess_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxGetFlags_v7000;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxGetStreamPriorityRange_v5050;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxSetCurrent_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxSetFlags_v12010;
import io.github.rdma4j.cuda.bindings.PFN_cuCtxSynchronize_v2000;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions for contexts. All return a CUresult. */
public final class ContextCalls {
    private static final MethodHandle CREATE = Driver.function("cuCtxCreate", 3020, PFN_cuCtxCreate_v3020.descriptor());
    private static final MethodHandle DESTROY =
            Driver.function("cuCtxDestroy", 4000, PFN_cuCtxDestroy_v4000.descriptor());
    private static final MethodHandle SET_CURRENT =
            Driver.function("cuCtxSetCurrent", 4000, PFN_cuCtxSetCurrent_v4000.descriptor());
    private static final MethodHandle GET_FLAGS =
            Driver.function("cuCtxGetFlags", 7000, PFN_cuCtxGetFlags_v7000.descriptor());
    private static final MethodHandle SET_FLAGS =
            Driver.function("cuCtxSetFlags", 12010, PFN_cuCtxSetFlags_v12010.descriptor());
    private static final MethodHandle SYNCHRONIZE =
            Driver.function("cuCtxSynchronize", 2000, PFN_cuCtxSynchronize_v2000.descriptor());
    private static final MethodHandle GET_STREAM_PRIORITY_RANGE =
            Driver.function("cuCtxGetStreamPriorityRange", 5050, PFN_cuCtxGetStreamPriorityRange_v5050.descriptor());
    private static final MethodHandle ENABLE_PEER_ACCESS =
            Driver.function("cuCtxEnablePeerAccess", 4000, PFN_cuCtxEnablePeerAccess_v4000.descriptor());
    private static final MethodHandle DISABLE_PEER_ACCESS =
            Driver.function("cuCtxDisablePeerAccess", 4000, PFN_cuCtxDisablePeerAccess_v4000.descriptor());

    private ContextCalls() {}

    /** cuCtxCreate: Creates a context and makes it current on this thread. */
    public static int create(MemorySegment context, int flags, int device) {
        try {
            return (int) CREATE.invokeExact(context.address(), flags, device);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxDestroy: Destroys a context. */
    public static int destroy(long context) {
        try {
            return (int) DESTROY.invokeExact(context);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxSetCurrent: Makes a context current on this thread; 0 removes the current one from the thread's stack. */
    public static int setCurrent(long context) {
        try {
            return (int) SET_CURRENT.invokeExact(context);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxGetFlags: Returns the flags of the current context. */
    public static int getFlags(MemorySegment flags) {
        try {
            return (int) GET_FLAGS.invokeExact(flags.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxSetFlags: Sets the flags of the current context. */
    public static int setFlags(int flags) {
        try {
            return (int) SET_FLAGS.invokeExact(flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxSynchronize: Waits for all work of the current context. */
    public static int synchronize() {
        try {
            return (int) SYNCHRONIZE.invokeExact();
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxGetStreamPriorityRange: Returns the priorities of streams; the greatest one is the lowest number. */
    public static int getStreamPriorityRange(MemorySegment least, MemorySegment greatest) {
        try {
            return (int) GET_STREAM_PRIORITY_RANGE.invokeExact(least.address(), greatest.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxEnablePeerAccess: Lets the current context access the memory of another one. */
    public static int enablePeerAccess(long peer, int flags) {
        try {
            return (int) ENABLE_PEER_ACCESS.invokeExact(peer, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuCtxDisablePeerAccess: Undoes cuCtxEnablePeerAccess. */
    public static int disablePeerAccess(long peer) {
        try {
            return (int) DISABLE_PEER_ACCESS.invokeExact(peer);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
