// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.util.Arrays;

/**
 * Makes an ordered wire of datagrams that arrive in any order, as a state machine without verbs and without threads.
 *
 * <p>Each datagram carries a sequence number. The receiver delivers in that order: a message that fits into a datagram
 * in its receive buffer, and a longer one after its fragments were copied to a buffer. Transfers have no order of their
 * own, so a message is sent when all earlier writes have completed, and a transfer when all earlier writes of the same
 * bytes have. The end of each request is reported in the order of the posts.
 *
 * <p>The number is part of the immediate data, so messages have no header:
 *
 * <pre>
 * kind (2) | more fragments follow (1) | sequence number (15) | credits (14)
 * </pre>
 */
final class SrdOrdering {
    /** The output: a queue pair and its buffers. */
    interface Datagrams {
        /**
         * Posts a datagram, for which there is an entry in the send queue.
         *
         * @param post the place of the request, for {@link #completed}
         * @param slot of the message; -1 for an empty one
         * @return whether it was posted; if not, {@link #refused} was called
         */
        boolean send(int post, int slot, long offset, int length, int immediate);

        /** Posts the read or the write of a place; as {@link #send}. */
        boolean transfer(int post, boolean writes);

        /** Copies a fragment to a buffer for long messages. */
        void copy(int receive, int length, int buffer, long offset);

        /** Takes back a receive, which {@link SrdTransport#postReturned} posts with others. */
        void giveBack(int receive);
    }

    private static final int KIND_SHIFT = 30;
    private static final int MORE = 1 << 29;
    private static final int SEQUENCE_SHIFT = 14;
    private static final int SEQUENCE_MASK = (1 << 15) - 1;
    private static final int CREDIT_MASK = (1 << SEQUENCE_SHIFT) - 1;

    /** The first number, so that the numbers of each connection soon begin again. */
    private static final int FIRST = -8;

    /** The most receives, so that a sequence number shows whether it is an old one. */
    static final int MOST_RECEIVES = 1 << 14;

    private static final byte MESSAGE = 0;
    private static final byte READ = 1;
    private static final byte WRITE = 2;
    /** A request that is complete at once. */
    private static final byte NOTHING = 3;

    private static final int IN_A_BUFFER = -1;
    private static final int NONE = -1;

    private final Datagrams datagrams;
    /** The most bytes of a datagram to the peer. */
    private final int fragment;
    /** The entries of the send queue. */
    private final int depth;

    // Requests, by place: the lowest bits of a request's number.
    private final byte[] kinds;
    private final long[] ids;
    private final int[] slots;
    private final int[] frames;
    private final long[] addresses;
    private final long[] lengths;
    /** How many bytes of a message were posted. */
    private final long[] begun;
    /** Whether everything of the request was posted. */
    private final boolean[] whole;
    /** How many entries of the send queue it holds. */
    private final int[] underWay;
    /** Whether its failure was reported. */
    private final boolean[] failed;

    /** The number of the oldest request that was not reported, and of the next request. */
    private long oldest;

    private long next;
    /** The numbers of the oldest message and the oldest transfer that are not whole, and of the oldest open write. */
    private long nextMessage;

    private long nextTransfer;
    private long oldestWrite;
    private int entries;
    private int sent = FIRST;
    private boolean broken;
    /** Why a request was not posted; null if that has not happened. */
    private String refusal;

    // Arrivals.
    private final int receives;
    /** The longest message with fragments to receive; 0 if no message has fragments. */
    private final long longest;
    /** By sequence number: the receive that has come too early; {@link #NONE} for none. */
    private final int[] window;

    private final int[] immediates;
    private final int[] arrivedLengths;
    private int expected = FIRST;
    /** The protocol's numbers of buffers: which are free, and the receive of each other one. */
    private final int[] free;

    private int freeCount;
    private final int[] receiveOf;
    /** The buffer of the message whose fragments arrive; {@link #NONE} for none. */
    private int assembling = NONE;

    private long assembled;
    /** What the peer has done wrong; null for nothing. */
    private String violation;

    private boolean endReported;

    /**
     * Creates the state of a new connection.
     *
     * @param requests the most requests that are under way
     * @param depth the entries of the send queue
     * @param fragment the most bytes of a datagram to the peer
     * @param buffers the number of messages that may arrive, with the reserve
     * @param receives the number of posted receives
     * @param longest the longest message with fragments to receive, in bytes; 0 if no message has fragments
     */
    SrdOrdering(Datagrams datagrams, int requests, int depth, int fragment, int buffers, int receives, long longest) {
        this.datagrams = datagrams;
        this.depth = depth;
        this.fragment = fragment;
        this.receives = receives;
        this.longest = longest;
        int places = places(requests);
        kinds = new byte[places];
        ids = new long[places];
        slots = new int[places];
        frames = new int[places];
        addresses = new long[places];
        lengths = new long[places];
        begun = new long[places];
        whole = new boolean[places];
        underWay = new int[places];
        failed = new boolean[places];
        window = new int[places(receives)];
        Arrays.fill(window, NONE);
        immediates = new int[receives];
        arrivedLengths = new int[receives];
        free = new int[buffers];
        receiveOf = new int[buffers];
        while (freeCount < buffers) {
            free[freeCount] = freeCount++;
        }
    }

