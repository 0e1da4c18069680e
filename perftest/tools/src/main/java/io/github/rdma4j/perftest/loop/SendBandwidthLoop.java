// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.stream.RunControl;

/**
 * The measured loop of ib_send_bw, for a side that sends, one that receives, and one that does both: receiving has
 * priority, so that the peer finds receives for its messages.
 *
 * <p>It does not allocate, except where it sleeps ({@code -e}), and does not throw: {@link #failure()} returns what
 * stopped it.
 */
public final class SendBandwidthLoop {
    private final SendingSide sending;
    private final ReceivingSide receiving;
    private final boolean answers;
    private final CompletionWait wait;
    private final RunControl control;

    private long sampled;
    private long begin;

    /**
     * @param sending null for a side that only receives
     * @param receiving null for a side that only sends
     * @param answers whether nothing is sent before the first message has arrived
     * @param wait what to do between fruitless polls
     * @param control shared with the monitor of the run
     */
    public SendBandwidthLoop(
            SendingSide sending, ReceivingSide receiving, boolean answers, CompletionWait wait, RunControl control) {
        this.sending = sending;
        this.receiving = receiving;
        this.answers = answers;
        this.wait = wait;
        this.control = control;
    }

    /**
     * Runs until {@code count} messages per stream have been transferred in each direction, the run ends, or an
     * operation fails. The first receives are already posted.
     *
     * @param count messages per stream; {@link Long#MAX_VALUE} for a timed run
     */
    public void run(long count) {
        sampled = 0;
        boolean sends = sending != null && !answers;
        if (sending != null) {
            sending.begin(count);
        }
        if (receiving != null) {
            receiving.begin(count);
        }
        begin = System.nanoTime();
        while ((sending != null && sending.unfinished() || receiving != null && receiving.unfinished())
                && control.running()) {
            if (sends && !sending.fill()) {
                return;
            }
            long moved = 0;
            if (receiving != null) {
                moved = receiving.take();
                if (moved < 0) {
                    return;
                }
                if (moved > 0 && !sends && sending != null) {
                    sends = true;
                    begin = System.nanoTime();
                }
            }
            if (sending != null) {
                long completed = sending.take();
                if (completed < 0) {
                    return;
                }
                moved += completed;
            }
            if (moved == 0) {
                if (!copying()) {
                    wait.pause();
                }
            } else {
                control.advance(moved);
                sampled += control.sampling() ? moved : 0;
            }
        }
    }

    private boolean copying() {
        return sending != null && sending.copying() || receiving != null && receiving.copying();
    }

    /** Messages sent and received in the measured part of a timed run. */
    public long sampled() {
        return sampled;
    }

    /**
     * Nanoseconds from the first post to the last completion, or where only received, from the first message to the
     * last.
     */
    public long nanoseconds() {
        return sending != null ? sending.end() - begin : receiving.nanoseconds();
    }

    /** Returns the failure of this side; null without one. */
    public String failure() {
        String failure = sending != null ? sending.failure() : null;
        return failure == null && receiving != null ? receiving.failure() : failure;
    }
}
