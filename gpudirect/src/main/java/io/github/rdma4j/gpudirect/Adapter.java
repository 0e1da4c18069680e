// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * What the channel's protocol asks of the connection. Completions come to {@link ChannelProtocol#completed} and
 * {@link ChannelProtocol#failed}. For one thread at a time.
 */
interface Adapter {
    /**
     * Posts a chunk; the post's job has its kind, memory and remote memory.
     *
     * @return true if it was posted, false if the queue is full
     * @throws io.github.rdma4j.verbs.VerbsException if it was refused for another reason
     * @throws RuntimeException if the memory cannot be used; nothing is posted then
     */
    boolean tryPost(Posts.Post post);

    /** Whether a word can be sent now; also false once the connection is broken. */
    boolean hasRoomForWord();

    /** Sends the peer the number of receives posted since the beginning. */
    void announceGrants(long grants);

    /** Announces a message to the peer. */
    void announce(long message, long length);

    /**
     * Rejects the peer's message: it is longer than the receive or, with {@link Mailbox#NO_RECEIVE}, the receive
     * failed.
     */
    void refuse(long message, long room);

    /**
     * How many chunks this side may have sent since the beginning. Read it before {@link #refused}: the peer writes in
     * that order.
     */
    long grants();

    /** The length of a message of the peer's, by its number; -1 if it has not been announced. */
    long announced(long message);

    /** The room that the peer has for a message of ours that it has refused; -1 if it has not. */
    long refused(long message);

    /** Why nothing can be posted any more; null as long as it can. */
    GpuTransferException failure();

    default boolean isBroken() {
        return failure() != null;
    }

    /** Has everything that is posted complete, and nothing posted any more. */
    void breakDown(GpuTransferException cause);
}
