// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.security.SecureRandom;

/** What regions need for memory that no adapter knows. */
public final class HostKeys {
    /** Never started; a confined arena is not its. */
    public static final Thread ANOTHER_THREAD =
            Thread.ofPlatform().inheritInheritableThreadLocals(false).unstarted(() -> {});

    /** Keys are what keeps peers out, so that nobody should be able to guess the next one. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private HostKeys() {}

    /** {@return a key, any int} */
    public static int next() {
        return RANDOM.nextInt();
    }
}