    /** {@return the length of a table, which is a power of two, so that the lowest bits of a number are its place} */
    static int places(int most) {
        return Integer.highestOneBit(Math.max(1, most - 1)) << 1;
    }

    /** {@return how many receives are needed} */
    static int receives(int credits, long longest, int fragment) {
        long each = Math.max(1, (longest + fragment - 1) / fragment);
        return (int) Math.min(Integer.MAX_VALUE, credits * each + Credits.RESERVE);
    }

    // ---- Sending ----

    /**
     * Accepts a message.
     *
     * @param slot -1 for an empty message
     */
    void message(long id, int slot, int frame, long length) {
        accept(MESSAGE, id, slot, frame, 0, length);
    }

    /**
     * {@return the place of the next request, which a transfer will have}
     */
    int nextPlace() {
        return place(next);
    }

    /** Accepts a read or a write. */
    void transfer(long id, boolean writes, long address, long length) {
        accept(writes ? WRITE : READ, id, NONE, 0, address, length);
    }

    /** Accepts a request that is complete at once. */
    void nothing(long id) {
        accept(NOTHING, id, NONE, 0, 0, 0);
    }

    private void accept(byte kind, long id, int slot, int frame, long address, long length) {
        int place = place(next);
        kinds[place] = kind;
        ids[place] = id;
        slots[place] = slot;
        frames[place] = frame;
        addresses[place] = address;
        lengths[place] = length;
        begun[place] = 0;
        whole[place] = kind == NOTHING;
        underWay[place] = 0;
        failed[place] = false;
        next++;
        post();
    }

    private int place(long number) {
        return (int) number & ids.length - 1;
    }

    /** Posts what can be posted now, messages and transfers in turn. */
    void post() {
        boolean more = !broken && refusal == null;
        while (more) {
            more = postMessage();
            more |= postTransfer();
        }
    }

    /** Posts the next datagram. Returns false if there is none, or it cannot be posted yet. */
    private boolean postMessage() {
        while (nextMessage < next && (kinds[place(nextMessage)] != MESSAGE || whole[place(nextMessage)])) {
            nextMessage++;
        }
        if (nextMessage == next || entries == depth || refusal != null || isWriteOpenBefore(nextMessage)) {
            return false;
        }
        int place = place(nextMessage);
        long offset = begun[place];
        int length = (int) Math.min(fragment, lengths[place] - offset);
        boolean last = offset + length == lengths[place];
        int frame = frames[place];
        int immediate = Frame.kind(frame) << KIND_SHIFT
                | (last ? 0 : MORE)
                | (sent & SEQUENCE_MASK) << SEQUENCE_SHIFT
                | Frame.credits(frame);
        if (!datagrams.send(place, slots[place], offset, length, immediate)) {
            return false;
        }
        sent++;
        begun[place] = offset + length;
        whole[place] = last;
        underWay[place]++;
        entries++;
        return true;
    }

    private boolean postTransfer() {
        while (nextTransfer < next && (!isTransfer(place(nextTransfer)) || whole[place(nextTransfer)])) {
            nextTransfer++;
        }
        if (nextTransfer == next || entries == depth || refusal != null || overlapsOpenWrite(nextTransfer)) {
            return false;
        }
        int place = place(nextTransfer);
        if (!datagrams.transfer(place, kinds[place] == WRITE)) {
            return false;
        }
        whole[place] = true;
        underWay[place]++;
        entries++;
        return true;
    }

    private boolean isTransfer(int place) {
        return kinds[place] == READ || kinds[place] == WRITE;
    }

    private boolean isOpen(int place) {
        return !whole[place] || underWay[place] > 0;
    }

    private boolean isWriteOpenBefore(long number) {
        oldestWrite = Math.max(oldestWrite, oldest);
        while (oldestWrite < next && !(kinds[place(oldestWrite)] == WRITE && isOpen(place(oldestWrite)))) {
            oldestWrite++;
        }
        return oldestWrite < number;
    }

    private boolean overlapsOpenWrite(long number) {
        if (!isWriteOpenBefore(number)) {
            return false;
        }
        int place = place(number);
        for (long earlier = oldestWrite; earlier < number; earlier++) {
            int other = place(earlier);
            if (kinds[other] == WRITE
                    && isOpen(other)
                    && addresses[place] - addresses[other] < lengths[other]
                    && addresses[other] - addresses[place] < lengths[place]) {
                return true;
            }
        }
        return false;
    }

    /** A request was refused, and with it the connection has failed. */
    void refused(String reason) {
        refusal = reason;
    }

    /** An entry of the send queue has completed. */
    void completed(int place) {
        entries--;
        underWay[place]--;
    }

    /** An entry of the send queue has failed; reported at once. Requests that wait for it are not posted any more. */
    void failed(int place, String reason, VerbsException cause, WireEvents protocol) {
        broken = true;
        if (!failed[place]) {
            protocol.failed(ids[place], reason, cause);
            failed[place] = true;
        }
        completed(place);
    }

