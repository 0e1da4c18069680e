// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import java.lang.foreign.MemorySegment;

/**
 * The outgoing half of a TCP connection. Frames are copied through a buffer to the kernel, as long as the kernel's
 * buffer has space. The kernel never reads the program's memory: if its owner closes it meanwhile, the copy throws.
 *
 * <p>The memory is bounded. The send queue limits this side's own requests, and {@link TcpFrame#answers} limits the
 * answers to the peer's reads and atomic operations. Both sides observe this limit: a side holds its own requests back
 * while that many of its answers are outstanding ({@link #next}), and takes in no requests while that many answers wait
 * to be sent ({@link #isFull}). Answers overtake requests that are held back; otherwise two sides that read from each
 * other would wait for each other.
 */
final class TcpOutput {
    /** A frame. The objects are reused. */
    private static final class Entry {
        byte kind;
        byte status;
        int frame;
        int length;
        long address;
        int key;
        long operand;
        long newValue;
        /** The frame's number, counted over both queues. */
        long number;
        /** The number of the peer's request, from 1; for an answer. */
        long answers;

        MemorySegment data;
        /** The region of the data, which may be closed before everything is sent; null for a message. */
        MemoryRegion region;

        long offset;
    }

    /** A ring of frames, whose capacity is a power of two. */
    private static final class Queue {
        private Entry[] entries = {new Entry(), new Entry(), new Entry(), new Entry()};
        private int first;
        private int count;

        /** {@return the entry behind the last one, which the caller fills before {@link #commit}} */
        Entry prepare(byte kind) {
            if (count == entries.length) {
                grow();
            }
            Entry entry = entries[(first + count) & entries.length - 1];
            entry.kind = kind;
            entry.status = 0;
            entry.frame = 0;
            entry.length = 0;
            entry.address = 0;
            entry.key = 0;
            entry.operand = 0;
            entry.newValue = 0;
            entry.answers = 0;
            entry.data = null;
            entry.region = null;
            return entry;
        }

        void commit() {
            count++;
        }

        private void grow() {
            Entry[] longer = new Entry[2 * entries.length];
            for (int i = 0; i < longer.length; i++) {
                longer[i] = i < entries.length ? entries[(first + i) & entries.length - 1] : new Entry();
            }
            entries = longer;
            first = 0;
        }

        boolean isEmpty() {
            return count == 0;
        }

        int size() {
            return count;
        }

        Entry first() {
            return entries[first];
        }

        Entry second() {
            return entries[(first + 1) & entries.length - 1];
        }

        void remove() {
            Entry entry = entries[first];
            entry.data = null;
            entry.region = null;
            first = (first + 1) & entries.length - 1;
            count--;
        }

        void clear() {
            while (count > 0) {
                remove();
            }
        }
    }

    private final StreamSocket socket;
    private final MemorySegment buffer;
    /** How many answers of the peer may be outstanding. */
    private final int mostAsked;
    /** How many answers may wait here. */
    private final int mostAnswers;

    private long from;
    private long to;

    private final Queue requests = new Queue();
    private final Queue answers = new Queue();
    private long numbers;
    /** The queue whose first frame has its header in the buffer, and not all of its data; null if there is none. */
    private Queue begun;
    /** How many bytes of that frame are not in the buffer yet. */
    private long left;
    /** How many answers of the peer are outstanding. */
    private int asked;

    /** How many requests of the peer were served, including those whose answers wait here. */
    private long served;
    /** The last count of done requests that was sent to the peer. */
    private int acknowledged;
    /** Whether that count must be sent even if no other frame can carry it. */
    private boolean acknowledges;

    private boolean closed;

    /** Whether the buffer has bytes of an answer. */
    private boolean answerBuffered;
    /** For how long the kernel has taken nothing of a waiting answer, in nanoseconds; see {@link #stalled}. */
    private long stalled;

    private boolean stalling;
    private long lastLook;

