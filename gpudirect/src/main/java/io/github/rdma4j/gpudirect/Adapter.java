// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * The operations of the connection that the channel's protocol uses. Completions are reported to
 * {@link ChannelProtocol#completed} and {@link ChannelProtocol#failed}. For one thread at a time.
 */
interface Adapter {
    /**
     * Posts a chunk. The post's job has its kind, memory and remote memory.
     *
     * @return true if it was posted, false if the queue is full
     * @throws io.github.rdma4j.verbs.VerbsException if it was refused for another reason
     * @throws RuntimeException if the memory cannot be used; nothing is posted then
     */
    boolean tryPost(Posts.Post post);

    /** Whether a word can be sent now. False once the connection is broken. */
    boolean canSendWord();

    /** Sends the peer the number of receives posted since the beginning. */
    void announceGrants(long grants);

    /** Announces a message to the peer. */
    void announce(long message, long length);

    /**
     * Rejects the peer's message, because it is longer than the receive or, with {@link Mailbox#NO_RECEIVE}, because
     * the receive failed.
     */
    void refuse(long message, long room);

    /**
     * Returns how many chunks this side may have sent since the connection began. Read it before {@link #refused}: the
     * peer writes in that order.
     */
    long grants();

    /** Returns the length of the peer's message with this number, or -1 if it has not been announced. */
    long announced(long message);

    /**
     * Returns the size of the receive for which the peer rejected our message, or -1 if it did not reject the message.
     */
    long refused(long message);

    /** Returns why nothing can be posted any more, or null while posting is possible. */
    GpuTransferException failure();

    default boolean isBroken() {
        return failure() != null;
    }

    /** Breaks the connection: everything posted completes, and nothing more can be posted. */
    void breakDown(GpuTransferException cause);
}
