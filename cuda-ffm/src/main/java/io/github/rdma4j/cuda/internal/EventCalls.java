// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.bindings.PFN_cuEventCreate_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuEventDestroy_v4000;
import io.github.rdma4j.cuda.bindings.PFN_cuEventElapsedTime_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuEventQuery_v2000;
import io.github.rdma4j.cuda.bindings.PFN_cuEventRecord_v2000;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions for events. All return a CUresult. */
public final class EventCalls {
    private static final MethodHandle CREATE =
            Driver.function("cuEventCreate", 2000, PFN_cuEventCreate_v2000.descriptor());
    private static final MethodHandle DESTROY =
            Driver.function("cuEventDestroy", 4000, PFN_cuEventDestroy_v4000.descriptor());
    private static final MethodHandle RECORD =
            Driver.function("cuEventRecord", 2000, PFN_cuEventRecord_v2000.descriptor());
    private static final MethodHandle QUERY =
            Driver.function("cuEventQuery", 2000, PFN_cuEventQuery_v2000.descriptor());
    private static final MethodHandle ELAPSED_TIME =
            Driver.function("cuEventElapsedTime", 2000, PFN_cuEventElapsedTime_v2000.descriptor());

    private EventCalls() {}

    /** cuEventCreate: Creates an event. */
    public static int create(MemorySegment event, int flags) {
        try {
            return (int) CREATE.invokeExact(event.address(), flags);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuEventDestroy: Destroys an event. */
    public static int destroy(long event) {
        try {
            return (int) DESTROY.invokeExact(event);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuEventRecord: Records the work that was submitted to a stream so far. */
    public static int record(long event, long stream) {
        try {
            return (int) RECORD.invokeExact(event, stream);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuEventQuery: Whether the recorded work is done. */
    public static int query(long event) {
        try {
            return (int) QUERY.invokeExact(event);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }

    /** cuEventElapsedTime: Returns the time between two events. */
    public static int elapsedTime(MemorySegment milliseconds, long start, long end) {
        try {
            return (int) ELAPSED_TIME.invokeExact(milliseconds.address(), start, end);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
