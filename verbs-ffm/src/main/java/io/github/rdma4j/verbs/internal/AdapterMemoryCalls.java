// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_alloc_dm_attr;
import io.github.rdma4j.verbs.bindings.ibv_dm;
import io.github.rdma4j.verbs.bindings.verbs_context;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** The verbs of memory on the adapter (ibv_alloc_dm(3)). */
public final class AdapterMemoryCalls {
    private static final MethodHandle ALLOC_DM =
            NativeCalls.errnoHandle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle FREE_DM = NativeCalls.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS));
    private static final MethodHandle TO_DEVICE =
            NativeCalls.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG));
    private static final MethodHandle FROM_DEVICE =
            NativeCalls.handle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG));
    private static final LaterVerbs EXPORT =
            new LaterVerbs("ibv_dm_export_dmabuf_fd", 62, FunctionDescriptor.of(JAVA_INT, ADDRESS));

    private AdapterMemoryCalls() {}

    /**
     * ibv_alloc_dm(3).
     *
     * @param entry {@code verbs_context.alloc_dm}, not NULL
     * @param context the device's context
     * @param length in bytes
     * @param logAlignment the alignment, as a power of two
     * @return the device memory, or NULL
     */
    public static MemorySegment alloc(MemorySegment entry, MemorySegment context, long length, int logAlignment) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_alloc_dm_attr.allocate(arena);
            ibv_alloc_dm_attr.length(attributes, length);
            ibv_alloc_dm_attr.log_align_req(attributes, logAlignment);
            return (MemorySegment) ALLOC_DM.invokeExact(entry, NativeCalls.capture(), context, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_import_dm(3).
     *
     * @param context the device's context
     * @param handle of the device memory
     * @return the device memory, or NULL
     */
    public static MemorySegment importHandle(MemorySegment context, int handle) {
        return ExportedVerb.IMPORT_DM.pointer(context, ColdCalls.word(handle));
    }

    /**
     * ibv_free_dm(3).
     *
     * @param context the device's context
     * @param memory the {@code struct ibv_dm}
     * @return 0 or an errno
     */
    public static int free(MemorySegment context, MemorySegment memory) {
        MemorySegment entry = NativeCalls.extendedEntry(context, verbs_context.free_dm$offset());
        if (entry.address() == 0) {
            return Errno.EOPNOTSUPP;
        }
        try {
            return (int) FREE_DM.invokeExact(entry, memory);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * Returns the two copy functions, which are in the structure itself.
     *
     * @param memory the {@code struct ibv_dm}
     * @return {@code memcpy_to_dm} and {@code memcpy_from_dm}
     */
    public static List<MemorySegment> copying(MemorySegment memory) {
        return List.of(
                memory.get(ADDRESS, ibv_dm.memcpy_to_dm$offset()), memory.get(ADDRESS, ibv_dm.memcpy_from_dm$offset()));
    }

    /**
     * ibv_memcpy_to_dm(3).
     *
     * @param memory the {@code struct ibv_dm}
     * @param offset in the device memory
     * @param source the memory to copy, all of it
     * @return 0 or an errno
     */
    public static int copyTo(MemorySegment memory, long offset, MemorySegment source) {
        try {
            return (int) TO_DEVICE.invokeExact(
                    memory.get(ADDRESS, ibv_dm.memcpy_to_dm$offset()), memory, offset, source, source.byteSize());
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_memcpy_from_dm(3).
     *
     * @param memory the {@code struct ibv_dm}
     * @param offset in the device memory
     * @param target the destination, all of it
     * @return 0 or an errno
     */
    public static int copyFrom(MemorySegment memory, long offset, MemorySegment target) {
        try {
            return (int) FROM_DEVICE.invokeExact(
                    memory.get(ADDRESS, ibv_dm.memcpy_from_dm$offset()), target, memory, offset, target.byteSize());
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_dm_export_dmabuf_fd(3).
     *
     * @param memory the {@code struct ibv_dm}
     * @return a file descriptor, or -1
     */
    public static int exportDmaBuf(MemorySegment memory) {
        MethodHandle handle = EXPORT.handle();
        try {
            return (int) handle.invokeExact(EXPORT.address(), NativeCalls.capture(), memory);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
