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
}