    /**
     * Creates the output of a connected socket.
     *
     * @param mostAsked how many answers of the peer may be outstanding
     * @param mostAnswers how many answers to the peer may wait here
     */
    TcpOutput(StreamSocket socket, MemorySegment buffer, int mostAsked, int mostAnswers) {
        this.socket = socket;
        this.buffer = buffer;
        this.mostAsked = mostAsked;
        this.mostAnswers = mostAnswers;
    }

    // ---- Queueing ----

    void message(int frame, MemorySegment data, long offset, int length) {
        Entry entry = requests.prepare(TcpFrame.MESSAGE);
        entry.number = numbers++;
        entry.frame = frame;
        entry.data = data;
        entry.offset = offset;
        entry.length = length;
        requests.commit();
    }

    void probe() {
        requests.prepare(TcpFrame.PROBE).number = numbers++;
        requests.commit();
    }

    /** Queues a request for the peer's memory; an atomic operation has no data to send. */
    void request(
            byte kind,
            long address,
            int key,
            int length,
            long operand,
            long newValue,
            MemoryRegion region,
            long offset) {
        Entry entry = requests.prepare(kind);
        entry.number = numbers++;
        entry.address = address;
        entry.key = key;
        entry.length = length;
        entry.operand = operand;
        entry.newValue = newValue;
        entry.region = region;
        entry.data = region == null ? null : region.segment();
        entry.offset = offset;
        requests.commit();
    }

    /** Counts a request of the peer that was served and needs no answer. */
    void served() {
        served++;
    }

    void answer(MemoryRegion region, long offset, int length) {
        Entry entry = answers.prepare(TcpFrame.DATA);
        entry.region = region;
        entry.data = region.segment();
        entry.offset = offset;
        entry.length = length;
        commitAnswer(entry);
    }

    /** Allocates the memory of the next answer, so that a request is never served twice. */
    void reserveAnswer() {
        answers.prepare(TcpFrame.VALUE);
    }

    void answer(long value) {
        Entry entry = answers.prepare(TcpFrame.VALUE);
        entry.operand = value;
        commitAnswer(entry);
    }

    void refuse(WorkCompletionStatus status) {
        Entry entry = answers.prepare(TcpFrame.REFUSED);
        entry.status = (byte) status.ordinal();
        commitAnswer(entry);
    }

    private void commitAnswer(Entry entry) {
        entry.number = numbers++;
        entry.answers = served + 1;
        answers.commit();
        served++;
    }

    /** Whether no further answer may be added. */
    boolean isFull() {
        return answers.size() >= mostAnswers;
    }

    /** {@return how many requests of this side are not in the buffer with all of their data} */
    int unsent() {
        return requests.size();
    }

    /** {@return how many requests of this side do not have their header in the buffer} */
    int notBegun() {
        return begun == requests ? requests.size() - 1 : requests.size();
    }

    /** Whether answers of the peer are outstanding. */
    boolean isAsking() {
        return asked > 0;
    }

    /** Counts the peer's answer to the oldest read or atomic operation of this side. */
    void answered() {
        asked--;
    }

    /** {@return how many requests of the peer are done and not acknowledged} */
    int owed() {
        return done() - acknowledged;
    }

    /** {@return the number of the requests before the first answer whose header is not in the buffer} */
    private int done() {
        int waiting = begun == answers ? answers.size() - 1 : answers.size();
        if (waiting == 0) {
            return (int) served;
        }
        Entry oldest = begun == answers ? answers.second() : answers.first();
        return (int) oldest.answers - 1;
    }

    /** Sends owed acknowledgements, with the next frame or alone. */
    void acknowledge() {
        acknowledges |= owed() != 0;
    }

    // ---- Sending ----

    /** Whether something waits for space in the kernel's buffer. A request that is held back does not. */
    boolean isBlocked() {
        return !closed && (to > from || begun != null || next() != null || acknowledges && owed() != 0);
    }

