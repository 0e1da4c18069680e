// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.List;

/** Runs the transfers of a batch. Called by one thread at a time. */
interface BatchEngine {
    /** Receives each transfer that has ended. */
    interface Sink {
        /**
         * A transfer has ended.
         *
         * @param number of the entry
         * @param bytes transferred bytes, or a negative code
         * @param failure the failure if there is no code for it, otherwise null
         */
        void ended(int number, long bytes, RuntimeException failure);
    }

    /** Accepts all of them, or throws and accepts none. */
    void submit(List<BatchEntry> entries);

    /** Reports the transfers that have ended. Waits until there is at least one, or the timeout passes. */
    void await(long nanos, Sink sink);

    /** Requests the cancellation of transfers that have not begun; they are reported as failed. */
    void cancel();

    /** Called when no transfer is pending. */
    void close();
}
