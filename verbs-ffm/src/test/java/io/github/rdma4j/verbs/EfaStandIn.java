// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * What a test asks of the kernel that seems to have an Elastic Fabric Adapter ({@code src/test/c/efa-kernel}); in a JVM
 * that was started on it.
 */
public final class EfaStandIn {
    private EfaStandIn() {}

    /** {@return how many objects the kernel has} */
    public static int objects() {
        return StandInKernel.Control.objects();
    }

    /**
     * Gives one of the stand-in's settings another value.
     *
     * @param name of the environment variable, behind {@code RDMA4J_EFA_}
     * @param value a number
     */
    public static void set(String name, int value) {
        StandInKernel.Control.set("RDMA4J_EFA_" + name, value);
    }
}
