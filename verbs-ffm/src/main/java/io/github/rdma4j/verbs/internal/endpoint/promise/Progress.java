// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.promise;

import java.time.Duration;

/** Makes the progress of an endpoint while a thread waits for one of its futures. */
public interface Progress {
    /** A limit of waits that have none. */
    Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** A program has completed a future itself, or something that was made of one is complete. */
    void nudge();

    /** Waits until a future is decided or the endpoint is closed; then all of them are. */
    void awaitDecided(ProgressFuture<?> future, Duration timeout);
}
