// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.bindings;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;

/**
 * {@code pthread_mutex_t} of glibc on the machine that this JVM runs on: the one thing in rdma-core's headers that has
 * not the same size on each architecture. It lies by value in {@code ibv_context}, {@code ibv_cq}, {@code ibv_cq_ex},
 * {@code ibv_qp}, {@code ibv_srq} and {@code ibv_wq}, and those lie in {@code verbs_context} and {@code ibv_qp_ex}.
 *
 * <p>This is the only class of the package that jextract has not made. The generated layouts are put together from
 * {@link #layout()} when their classes are initialised, so every offset behind a mutex is this machine's, a constant,
 * and there is no other to be taken by mistake. {@code StructLayoutTest} compares them with the compilers of all
 * architectures that {@code NativeLibraries} lets in.
 */
public final class pthread_mutex_t {
    /** {@code __SIZEOF_PTHREAD_MUTEX_T}, a multiple of the alignment, so that nobody's padding changes with it. */
    private static final long SIZE = System.getProperty("os.arch").equals("aarch64") ? 48 : 40;

    private static final GroupLayout LAYOUT = MemoryLayout.unionLayout(
            MemoryLayout.sequenceLayout(SIZE, RdmaHeaders.C_CHAR).withName("__size"),
            RdmaHeaders.C_LONG.withName("__align"));

    private pthread_mutex_t() {}

    /** {@return the layout of this union} */
    public static GroupLayout layout() {
        return LAYOUT;
    }
}
