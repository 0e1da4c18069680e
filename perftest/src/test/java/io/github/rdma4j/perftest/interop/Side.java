// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.io.IOException;
import java.time.Duration;

/** One of the two sides of a test while it runs. */
interface Side extends AutoCloseable {
    /** Waits for its end: its exit status, or null when the time is over. */
    Integer await(Duration limit) throws InterruptedException;

    /** Its output so far, of both streams. */
    String output() throws IOException;

    /** Ends it if it still runs and can be ended. */
    @Override
    void close() throws IOException;
}
