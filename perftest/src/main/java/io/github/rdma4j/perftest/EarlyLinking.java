// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.VerbsException;

/**
 * Links the library's first functions while the command line is still being read: each of the two takes a third of the
 * start, and they need nothing of each other.
 */
final class EarlyLinking implements Runnable {
    private EarlyLinking() {}

    /** Begins it on a thread of its own; on a machine with one processor that would only be a detour. */
    static void begin() {
        if (Runtime.getRuntime().availableProcessors() > 1) {
            Thread.ofPlatform().daemon().name("rdma4j-linking").start(new EarlyLinking());
        }
    }

    @Override
    public void run() {
        try {
            Device.list();
        } catch (VerbsException | LinkageError _) {
            // The test will meet it again, and tells the user.
        }
    }
}
