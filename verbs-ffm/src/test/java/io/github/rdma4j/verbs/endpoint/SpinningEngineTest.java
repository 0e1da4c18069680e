// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.time.Duration;

/** What {@link EngineTest} asks, of threads that look for a while before they sleep. */
class SpinningEngineTest extends EngineTest {
    @Override
    Duration spinLimit() {
        return Duration.ofMillis(1);
    }
}
