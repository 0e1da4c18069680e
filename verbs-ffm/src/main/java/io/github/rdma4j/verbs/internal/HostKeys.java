// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.security.SecureRandom;

/** Keys and threads for regions that are registered with no adapter. */
public final class HostKeys {
    /** A thread that is never started, so no confined arena belongs to it. */
    public static final Thread ANOTHER_THREAD =
            Thread.ofPlatform().inheritInheritableThreadLocals(false).unstarted(() -> {});

    /** Keys protect memory from peers, so the next key must not be predictable. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private HostKeys() {}

    /** {@return a key, any int} */
    public static int next() {
        return RANDOM.nextInt();
    }
}
