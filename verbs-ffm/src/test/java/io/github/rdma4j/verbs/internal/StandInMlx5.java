// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.CProgram;
import java.nio.file.Path;

/**
 * Plays libmlx5: it takes each device for its own, notes what it was asked for, and has libibverbs create the queue
 * pair. Compiled against mlx5dv.h, so it reads the fields where the real one does.
 */
public final class StandInMlx5 {
    private static final String SOURCE = """
            #include <infiniband/mlx5dv.h>

            uint64_t asked_mask, asked_send_ops;
            uint32_t asked_flags;
            int asked, answer = 1;
            int engine_error, registration_error, registered;
            char arguments[256];

            bool mlx5dv_is_supported(struct ibv_device *device)
            {
                return device && answer;
            }

            struct ibv_qp *mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attributes,
                                            struct mlx5dv_qp_init_attr *own)
            {
                asked++;
                asked_mask = own->comp_mask;
                asked_flags = own->create_flags;
                asked_send_ops = own->send_ops_flags;
                %s
            }
            """;

    /** Newer than the header here may be. The memory that it registers is its own. */
    private static final String DATA_DIRECT = """
            #include <stdio.h>
            #include <stdlib.h>

            int mlx5dv_get_data_direct_sysfs_path(struct ibv_context *context, char *path, size_t length)
            {
                snprintf(path, length, "devices/pci0000:00/0000:07:00.1");
                return context ? engine_error : EINVAL;
            }

            struct ibv_mr *mlx5dv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
                                                int fd, int access, int own)
            {
                registered++;
                snprintf(arguments, sizeof arguments, "offset %zu length %zu iova %zx fd %d access %x own %d",
                         (size_t)offset, length, (size_t)iova, fd, access, own);
                if (registration_error != 0) {
                    errno = registration_error;
                    return NULL;
                }
                return ibv_reg_mr(pd, aligned_alloc(4096, (length + 4095) & ~(size_t)4095), length, access);
            }
            """;

    private StandInMlx5() {}

    /**
     * Makes one that creates queue pairs.
     *
     * @param folder that it goes into
     * @return the library
     */
    public static Path compile(Path folder) {
        return compile(folder, "return ibv_create_qp_ex(context, attributes);");
    }

    static Path compile(Path folder, String creation) {
        Path library = folder.resolve("libmlx5.so.1");
        CProgram.library(library, SOURCE.formatted(creation), "-libverbs");
        return library;
    }

    /**
     * Makes one of rdma-core 54 or later, which has Data Direct.
     *
     * @param folder that it goes into
     * @return the library
     */
    public static Path compileWithDataDirect(Path folder) {
        Path library = folder.resolve("libmlx5.so.1");
        CProgram.library(
                library, SOURCE.formatted("return ibv_create_qp_ex(context, attributes);") + DATA_DIRECT, "-libverbs");
        return library;
    }
}
