// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

/**
 * The protocol of a {@link DeviceChannel}, without threads, clock, driver or adapter: transfers and completions come
 * in, posts, words and copies go out. For one thread at a time.
 */
class ChannelProtocol {
    private final Adapter adapter;
    private final Posts sends;
    private final Posts receives;
    private final Outgoing outgoing;
    private final Incoming incoming;
    private boolean allFailed;
    /** The transfer whose completion is being handled, if an error has interrupted that. */
    private Job handling;

    /**
     * A side of a connection.
     *
     * @param depth of the queues of sends and of receives, not counting words
     */
    ChannelProtocol(Adapter adapter, int depth) {
        this.adapter = adapter;
        sends = new Posts(depth);
        receives = new Posts(depth);
        outgoing = new Outgoing(adapter, sends);
        incoming = new Incoming(adapter, sends, receives);
    }

    /** For staged transfers that leave: before the first of them is added. */
    void useOut(Slots slots) {
        outgoing.use(slots);
    }

    /** For staged transfers that come: before the first of them is added. */
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

    /** Moves everything on as far as it can go now; whether anything has moved. */
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

    /** The completion of a chunk that was written, read or sent; null if it went well. */
    void completed(int index, GpuTransferException failure) {
        Posts.Post post = sends.get(index);
        if (begins(post)) {
            if (post.job.kind() == Transfer.Kind.READ) {
                incoming.read(post, failure);
            } else {
                outgoing.sent(post, failure);
            }
        }
        handling = null;
    }

    /** The completion of a receive; see {@link Incoming#received}. */
    void received(int index, long bytes, boolean end, boolean aborted) {
        Posts.Post post = receives.get(index);
        if (begins(post)) {
            incoming.received(post, bytes, end, aborted);
        }
        handling = null;
    }

    /** The completion of a receive that nothing came for. */
    void receiveFailed(int index, GpuTransferException failure) {
        Posts.Post post = receives.get(index);
        if (begins(post)) {
            incoming.lost(post, failure);
        }
        handling = null;
    }

    /** False if its completion comes again, after an error, and nothing is left to do. */
    private boolean begins(Posts.Post post) {
        if (post.job == null) {
            return false;
        }
        handling = post.job;
        return true;
    }

    /**
     * An error has interrupted the protocol. The adapter is broken; the completion that was being handled comes again.
     */
    void interrupted(GpuTransferException cause) {
        if (handling != null) {
            handling.fail(cause);
        }
    }

    /** What was posted will have no completions, and the adapter touches no memory any more. */
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

    /** Whether neither the adapter nor a stream has anything of it. */
    boolean isIdle() {
        return sends.isEmpty() && receives.isEmpty() && outgoing.isIdle() && incoming.isIdle();
    }
}