    /**
     * Sends as much as the kernel takes.
     *
     * @return 0, or the errno of a broken connection
     * @throws IllegalStateException if memory that must be sent was closed
     */
    int send() {
        while (!closed) {
            fill();
            if (to == from) {
                return 0;
            }
            long sent = socket.send(buffer, from, to - from);
            if (sent < 0) {
                return (int) -sent;
            }
            if (sent == 0) {
                return 0;
            }
            stalling = false;
            from += sent;
            if (from == to) {
                from = 0;
                to = 0;
                answerBuffered = false;
            }
        }
        return 0;
    }

    /**
     * Returns for how long the kernel has taken nothing although an answer waits, so that the peer has not read its
     * answers.
     *
     * @param now the current {@link System#nanoTime}
     * @param longestGap the longest time between two calls that counts, in nanoseconds: this side may have been
     *     suspended
     */
    long stalled(long now, long longestGap) {
        if (answers.isEmpty() && !answerBuffered) {
            stalling = false;
            return 0;
        }
        stalled = stalling ? stalled + Math.min(longestGap, now - lastLook) : 0;
        stalling = true;
        lastLook = now;
        return stalled;
    }

    private void fill() {
        while (true) {
            if (begun == null) {
                Queue queue = next();
                if (queue == null) {
                    writeAcknowledgement();
                    return;
                }
                Entry entry = queue.first();
                int size = TcpFrame.size(entry.kind);
                if (buffer.byteSize() - to < size) {
                    return;
                }
                writeHeader(entry, size);
                begun = queue;
                answerBuffered |= queue == answers;
            }
            Entry entry = begun.first();
            long length = Math.min(left, buffer.byteSize() - to);
            if (length > 0) {
                copy(entry, length);
                entry.offset += length;
                to += length;
                left -= length;
            }
            if (left > 0) {
                return;
            }
            begun.remove();
            begun = null;
        }
    }

    private void copy(Entry entry, long length) {
        MemoryRegion region = entry.region;
        if (region == null) {
            MemorySegment.copy(entry.data, entry.offset, buffer, to, length);
            return;
        }
        if (!Exposures.beginCopy(region)) {
            throw new IllegalStateException(region + " is closed");
        }
        try {
            MemorySegment.copy(entry.data, entry.offset, buffer, to, length);
        } finally {
            Exposures.endCopy(region);
        }
    }

    /** {@return the queue with the oldest frame that may be sent now; null if there is none} */
    private Queue next() {
        boolean held = requests.isEmpty() || asked >= mostAsked && TcpFrame.asksForAnswer(requests.first().kind);
        if (answers.isEmpty()) {
            return held ? null : requests;
        }
        return held || answers.first().number < requests.first().number ? answers : requests;
    }

    private void writeHeader(Entry entry, int size) {
        int done = done();
        TcpFrame.write(buffer, to, entry.kind, entry.status, done, entry.frame, entry.length);
        if (size > TcpFrame.HEADER) {
            TcpFrame.writePlace(buffer, to, entry.address, entry.key, entry.operand, entry.newValue);
        }
        to += size;
        left = TcpFrame.hasData(entry.kind) ? entry.length : 0;
        // An answer acknowledges its request.
        acknowledged = entry.answers > 0 ? done + 1 : done;
        if (TcpFrame.asksForAnswer(entry.kind)) {
            asked++;
        }
    }

    private void writeAcknowledgement() {
        if (acknowledges && owed() != 0) {
            if (buffer.byteSize() - to < TcpFrame.HEADER) {
                return;
            }
            acknowledged = done();
            TcpFrame.write(buffer, to, TcpFrame.ACKNOWLEDGEMENT, (byte) 0, acknowledged, 0, 0);
            to += TcpFrame.HEADER;
        }
        acknowledges = false;
    }

    /** Drops all frames, and the references to their memory. */
    void close() {
        closed = true;
        begun = null;
        requests.clear();
        answers.clear();
    }
}
