// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.security.SecureRandom;

/** What {@link MemoryRegion} needs for memory that no adapter knows. */
final class HostKeys {
    /** Never started; a confined arena is not its. */
    static final Thread ANOTHER_THREAD = new Thread(() -> {});

    /** Keys are what keeps peers out, so that nobody should be able to guess the next one. */
    private static final SecureRandom RANDOM = new SecureRandom();

    private HostKeys() {}

    static int next() {
        return RANDOM.nextInt();
    }
}
