// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * The protocol of a {@link DeviceChannel}, without threads, clock, driver or adapter. Its inputs are transfers and
 * completions; its outputs are posts, words and copies. For one thread at a time.
 */
class ChannelProtocol {
    private final Adapter adapter;
    private final Posts sends;
    private final Posts receives;
    private final Outgoing outgoing;
    private final Incoming incoming;
    private boolean allFailed;
    /** The transfer whose completion is being handled; not reset if an error interrupts that. */
    private Job handling;

    /**
     * Creates one side of a connection.
     *
     * @param depth of the send queue and of the receive queue, not counting words
     */
    ChannelProtocol(Adapter adapter, int depth) {
        this.adapter = adapter;
        sends = new Posts(depth);
        receives = new Posts(depth);
        outgoing = new Outgoing(adapter, sends);
        incoming = new Incoming(adapter, sends, receives);
    }

    /** Sets the slots of outgoing staged transfers. Called before the first such transfer is added. */
    void useOut(Slots slots) {
        outgoing.use(slots);
    }

    /** Sets the slots of incoming staged transfers. Called before the first such transfer is added. */
    void useIn(Slots slots) {
        incoming.use(slots);
    }

    static boolean leaves(Transfer.Kind kind) {
        return kind == Transfer.Kind.WRITE || kind == Transfer.Kind.SEND;
    }

    void add(Job job) {
        if (leaves(job.kind())) {
            outgoing.add(job);
        } else {
            incoming.add(job);
        }
    }

    /** Fails a transfer that has not started. */
    void fail(Job job, RuntimeException cause) {
        if (leaves(job.kind())) {
            outgoing.fail(job, 0, cause);
        } else {
            job.fail(0, cause);
        }
    }

    /** Advances all transfers as far as possible now. Returns whether anything has moved. */
    boolean advance() {
        boolean moved = outgoing.advance();
        moved |= incoming.advance();
        if (adapter.isBroken() && !allFailed) {
            GpuTransferException cause = new GpuTransferException("the channel broke down", adapter.failure());
            outgoing.failAll(cause);
            incoming.failAll(cause);
            allFailed = true;
            moved = true;
        }
        return moved;
    }

    /** Handles the completion of a chunk that was written, read or sent. The failure is null if it succeeded. */
    void completed(int index, GpuTransferException failure) {
        Posts.Post post = sends.get(index);
        if (beginHandling(post)) {
            if (post.job.kind() == Transfer.Kind.READ) {
                incoming.read(post, failure);
            } else {
                outgoing.sent(post, failure);
            }
        }
        handling = null;
    }

    /** Handles the completion of a receive; see {@link Incoming#received}. */
    void received(int index, long bytes, boolean end, boolean aborted) {
        Posts.Post post = receives.get(index);
        if (beginHandling(post)) {
            incoming.received(post, bytes, end, aborted);
        }
        handling = null;
    }

    /** Handles the completion of a receive that failed. */
    void receiveFailed(int index, GpuTransferException failure) {
        Posts.Post post = receives.get(index);
        if (beginHandling(post)) {
            incoming.receiveFailed(post, failure);
        }
        handling = null;
    }

    /** Returns false if the completion was handled before an error, and is delivered a second time. */
    private boolean beginHandling(Posts.Post post) {
        if (post.job == null) {
            return false;
        }
        handling = post.job;
        return true;
    }

    /**
     * Fails the transfer whose completion an error interrupted. The adapter is broken, and delivers that completion
     * again.
     */
    void interrupted(GpuTransferException cause) {
        if (handling != null) {
            handling.fail(cause);
        }
    }

    /** Fails everything posted. There will be no completions, and the adapter no longer accesses memory. */
    void abandonPosts(GpuTransferException cause) {
        for (Posts.Post post : sends.underWay()) {
            Job job = post.job;
            if (job.kind() == Transfer.Kind.READ) {
                incoming.release(sends, post);
            } else {
                outgoing.release(post);
            }
            job.fail(cause);
        }
        for (Posts.Post post : receives.underWay()) {
            Job job = post.job;
            incoming.release(receives, post);
            job.fail(cause);
        }
    }

    /** Whether neither the adapter nor a stream uses any memory of the transfers. */
    boolean isIdle() {
        return sends.isEmpty() && receives.isEmpty() && outgoing.isIdle() && incoming.isIdle();
    }
}
