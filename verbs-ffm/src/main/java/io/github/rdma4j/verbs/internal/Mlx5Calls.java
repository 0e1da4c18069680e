// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.bindings.ibv_context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * What only libmlx5 can do, the user-space driver of mlx5 adapters (infiniband/mlx5dv.h). The library is opened when it
 * is first needed, so a machine without it misses nothing.
 */
public final class Mlx5Calls {
    /** The one that the dynamic loader finds. */
    public static final Mlx5Calls INSTALLED = new Mlx5Calls("libmlx5.so.1");

    /**
     * {@code struct mlx5dv_qp_init_attr}. By hand, since verbs.h, which the bindings are made from, does not have it; a
     * test compares it with the C compiler's.
     */
    static final StructLayout INIT_ATTRIBUTES = MemoryLayout.structLayout(
                    JAVA_LONG.withName("comp_mask"),
                    JAVA_INT.withName("create_flags"),
                    MemoryLayout.paddingLayout(4),
                    MemoryLayout.structLayout(
                                    JAVA_INT.withName("dc_type"),
                                    MemoryLayout.paddingLayout(4),
                                    JAVA_LONG.withName("dct_access_key"))
                            .withName("dc_init_attr"),
                    JAVA_LONG.withName("send_ops_flags"))
            .withName("mlx5dv_qp_init_attr");

    /** {@code MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS}. */
    static final long HAS_CREATE_FLAGS = 1;

    /** {@code MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE}. */
    static final int DISABLE_SCATTER_TO_CQE = 1 << 3;

    private static final long COMP_MASK = INIT_ATTRIBUTES.byteOffset(PathElement.groupElement("comp_mask"));
    private static final long CREATE_FLAGS = INIT_ATTRIBUTES.byteOffset(PathElement.groupElement("create_flags"));

    private static final String IS_SUPPORTED = "mlx5dv_is_supported";
    private static final String CREATE_QP = "mlx5dv_create_qp";

    private final String library;
    private final ExportedFunction isSupported;
    private final ExportedFunction createQp;

    /**
     * A library.
     *
     * @param library its SONAME, or its path
     */
    Mlx5Calls(String library) {
        this.library = library;
        this.isSupported = new ExportedFunction(library, IS_SUPPORTED);
        this.createQp = new ExportedFunction(library, CREATE_QP);
    }

    /**
     * Whether a device is this library's (mlx5dv_is_supported(3)). The kernel driver's name says what a device is, but
     * only the library knows whether it was the one that opened it.
     *
     * @param driver of the device
     * @param context of the device
     * @return whether the other functions can be called with it
     * @throws NativeLibraryException if it is an mlx5 device, and the library cannot be loaded, or is another copy than
     *     the one that has opened the device
     */
    public boolean isProviderOf(DeviceDriver driver, MemorySegment context) {
        try {
            NativeLibraries.require(library, "ibverbs-providers", "libibverbs", List.of(IS_SUPPORTED, CREATE_QP));
        } catch (NativeLibraryException e) {
            if (driver.isMlx5()) {
                throw e;
            }
            return false;
        }
        MemorySegment device = NativeMemory.pointer(context, ibv_context.device$offset());
        // A C bool: what the function leaves in the rest of the register means nothing.
        boolean ours = (byte) isSupported.number(device) != 0;
        if (!ours && driver.isMlx5()) {
            throw new NativeLibraryException(
                    library,
                    "it is another copy than the one with which libibverbs has opened this mlx5 device, and cannot"
                            + " tell that one to keep received data out of completions",
                    "leave one rdma-core where the dynamic loader looks (LD_LIBRARY_PATH, ldconfig -p)");
        }
        return ours;
    }

    /**
     * mlx5dv_create_qp(3), for a queue pair whose received data the adapter writes itself, however few they are.
     *
     * @param context of a device that is {@linkplain #isProviderOf this library's}
     * @param attributes a {@code struct ibv_qp_init_attr_ex}
     * @return the queue pair; NULL after a failure, with {@link NativeCalls#lastErrno()}
     */
    public MemorySegment createQpWithoutScatterToCompletion(MemorySegment context, MemorySegment attributes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = arena.allocate(INIT_ATTRIBUTES);
            own.set(JAVA_LONG, COMP_MASK, HAS_CREATE_FLAGS);
            own.set(JAVA_INT, CREATE_FLAGS, DISABLE_SCATTER_TO_CQE);
            return createQp.pointer(context, attributes, own);
        }
    }
}
