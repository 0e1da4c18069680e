// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.environment.CompilerThreads;
import java.time.Duration;

/**
 * A run must not begin beside a compiler that still works on what an earlier one has called often: it may need a
 * processor.
 */
public final class QuietCompilers {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private QuietCompilers() {}

    /** Waits until the compilers of this JVM have nothing to do, for two seconds at most. */
    public static void await() {
        await(LIMIT);
    }

    /** Waits until the compilers of this JVM have nothing to do, for {@code limit} at most. */
    public static void await(Duration limit) {
        new CompilerThreads().awaitIdle(limit);
    }
}
