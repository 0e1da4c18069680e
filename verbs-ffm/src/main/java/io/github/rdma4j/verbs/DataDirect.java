// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.DataDirectSupport;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Mlx5Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;

/** Asks libmlx5 for an adapter's Data Direct engine; with the lock of the device context. */
final class DataDirect {
    /** PATH_MAX of linux/limits.h. */
    private static final int LONGEST_PATH = 4096;

    private DataDirect() {}

    static DataDirectSupport of(DeviceContext context) {
        Mlx5Calls library = Mlx5Calls.INSTALLED;
        try {
            if (!library.isProviderOf(context.driver(), context.segment())) {
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
            int errno = library.dataDirectPath(context.segment(), path);
            return switch (errno) {
                case 0 -> new DataDirectSupport(Optional.of(Path.of("/sys/" + path.getString(0))), "");
                case Errno.ENODEV -> none("no Data Direct engine belongs to this adapter");
                default ->
                    none("mlx5dv_get_data_direct_sysfs_path failed with %s; Linux knows the engine from 6.12 on"
                            .formatted(VerbsException.describe(errno)));
            };
        }
    }

    /** The region, or NULL with the errno of the call. */
    static MemorySegment register(
            ProtectionDomain domain, String operation, int fd, long offset, long length, long iova, int access) {
        DataDirectSupport support = of(domain.context());
        if (!support.isAvailable()) {
            throw new UnsupportedVerbException(operation, Errno.EOPNOTSUPP, support.toString());
        }
        return Mlx5Calls.INSTALLED.regDmaBufDataDirect(domain.segment(), offset, length, iova, fd, access);
    }

    private static DataDirectSupport none(String reason) {
        return new DataDirectSupport(Optional.empty(), reason);
    }
}
