// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.pair.Failure;
import io.github.rdma4j.verbs.EfaCompletionStatus;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.ConnectionException;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;

/** Converts the library's failures to plain values. */
final class Failures {
    private static final int ETIMEDOUT = 110;

    private Failures() {}

    /** Returns the failure of a completion. */
    static Failure of(WorkCompletion completion, String what) {
        return new Failure(
                Failure.Kind.STATUS,
                completion.status().name(),
                what + ": " + completion.status().text() + " (" + completion.status() + ")",
                completion.status().remedy());
    }

    /** Returns the failure of an EFA's completion, whose vendor error is more precise than its status. */
    static Failure ofEfa(WorkCompletion completion, String what) {
        EfaCompletionStatus status = EfaCompletionStatus.ofVendorError(completion.vendorError());
        return new Failure(
                Failure.Kind.EFA,
                status.name(),
                what + " failed: " + status + " (vendor error " + completion.vendorError() + ")",
                status.remedy());
    }

    /** Returns the failure of a refused call, or of a device that does not support the given values. */
    static Failure of(RuntimeException failure) {
        return failure instanceof VerbsException verbs
                ? new Failure(Failure.Kind.REFUSED, verbs.errnoName(), words(verbs), verbs.remedy())
                : new Failure(Failure.Kind.REFUSED, "", String.valueOf(failure.getMessage()), "");
    }

    /**
     * Returns a failure of rdma_cm.
     *
     * @param silence the event that is reported for a timeout
     */
    static Failure of(VerbsException failure, CmEventType silence) {
        String name = switch (failure) {
            case ConnectionRejectedException rejected -> rejected.reason().name();
            case ConnectionException connection
            when connection.event() != null -> connection.event().name();
            default -> silence.name();
        };
        boolean silent = failure instanceof ConnectionException connection
                && connection.event() == null
                && connection.errno() == ETIMEDOUT;
        return new Failure(
                Failure.Kind.CONNECTION,
                name,
                silent ? "no event arrived in time: " + name : words(failure),
                failure.remedy());
    }

    /** Without the remedy, and without the arguments of the call. */
    private static String words(VerbsException failure) {
        return failure.problem().replaceFirst("(?s)^(\\w+)\\(.*\\) failed: ", "$1 failed: ");
    }
}
