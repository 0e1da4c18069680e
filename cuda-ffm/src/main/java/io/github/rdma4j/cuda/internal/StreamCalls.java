// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.UnsupportedCudaCallException;
import io.github.rdma4j.cuda.bindings.PFN_cuLaunchHostFunc_v10000;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamBatchMemOp_v11070;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamCreateWithPriority_v5050;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamDestroy_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamGetPriority_v5050;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamQuery_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamSynchronize_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamWaitEvent_v3020;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamWaitValue32_v11070;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamWaitValue64_v11070;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamWriteValue32_v11070;
import io.github.rdma4j.cuda.bindings.PFN_cuStreamWriteValue64_v11070;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions for streams. All return a CUresult. */
public final class StreamCalls {
    private static final MethodHandle CREATE =
            Driver.function("cuStreamCreateWithPriority", 5050, PFN_cuStreamCreateWithPriority_v5050.descriptor());
    private static final MethodHandle GET_PRIORITY =
            Driver.function("cuStreamGetPriority", 5050, PFN_cuStreamGetPriority_v5050.descriptor());
    private static final MethodHandle DESTROY =
            Driver.function("cuStreamDestroy", 4000, PFN_cuStreamDestroy_v4000.descriptor());
    private static final MethodHandle QUERY =
            Driver.function("cuStreamQuery", 2000, PFN_cuStreamQuery_v2000.descriptor());
    private static final MethodHandle SYNCHRONIZE =
            Driver.function("cuStreamSynchronize", 2000, PFN_cuStreamSynchronize_v2000.descriptor());
    private static final MethodHandle WAIT_EVENT =
            Driver.function("cuStreamWaitEvent", 3020, PFN_cuStreamWaitEvent_v3020.descriptor());
    private static final MethodHandle LAUNCH_HOST_FUNCTION =
            Driver.function("cuLaunchHostFunc", 10000, PFN_cuLaunchHostFunc_v10000.descriptor());
    private static final MethodHandle WAIT_VALUE32 =
            Driver.function("cuStreamWaitValue32", 11070, PFN_cuStreamWaitValue32_v11070.descriptor());
    private static final MethodHandle WAIT_VALUE64 =
            Driver.function("cuStreamWaitValue64", 11070, PFN_cuStreamWaitValue64_v11070.descriptor());
    private static final MethodHandle WRITE_VALUE32 =
            Driver.function("cuStreamWriteValue32", 11070, PFN_cuStreamWriteValue32_v11070.descriptor());
    private static final MethodHandle WRITE_VALUE64 =
            Driver.function("cuStreamWriteValue64", 11070, PFN_cuStreamWriteValue64_v11070.descriptor());

    private static final int BATCHES_SINCE = 11070;
    private static final MethodHandle BATCH =
            Driver.function("cuStreamBatchMemOp", BATCHES_SINCE, PFN_cuStreamBatchMemOp_v11070.descriptor());

    private StreamCalls() {}

    /**
     * Called before a batch of memory operations is created.
     *
     * @throws UnsupportedCudaCallException if the driver does not support batches
     */
    public static void requireBatches() {
        if (!Driver.has("cuStreamBatchMemOp", BATCHES_SINCE)) {
            throw new UnsupportedCudaCallException(
                    "cuStreamBatchMemOp", BATCHES_SINCE, Driver.require().version());
        }
    }

    /** cuStreamBatchMemOp: Queues memory operations, one after the other. */
    public static int batch(long stream, int count, long operations, int flags) {
        try {
            return (int) BATCH.invokeExact(stream, count, operations, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** Whether the driver has the functions for 32-bit values in this form. */
    public static boolean hasValues() {
        return Driver.has("cuStreamWaitValue32", 11070) && Driver.has("cuStreamWriteValue32", 11070);
    }

    /** cuStreamCreateWithPriority: Creates a stream. */
    public static int create(MemorySegment stream, int flags, int priority) {
        try {
            return (int) CREATE.invokeExact(stream.address(), flags, priority);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamGetPriority: Returns its priority. */
    public static int getPriority(long stream, MemorySegment priority) {
        try {
            return (int) GET_PRIORITY.invokeExact(stream, priority.address());
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamDestroy: Destroys it when its work is done; does not wait. */
    public static int destroy(long stream) {
        try {
            return (int) DESTROY.invokeExact(stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamQuery: Whether its work is done. */
    public static int query(long stream) {
        try {
            return (int) QUERY.invokeExact(stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamSynchronize: Waits until its work is done; 0 is the legacy default stream of the current context. */
    public static int synchronize(long stream) {
        try {
            return (int) SYNCHRONIZE.invokeExact(stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamWaitEvent: Makes a stream wait for an event. */
    public static int waitEvent(long stream, long event, int flags) {
        try {
            return (int) WAIT_EVENT.invokeExact(stream, event, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuLaunchHostFunc: Calls a function of the host in stream order. */
    public static int launchHostFunction(long stream, long function, long data) {
        try {
            return (int) LAUNCH_HOST_FUNCTION.invokeExact(stream, function, data);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamWaitValue32: Makes a stream wait for a value in memory. */
    public static int waitValue32(long stream, long address, int value, int flags) {
        try {
            return (int) WAIT_VALUE32.invokeExact(stream, address, value, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamWaitValue64: Makes a stream wait for a value in memory. */
    public static int waitValue64(long stream, long address, long value, int flags) {
        try {
            return (int) WAIT_VALUE64.invokeExact(stream, address, value, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamWriteValue32: Makes a stream write a value to memory. */
    public static int writeValue32(long stream, long address, int value, int flags) {
        try {
            return (int) WRITE_VALUE32.invokeExact(stream, address, value, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuStreamWriteValue64: Makes a stream write a value to memory. */
    public static int writeValue64(long stream, long address, long value, int flags) {
        try {
            return (int) WRITE_VALUE64.invokeExact(stream, address, value, flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
