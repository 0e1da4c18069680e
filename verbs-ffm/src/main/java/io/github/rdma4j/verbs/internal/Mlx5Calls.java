// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.bindings.ibv_context;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * Functions that only libmlx5 has, the user-space driver of mlx5 adapters (infiniband/mlx5dv.h). The library is opened
 * when it is first needed, so a machine without it is not affected.
 */
public final class Mlx5Calls {
    /** The library that the dynamic loader finds. */
    public static final Mlx5Calls INSTALLED = new Mlx5Calls("libmlx5.so.1");

    /**
     * {@code struct mlx5dv_qp_init_attr}. Written by hand, because it is not in verbs.h, from which the bindings are
     * generated; a test compares it with the C compiler's layout.
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

    /** {@code MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT}; newer than the headers of the bindings. */
    private static final int ACCESS_DATA_DIRECT = 1;

    private static final String REG_DMABUF_MR = "mlx5dv_reg_dmabuf_mr";
    private static final String DATA_DIRECT_PATH = "mlx5dv_get_data_direct_sysfs_path";

    private static final String IS_SUPPORTED = "mlx5dv_is_supported";
    private static final String CREATE_QP = "mlx5dv_create_qp";

    private final String library;
    private final ExportedFunction isSupported;
    private final ExportedFunction createQp;
    private final ExportedFunction regDmaBufMr;
    private final ExportedFunction dataDirectPath;

    /** Linked when first needed: it has one word more than {@link ColdCalls}. */
    private static final class RegDmaBufMr {
        static final MethodHandle HANDLE = NativeCalls.errnoHandle(
                FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT));
    }

    /**
     * Creates the calls of a library.
     *
     * @param library its SONAME, or its path
     */
    Mlx5Calls(String library) {
        this.library = library;
        this.isSupported = new ExportedFunction(library, IS_SUPPORTED);
        this.createQp = new ExportedFunction(library, CREATE_QP);
        this.regDmaBufMr = new ExportedFunction(library, REG_DMABUF_MR);
        this.dataDirectPath = new ExportedFunction(library, DATA_DIRECT_PATH);
    }

    /**
     * Returns whether this library is the provider of a device (mlx5dv_is_supported(3)). The name of the kernel driver
     * identifies the device, but only the library can say whether it has opened it.
     *
     * @param driver the driver of the device
     * @param context the context of the device
     * @return whether the other functions can be called with it
     * @throws NativeLibraryException if it is an mlx5 device, and the library cannot be loaded, or is not the copy that
     *     has opened the device
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
        // A C bool: the function leaves the rest of the register undefined.
        boolean ours = (byte) isSupported.number(device) != 0;
        if (!ours && driver.isMlx5()) {
            throw new NativeLibraryException(
                    library,
                    "it is another copy than the one with which libibverbs has opened this mlx5 device, and cannot"
                            + " make that copy keep received data out of completions",
                    "leave one rdma-core where the dynamic loader looks (LD_LIBRARY_PATH, ldconfig -p)");
        }
        return ours;
    }

    /**
     * mlx5dv_create_qp(3), for a queue pair whose received data the adapter always writes itself.
     *
     * @param context the context of a device that is {@linkplain #isProviderOf this library's}
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

    /** {@return whether the library, which can be opened, has the functions for Data Direct} */
    public boolean hasDataDirect() {
        return NativeLibraries.find(library, REG_DMABUF_MR).isPresent()
                && NativeLibraries.find(library, DATA_DIRECT_PATH).isPresent();
    }

    /**
     * mlx5dv_get_data_direct_sysfs_path(3).
     *
     * @param context the context of a device that is {@linkplain #isProviderOf this library's}
     * @param path receives the directory of the engine's PCI function, starting with {@code /sys}
     * @return 0 or a positive errno: ENODEV if the adapter has no such engine
     */
    public int dataDirectPath(MemorySegment context, MemorySegment path) {
        return Math.abs(dataDirectPath.number(context, path, ColdCalls.word(path.byteSize())));
    }

    /**
     * mlx5dv_reg_dmabuf_mr(3), for memory that the Data Direct engine accesses.
     *
     * @param domain the {@code struct ibv_pd}
     * @param offset of the first byte in the dma-buf
     * @param length in bytes
     * @param iova the address of the first byte in work requests
     * @param fd the dma-buf
     * @param access flags of {@code enum ibv_access_flags}
     * @return the region; NULL after a failure, with {@link NativeCalls#lastErrno()}
     */
    public MemorySegment regDmaBufDataDirect(
            MemorySegment domain, long offset, long length, long iova, int fd, int access) {
        try {
            MemorySegment region = (MemorySegment) RegDmaBufMr.HANDLE.invokeExact(
                    regDmaBufMr.address(),
                    NativeCalls.capture(),
                    domain,
                    offset,
                    length,
                    iova,
                    fd,
                    access,
                    ACCESS_DATA_DIRECT);
            return region.reinterpret(Long.MAX_VALUE);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
