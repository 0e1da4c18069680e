// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyDtoDAsync_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyDtoD_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyDtoHAsync_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyDtoH_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyHtoDAsync_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyHtoD_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyPeerAsync_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuMemcpyPeer_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuMemsetD32Async_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemsetD32_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemsetD8Async_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuMemsetD8_v3020;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Copies and fills. Host memory is a segment in synchronous calls, so that its arena cannot be closed meanwhile; in
 * asynchronous calls it is an address. All return a CUresult.
 */
public final class CopyCalls {
    private static final MethodHandle TO_DEVICE =
            Driver.functionWithSegments("cuMemcpyHtoD", 3020, PFN_cuMemcpyHtoD_v3020.descriptor());
    private static final MethodHandle TO_HOST =
            Driver.functionWithSegments("cuMemcpyDtoH", 3020, PFN_cuMemcpyDtoH_v3020.descriptor());
    private static final MethodHandle ON_DEVICE =
            Driver.function("cuMemcpyDtoD", 3020, PFN_cuMemcpyDtoD_v3020.descriptor());
    private static final MethodHandle PEER = Driver.function("cuMemcpyPeer", 4000, PFN_cuMemcpyPeer_v4000.descriptor());
    private static final MethodHandle TO_DEVICE_ASYNC =
            Driver.function("cuMemcpyHtoDAsync", 3020, PFN_cuMemcpyHtoDAsync_v3020.descriptor());
    private static final MethodHandle TO_HOST_ASYNC =
            Driver.function("cuMemcpyDtoHAsync", 3020, PFN_cuMemcpyDtoHAsync_v3020.descriptor());
    private static final MethodHandle ON_DEVICE_ASYNC =
            Driver.function("cuMemcpyDtoDAsync", 3020, PFN_cuMemcpyDtoDAsync_v3020.descriptor());
    private static final MethodHandle PEER_ASYNC =
            Driver.function("cuMemcpyPeerAsync", 4000, PFN_cuMemcpyPeerAsync_v4000.descriptor());
    private static final MethodHandle FILL8 = Driver.function("cuMemsetD8", 3020, PFN_cuMemsetD8_v3020.descriptor());
    private static final MethodHandle FILL32 = Driver.function("cuMemsetD32", 3020, PFN_cuMemsetD32_v3020.descriptor());
    private static final MethodHandle FILL8_ASYNC =
            Driver.function("cuMemsetD8Async", 3020, PFN_cuMemsetD8Async_v3020.descriptor());
    private static final MethodHandle FILL32_ASYNC =
            Driver.function("cuMemsetD32Async", 3020, PFN_cuMemsetD32Async_v3020.descriptor());

    private CopyCalls() {}

    /** cuMemcpyHtoD: Host to device. */
    public static int toDevice(long target, MemorySegment source, long length) {
        try {
            return (int) TO_DEVICE.invokeExact(target, source, length);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyDtoH: Device to host. */
    public static int toHost(MemorySegment target, long source, long length) {
        try {
            return (int) TO_HOST.invokeExact(target, source, length);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyDtoD: Device to device. */
    public static int onDevice(long target, long source, long length) {
        try {
            return (int) ON_DEVICE.invokeExact(target, source, length);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyPeer: Device to another context's device. */
    public static int peer(long target, long targetContext, long source, long sourceContext, long length) {
        try {
            return (int) PEER.invokeExact(target, targetContext, source, sourceContext, length);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyHtoDAsync: Host to device. */
    public static int toDeviceAsync(long target, long source, long length, long stream) {
        try {
            return (int) TO_DEVICE_ASYNC.invokeExact(target, source, length, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyDtoHAsync: Device to host. */
    public static int toHostAsync(long target, long source, long length, long stream) {
        try {
            return (int) TO_HOST_ASYNC.invokeExact(target, source, length, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyDtoDAsync: Device to device. */
    public static int onDeviceAsync(long target, long source, long length, long stream) {
        try {
            return (int) ON_DEVICE_ASYNC.invokeExact(target, source, length, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemcpyPeerAsync: Device to another context's device. */
    public static int peerAsync(
            long target, long targetContext, long source, long sourceContext, long length, long stream) {
        try {
            return (int) PEER_ASYNC.invokeExact(target, targetContext, source, sourceContext, length, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemsetD8: Sets bytes. */
    public static int fill8(long target, byte value, long count) {
        try {
            return (int) FILL8.invokeExact(target, value, count);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemsetD32: Sets 32-bit words. */
    public static int fill32(long target, int value, long count) {
        try {
            return (int) FILL32.invokeExact(target, value, count);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemsetD8Async: Sets bytes. */
    public static int fill8Async(long target, byte value, long count, long stream) {
        try {
            return (int) FILL8_ASYNC.invokeExact(target, value, count, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuMemsetD32Async: Sets 32-bit words. */
    public static int fill32Async(long target, int value, long count, long stream) {
        try {
            return (int) FILL32_ASYNC.invokeExact(target, value, count, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
