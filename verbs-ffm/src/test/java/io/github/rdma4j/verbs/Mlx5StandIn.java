// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Controls the stand-in for a kernel with an mlx5 adapter ({@code src/test/c/mlx5-kernel}), in a JVM that was started
 * on it.
 */
public final class Mlx5StandIn {
    /** The device that is there. */
    public static final String DEVICE = "mlx5_0";

    private Mlx5StandIn() {}

    /** {@return how many objects the kernel has} */
    public static int objects() {
        return StandInKernel.Control.objects();
    }

    /**
     * Gives one of the stand-in's settings another value.
     *
     * @param name of the environment variable, behind {@code RDMA4J_MLX5_}
     * @param value a number
     */
    public static void set(String name, int value) {
        StandInKernel.Control.set("RDMA4J_MLX5_" + name, value);
    }
}
