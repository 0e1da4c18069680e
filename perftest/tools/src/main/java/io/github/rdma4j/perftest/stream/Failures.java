// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.stream;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.verbs.WorkCompletion;

/** Texts for what can go wrong in a measured loop. */
public final class Failures {
    private Failures() {}

    public static String queueFull(int queuePairNumber) {
        return "posting on queue pair 0x%06x failed: the queue is full".formatted(queuePairNumber);
    }

    /** Throws when the first receives of a run could not be posted. */
    public static void check(boolean begun, Receives receives) {
        if (!begun) {
            throw new RunFailedException(receives.failure(), "ask for fewer receives: -r/--rx-depth");
        }
    }

    /** Returns a failure without its usual cause, if the cause is known to be another one. */
    public static String withoutUsualCause(String failure) {
        int cause = failure.indexOf("; usual cause: ");
        return cause < 0 ? failure : failure.substring(0, cause);
    }

    public static String completion(WorkCompletion completion) {
        return "a request completed with an error: " + completion.describe();
    }
}
