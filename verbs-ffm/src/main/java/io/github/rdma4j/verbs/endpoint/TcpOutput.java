// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.StreamSocket;
import java.lang.foreign.MemorySegment;

/**
 * What is to be sent over a TCP connection, in its order: it goes through a buffer to the kernel, as far as the kernel
 * has room. So memory that its owner closes meanwhile is an exception of the copy, and never read by the kernel.
 */
final class TcpOutput {
    /** One frame. The objects are used again and again. */
    private static final class Entry {
        byte kind;
        byte status;
        int frame;
        int length;
        long address;
        int key;
        long operand;
        long newValue;
        /** Of an answer: the request, counted from 1; 0 of others. */
        long answers;

        MemorySegment data;
        /** Of an answer to a read: what may be taken from the peer before all is sent. */
        MemoryRegion region;

        long offset;
    }

    private final StreamSocket socket;
    private final MemorySegment buffer;
    private long from;
    private long to;

    private Entry[] entries = {new Entry(), new Entry(), new Entry(), new Entry()};
    private int first;
    private int count;
    /** Of the first entry: the bytes of its data that are still to be copied; negative before its header. */
    private long left = -1;

    private int answersWaiting;
    /** How many requests of the peer were served, those included whose answers wait here. */
    private long served;
    /** What the peer was told last. */
    private int told;

    private boolean closed;

    TcpOutput(StreamSocket socket, MemorySegment buffer) {
        this.socket = socket;
        this.buffer = buffer;
    }

    // ---- What is to be sent ----

    /** The next one, to be filled by the caller at once. */
    private Entry add(byte kind) {
        if (count == entries.length) {
            grow();
        }
        Entry entry = entries[(first + count++) & entries.length - 1];
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

    /** Twice as long, which is a power of two. */
    private void grow() {
        Entry[] longer = new Entry[2 * entries.length];
        for (int i = 0; i < longer.length; i++) {
            longer[i] = i < entries.length ? entries[(first + i) & entries.length - 1] : new Entry();
        }
        entries = longer;
        first = 0;
    }

    void message(int frame, MemorySegment data, long offset, int length) {
        Entry entry = add(TcpFrame.MESSAGE);
        entry.frame = frame;
        entry.data = data;
        entry.offset = offset;
        entry.length = length;
    }

    void probe() {
        add(TcpFrame.PROBE);
    }

    /** A request of the peer's memory; the data are null where there are none to send. */
    void request(
            byte kind,
            long address,
            int key,
            int length,
            long operand,
            long newValue,
            MemorySegment data,
            long offset) {
        Entry entry = add(kind);
        entry.address = address;
        entry.key = key;
        entry.length = length;
        entry.operand = operand;
        entry.newValue = newValue;
        entry.data = data;
        entry.offset = offset;
    }

    /** A request of the peer was served, and needs no answer. */
    void served() {
        served++;
    }

    void answer(MemoryRegion region, long offset, int length) {
        Entry entry = answer(TcpFrame.DATA);
        entry.region = region;
        entry.data = region.segment();
        entry.offset = offset;
        entry.length = length;
    }

    void answer(long value) {
        answer(TcpFrame.VALUE).operand = value;
    }

    void refuse(WorkCompletionStatus status) {
        answer(TcpFrame.REFUSED).status = (byte) status.ordinal();
    }

    private Entry answer(byte kind) {
        Entry entry = add(kind);
        entry.answers = ++served;
        answersWaiting++;
        return entry;
    }

    int answersWaiting() {
        return answersWaiting;
    }

    /** How many requests of the peer are done and it does not know of it. */
    int owed() {
        return done() - told;
    }

    /** Those before the first answer that waits. */
    private int done() {
        if (answersWaiting == 0) {
            return (int) served;
        }
        int i = 0;
        while (at(i).answers == 0 || i == 0 && left >= 0) {
            i++;
        }
        return (int) at(i).answers - 1;
    }

    private Entry at(int index) {
        return entries[(first + index) & entries.length - 1];
    }

    /** If something is owed and nothing goes there anyway. */
    void acknowledge() {
        if (count == 0 && owed() != 0) {
            add(TcpFrame.ACKNOWLEDGEMENT);
        }
    }

    // ---- Sending ----

    /** Whether something waits for the kernel to have room. */
    boolean isBlocked() {
        return !closed && (to > from || count > 0);
    }

    /**
     * Sends what the kernel takes.
     *
     * @return 0, or the errno of a broken connection
     * @throws IllegalStateException if memory was closed that is to be sent
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
            from += sent;
            if (from == to) {
                from = 0;
                to = 0;
            }
        }
        return 0;
    }

    private void fill() {
        while (count > 0) {
            Entry entry = entries[first];
            if (left < 0) {
                int size = TcpFrame.size(entry.kind);
                if (buffer.byteSize() - to < size) {
                    return;
                }
                writeHeader(entry, size);
            }
            long length = Math.min(left, buffer.byteSize() - to);
            if (length > 0) {
                if (entry.region != null && !Exposures.isThere(entry.region)) {
                    throw new IllegalStateException("the peer reads " + entry.region);
                }
                MemorySegment.copy(entry.data, entry.offset, buffer, to, length);
                entry.offset += length;
                to += length;
                left -= length;
            }
            if (left > 0) {
                return;
            }
            entry.data = null;
            entry.region = null;
            left = -1;
            first = (first + 1) & entries.length - 1;
            count--;
        }
    }

    private void writeHeader(Entry entry, int size) {
        told = done();
        TcpFrame.write(buffer, to, entry.kind, entry.status, told, entry.frame, entry.length);
        if (size > TcpFrame.HEADER) {
            TcpFrame.writePlace(buffer, to, entry.address, entry.key, entry.operand, entry.newValue);
        }
        to += size;
        left = TcpFrame.hasData(entry.kind) ? entry.length : 0;
        if (entry.answers > 0) {
            // What is sent from now on lies behind it.
            answersWaiting--;
            told++;
        }
    }

    /** Nothing more is sent. */
    void close() {
        closed = true;
    }
}
