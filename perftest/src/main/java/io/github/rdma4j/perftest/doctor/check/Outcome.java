// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

/** The outcome of a diagnosis. */
public enum Outcome {
    /** RDMA can be used, and nothing is slow or broken. */
    OK,
    /** RDMA can be used; something is slow, or a part of it is broken. */
    TROUBLE,
    /** RDMA cannot be used: there is no port for this process. */
    BROKEN
}
