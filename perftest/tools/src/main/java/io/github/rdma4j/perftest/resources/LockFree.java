// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ParentDomain;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.ThreadDomain;

/**
 * The queues of --no_lock, in a separate class. A class that uses their types loads them, and while a JVM has loaded
 * only the plain queue, the compiler calls its methods directly.
 */
final class LockFree {
    private LockFree() {}

    /** A protection domain for one thread at a time. */
    static ProtectionDomain domain(ProtectionDomain base, ThreadDomain threads) {
        return base.allocateParentDomain(config -> config.threadDomain(threads));
    }

    /**
     * A completion queue of such a domain.
     *
     * @param channel that it announces completions to; null for none
     */
    static CompletionQueue queue(
            DeviceContext context, ProtectionDomain domain, int entries, CompletionChannel channel, int vector) {
        return context.createExtendedCompletionQueue(entries, config -> {
            config.parentDomain((ParentDomain) domain);
            if (channel != null) {
                config.channel(channel).completionVector(vector);
            }
        });
    }
}
