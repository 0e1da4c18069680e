// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.WorkCompletion;

/** Texts for what can go wrong in a measured loop. */
public final class Failures {
    private Failures() {}

    public static String post(int errno, QueuePair queuePair) {
        return "posting on queue pair 0x%06x failed with errno %d%s"
                .formatted(queuePair.number(), errno, errno == QueuePair.QUEUE_FULL ? " (send queue full)" : "");
    }

    /** Throws when the first receives of a run could not be posted. */
    public static void check(int errno, Receives receives) {
        if (errno != 0) {
            throw new RunFailedException(post(errno, receives.failed()), "ask for fewer receives: -r/--rx-depth");
        }
    }

    /** A failure without what usually causes it, for where the cause is known to be another. */
    public static String withoutUsualCause(String failure) {
        int cause = failure.indexOf("; usual cause: ");
        return cause < 0 ? failure : failure.substring(0, cause);
    }

    public static String completion(WorkCompletion completion) {
        return "a request completed with an error: " + completion.describe();
    }
}
