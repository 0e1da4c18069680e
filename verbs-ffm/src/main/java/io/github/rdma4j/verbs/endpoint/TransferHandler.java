// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/**
 * Handles the completion of a transfer that was posted with an id; see {@link Transfers#pollTransfers}.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TransferHandler {
    /**
     * Called in the thread that polls, without any lock held: it may call the endpoint.
     *
     * @param id that the transfer was posted with
     * @param previous of an atomic operation, the value before it; of others, 0
     * @param failure why it failed; null if it succeeded
     */
    void onTransfer(long id, long previous, RuntimeException failure);
}
