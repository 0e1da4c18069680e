// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.environment.CompilerThreads;
import java.time.Duration;

/**
 * Waits for idle compilers. A run must not begin while a compiler still works on code of an earlier run, because the
 * compiler may need a processor.
 */
public final class QuietCompilers {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private QuietCompilers() {}

    /** Waits up to two seconds until the compilers of this JVM are idle. */
    public static void await() {
        await(LIMIT);
    }

    /** Waits up to {@code limit} until the compilers of this JVM are idle. */
    public static void await(Duration limit) {
        new CompilerThreads().awaitIdle(limit);
    }
}