    /** Whether a request waits for earlier ones. */
    boolean isWaiting() {
        return !broken && refusal == null && (nextMessage < next || nextTransfer < next);
    }

    boolean isBroken() {
        return broken;
    }

    /** Nothing is posted any more; what was not posted fails with the next {@link #report}. */
    void breakOff() {
        broken = true;
    }

    /**
     * Reports the ends of requests, in order.
     *
     * @return how many there were
     */
    int report(WireEvents protocol) {
        int count = 0;
        if (refusal != null && !endReported) {
            protocol.linkLost("posting failed: " + refusal);
            endReported = true;
            count++;
        }
        while (oldest < next && !isOpen(place(oldest))) {
            if (!failed[place(oldest)]) {
                protocol.sent(ids[place(oldest)]);
            }
            oldest++;
            count++;
        }
        return broken ? count + failUnposted(protocol) : count;
    }

    private int failUnposted(WireEvents protocol) {
        int count = 0;
        for (long number = oldest; number < next; number++) {
            int place = place(number);
            if (!whole[place]) {
                if (!failed[place]) {
                    protocol.failed(ids[place], "not posted before the connection ended", null);
                    failed[place] = true;
                    count++;
                }
                whole[place] = true;
            }
        }
        return count;
    }

    // ---- Receiving ----

    /**
     * Takes in a datagram.
     *
     * @param framed whether it has immediate data
     */
    void arrived(int receive, boolean framed, int immediate, long length) {
        if (violation != null) {
            return;
        }
        int sequence = immediate >>> SEQUENCE_SHIFT & SEQUENCE_MASK;
        int place = sequence & window.length - 1;
        if (!framed) {
            violation = "what has come is no message";
        } else if ((sequence - expected & SEQUENCE_MASK) >= receives) {
            violation = "message %d has come, which is not among the %d that follow %d"
                    .formatted(sequence, receives, expected & SEQUENCE_MASK);
        } else if (window[place] != NONE) {
            violation = "message %d has come twice".formatted(sequence);
        } else {
            window[place] = receive;
            immediates[receive] = immediate;
            arrivedLengths[receive] = (int) length;
        }
    }

    /**
     * Delivers the messages whose turn it is.
     *
     * @return how many events there were
     */
    int deliver(WireEvents protocol) {
        int count = 0;
        int receive = window[expected & window.length - 1];
        while (receive != NONE && !endReported) {
            boolean inPlace = (immediates[receive] & MORE) == 0 && assembling == NONE;
            if (!(inPlace ? deliverInPlace(receive, protocol) : assemble(receive, protocol))) {
                break;
            }
            window[expected & window.length - 1] = NONE;
            expected++;
            count++;
            receive = window[expected & window.length - 1];
        }
        if (violation != null && !endReported) {
            protocol.linkLost("the peer does not keep to the endpoint protocol: " + violation);
            endReported = true;
            count++;
        }
        return count;
    }

    private static int frame(int immediate) {
        return Frame.of(immediate >>> KIND_SHIFT, immediate & CREDIT_MASK);
    }

    /** Delivers a message of one datagram. Returns false after a violation. */
    private boolean deliverInPlace(int receive, WireEvents protocol) {
        int buffer = takeBuffer();
        if (buffer == NONE) {
            return false;
        }
        receiveOf[buffer] = receive;
        try {
            protocol.received(buffer, true, frame(immediates[receive]), arrivedLengths[receive]);
        } catch (Throwable e) {
            // The next call passes it again.
            free[freeCount++] = buffer;
            throw e;
        }
        return true;
    }

    /** Returns {@link #NONE} after a violation. */
    private int takeBuffer() {
        if (freeCount == 0) {
            violation = "a message for which it had no credit";
            return NONE;
        }
        return free[--freeCount];
    }

    /** Adds a fragment to a message. Returns false after a violation. */
    private boolean assemble(int receive, WireEvents protocol) {
        boolean last = (immediates[receive] & MORE) == 0;
        int length = arrivedLengths[receive];
        if (!last && length == 0 || (assembling == NONE ? 0 : assembled) + length > longest) {
            violation = "fragments that do not fit into a buffer";
            return false;
        }
        if (assembling == NONE) {
            assembling = takeBuffer();
            assembled = 0;
            if (assembling == NONE) {
                return false;
            }
            receiveOf[assembling] = IN_A_BUFFER;
        }
        datagrams.copy(receive, length, assembling, assembled);
        if (last) {
            int buffer = assembling;
            protocol.received(buffer, true, frame(immediates[receive]), assembled + length);
            assembling = NONE;
        } else {
            assembled += length;
        }
        datagrams.giveBack(receive);
        return true;
    }

    /** {@return the receive that has the message of a buffer; negative if the message was copied} */
    int receiveOf(int buffer) {
        return receiveOf[buffer];
    }

    /** Takes back a buffer of the protocol. */
    void release(int buffer) {
        free[freeCount++] = buffer;
        if (receiveOf[buffer] != IN_A_BUFFER) {
            datagrams.giveBack(receiveOf[buffer]);
        }
    }
}
