// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.List;

/** Runs the transfers of a batch. Called by one thread at a time. */
interface BatchEngine {
    /** Receives each transfer that is over. */
    interface Sink {
        /**
         * It is over.
         *
         * @param number of the entry
         * @param bytes that are through, or a negative code
         * @param failure instead of a code, or null
         */
        void over(int number, long bytes, RuntimeException failure);
    }

    /** Takes all of them, or none and throws. */
    void submit(List<BatchEntry> entries);

    /** Reports the transfers that are over. Waits until there is one, or the time is over. */
    void await(long nanos, Sink sink);

    /** Asks for those that have not begun to be left out; they come out as failed. */
    void cancel();

    /** With none under way. */
    void close();
}
