// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

/** The outcome of a diagnosis. */
public enum Outcome {
    /** RDMA, or GPUDirect with {@code --gpu}, can be used, and nothing is slow or broken. */
    OK,
    /** It can be used; something is slow, or a part of it is broken. */
    TROUBLE,
    /** It cannot be used: there is no port, or no pair of a GPU and an adapter, for this process. */
    BROKEN
}
