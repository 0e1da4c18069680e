// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/** The verbs that import objects of another process. All return NULL on failure, with the cause in errno. */
public final class ImportCalls {
    private ImportCalls() {}

    /**
     * ibv_import_device(3).
     *
     * @param commandDescriptor a copy of the other context's {@code cmd_fd}
     * @return the context, or NULL with the cause in {@link NativeCalls#lastErrno()}
     */
    public static MemorySegment importDevice(int commandDescriptor) {
        return ExportedVerb.IMPORT_DEVICE.pointer(ColdCalls.word(commandDescriptor));
    }

    /**
     * ibv_import_pd(3).
     *
     * @param operation the verb with its arguments, for the message
     * @param context an imported context
     * @param handle the kernel's handle of the domain
     * @return the domain, never NULL
     */
    public static MemorySegment importPd(String operation, MemorySegment context, int handle) {
        return imported(operation, ExportedVerb.IMPORT_PD, context, handle);
    }

    /**
     * ibv_import_mr(3).
     *
     * @param operation the verb with its arguments, for the message
     * @param pd the protection domain
     * @param handle the kernel's handle of the region
     * @return the region, never NULL
     */
    public static MemorySegment importMr(String operation, MemorySegment pd, int handle) {
        return imported(operation, ExportedVerb.IMPORT_MR, pd, handle);
    }

    private static MemorySegment imported(String operation, ExportedVerb verb, MemorySegment subject, int handle) {
        MemorySegment object = verb.pointer(subject, ColdCalls.word(handle));
        if (object.address() == 0) {
            throw Failures.of(operation, NativeCalls.lastErrno());
        }
        return object;
    }
}
