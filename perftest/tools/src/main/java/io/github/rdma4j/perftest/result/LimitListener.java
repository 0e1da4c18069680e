// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import java.util.Optional;

/** Compares a bandwidth test with the limit of its data path. */
@FunctionalInterface
public interface LimitListener extends RunListener {
    /** Returns the limit of the links; empty before the test has begun, and if it is unknown. */
    Optional<PathLimit> limit();
}
