// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.device;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Mlx5Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/** Queries libmlx5 for an adapter's Data Direct engine. The caller keeps the context open. */
public final class DataDirect {
    /** PATH_MAX of linux/limits.h. */
    private static final int LONGEST_PATH = 4096;

    private DataDirect() {}

    /**
     * Finds the engine.
     *
     * @param driver of the device
     * @param context the {@code struct ibv_context}
     * @return the engine's directory in sysfs, or why there is none
     */
    public static DataDirectSupport of(DeviceDriver driver, MemorySegment context) {
        Mlx5Calls library = Mlx5Calls.INSTALLED;
        try {
            if (!library.isProviderOf(driver, context)) {
                return none("only mlx5 adapters have such an engine, from ConnectX-8 on");
            }
        } catch (NativeLibraryException e) {
            return none(e.getMessage());
        }
        if (!library.hasDataDirect()) {
            return none("the installed libmlx5 has no mlx5dv_reg_dmabuf_mr, which came with rdma-core 54");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocate(LONGEST_PATH);
            int errno = library.dataDirectPath(context, path);
            return switch (errno) {
                case 0 -> new DataDirectSupport(Optional.of(Path.of("/sys/" + path.getString(0))), "");
                case Errno.ENODEV -> none("no Data Direct engine belongs to this adapter");
                default ->
                    none("mlx5dv_get_data_direct_sysfs_path failed with %s; Linux knows the engine from 6.12 on"
                            .formatted(VerbsException.describe(errno)));
            };
        }
    }

    /**
     * Throws if there is no engine.
     *
     * @param operation for the message
     * @param driver of the device
     * @param context the {@code struct ibv_context}
     * @throws UnsupportedVerbException with the reason
     */
    public static void require(String operation, DeviceDriver driver, MemorySegment context) {
        DataDirectSupport support = of(driver, context);
        if (!support.isAvailable()) {
            throw new UnsupportedVerbException(operation, Errno.EOPNOTSUPP, support.toString());
        }
    }

    private static DataDirectSupport none(String reason) {
        return new DataDirectSupport(Optional.empty(), reason);
    }
}
