// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * The conversation of one end over its own queue pair, in one thread. Each posted request must complete once, in order,
 * with success or failure. When one has failed, all others must complete soon.
 */
abstract class RawTalk {
    static final int SEND_SLOTS = 32;
    static final int RECEIVE_SLOTS = 64;
    private static final int ENTRIES = 256;
    private static final Duration SOON = Duration.ofMillis(20);
    private static final long FLUSH_MILLIS = 5_000;

    final int side;
    final Peer.Orders orders;
    final RawEnd.Other other;
    final CompletionQueue queue;
    final Incoming incoming;
    final Content outgoing;
    private final WorkCompletions completions = WorkCompletions.allocate(32);
    private final Queue<Long> sends = new ArrayDeque<>();
    private final Queue<Long> receives = new ArrayDeque<>();
    private long begun;

    private String failure = "";
    private long failedAtMillis;
    private String hung = "";
    private long goneMillis = Long.MAX_VALUE;

    /** @param largest the largest message */
    RawTalk(int side, DeviceContext device, Peer.Orders orders, RawEnd.Other other, int largest) {
        this.side = side;
        this.orders = orders;
        this.other = other;
        CompletionChannel channel = device.createCompletionChannel();
        queue = device.createCompletionQueue(ENTRIES, config -> config.channel(channel));
        outgoing = new Content(orders.seed() * 2 + side, largest);
        incoming = new Incoming(new Content(orders.seed() * 2 + 3 - side, largest));
    }

    /** {@return the data that the other end needs} */
    abstract byte[] hello();

    /** Receives the other end's data, and posts receives. */
    abstract void connect(byte[] theirs);

    /** Posts what there is to post. */
    abstract void post();

    /** Handles the completion of a send request. */
    abstract void done(long id);

    /** Handles a received message. */
    abstract void arrived(long id, WorkCompletion completion);

    abstract boolean isWhole();

    /** Ends all requests. */
    abstract void toError();

    /** {@return how long the other end may be silent until this queue pair reports it} */
    abstract long silenceMillis();

    /** {@return messages that the adapter has reported as sent} */
    abstract long sent();

    abstract long received();

    abstract long transfers();

    /** Throws errors that can only be detected when no request is pending. */
    void judge() {}

    /** {@return the remaining messages} */
    String remark() {
        return "";
    }

    /** Talks from now on. */
    final EndReport run() {
        begun = System.nanoTime();
        String wrong = "";
        boolean whole = false;
        try {
            while (!(whole = isWhole()) && failure.isEmpty()) {
                if (elapsed() > orders.limitMillis()) {
                    hung = sends.size() + " sends and " + receives.size() + " receives open, " + sent() + " sent, "
                            + received() + " received";
                    break;
                }
                post();
                poll();
                lookForOther();
            }
            if (!failure.isEmpty()) {
                toError();
            }
            long until = elapsed() + FLUSH_MILLIS;
            while (!failure.isEmpty() && !(sends.isEmpty() && receives.isEmpty())) {
                if (elapsed() > until) {
                    throw new Wrong(sends.size() + " sends and " + receives.size()
                            + " receives have not completed within " + FLUSH_MILLIS + " ms of " + failure);
                }
                poll();
            }
            judge();
        } catch (Wrong e) {
            wrong = e.getMessage();
        }
        return new EndReport(
                "machine " + side,
                sent(),
                received(),
                transfers(),
                whole && failure.isEmpty(),
                failure,
                failedAtMillis,
                wrong,
                hung,
                List.of(),
                remark());
    }

    /** Failures that no completion reports. */
    private void lookForOther() {
        if (!other.isGone()) {
            goneMillis = Long.MAX_VALUE;
        } else if (goneMillis == Long.MAX_VALUE) {
            goneMillis = elapsed();
        } else if (elapsed() - goneMillis > silenceMillis()) {
            if (orders.load() != Load.DATAGRAMS) {
                throw new Wrong("the other end is gone for " + silenceMillis() + " ms, and " + sends.size()
                        + " requests are still under way");
            }
            fail("the other end says by TCP that it is gone");
        }
    }

    private void fail(String text) {
        failure = text;
        failedAtMillis = elapsed();
    }

    private void poll() {
        int count = queue.awaitCompletions(completions, SOON);
        for (int n = 0; n < count; n++) {
            take(completions.get(n));
        }
    }

    private void take(WorkCompletion completion) {
        long id = completion.workRequestId();
        Queue<Long> open = isReceive(id) ? receives : sends;
        if (open.isEmpty() || open.peek() != id) {
            throw new Wrong("request " + id + " completed, and " + open.peek() + " was the next: " + completion);
        }
        open.remove();
        if (!completion.isSuccess()) {
            if (failure.isEmpty()) {
                fail(completion.status().name());
            }
        } else if (isReceive(id)) {
            arrived(id, completion);
        } else {
            done(id);
        }
    }

    /** Ids of receives are their slots; ids of sends follow them. */
    static boolean isReceive(long id) {
        return id < RECEIVE_SLOTS;
    }

    /** A request that the adapter refuses also ends the conversation. */
    final void posted(long id, boolean posted) {
        if (!posted) {
            throw new Wrong("a post found the queue full");
        }
        (isReceive(id) ? receives : sends).add(id);
    }

    final int openSends() {
        return sends.size();
    }

    final boolean isLost() {
        return !failure.isEmpty();
    }

    final boolean isTime() {
        return elapsed() >= orders.lengthMillis();
    }

    final long elapsed() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    static void write(byte[] bytes, MemoryRegion region, long offset) {
        MemorySegment.copy(bytes, 0, region.segment(), JAVA_BYTE, offset, bytes.length);
    }

    static byte[] read(MemoryRegion region, long offset, long length) {
        return region.segment().asSlice(offset, length).toArray(JAVA_BYTE);
    }
}
