// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The incoming half of a TCP connection. It puts messages into receive buffers, and answers into the targets of their
 * requests. It serves the peer's requests, with the checks of an adapter. After an exception for lack of memory, it
 * resumes at the same byte.
 */
final class TcpInput {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private static final String CLOSED = "its owner has closed it";

    private static final String NOT_THE_PROTOCOL = "the peer does not keep to the endpoint protocol: ";

    private final TcpBuffers buffers;
    private final TcpRequests requests;
    private final TcpOutput output;
    private final Exposures exposures;
    private final Exposures grants;
    private final int maxMessage;

    /** The position in the memory of the last call. */
    private long at;
    /** The kind of the frame whose header was taken; 0 if there is none. */
    private byte kind;

    private int frame;
    private int buffer = -1;
    private MemorySegment target;
    /** The region of the target, which may be closed before all data has arrived; null if it is a receive buffer. */
    private MemoryRegion region;

    private long offset;
    private int left;
    private int length;
    /** Why nothing more is taken in; null if nothing was refused. */
    private String refusal;
    /** Whether a request was served whose end the peer may wait for. */
    private boolean urgent;
    /** Whether a message of the peer's program was passed to the protocol. */
    private boolean conversing;
    /** Whether the next frame requests an answer, and no more answers may wait. */
    private boolean paused;

    TcpInput(
            TcpBuffers buffers,
            TcpRequests requests,
            TcpOutput output,
            Exposures exposures,
            Exposures grants,
            int maxMessage) {
        this.buffers = buffers;
        this.requests = requests;
        this.output = output;
        this.exposures = exposures;
        this.grants = grants;
        this.maxMessage = maxMessage;
    }

    /** {@return why nothing more is taken in; null if nothing was refused} */
    String refusal() {
        return refusal;
    }

    /** Returns, once, whether a request was served whose end the peer may wait for. */
    boolean takeUrgent() {
        boolean was = urgent;
        urgent = false;
        return was;
    }

    /** Returns, once, whether a message of the peer's program has arrived. */
    boolean takeConversing() {
        boolean was = conversing;
        conversing = false;
        return was;
    }

    /** Whether the next frame, and everything behind it, waits until an answer is sent. */
    boolean isPaused() {
        return paused;
    }

    /**
     * Takes in received bytes. {@link #position()} returns how far it got, also if it throws.
     *
     * @param from the index of the first byte
     * @param to the index behind the last byte
     */
    void take(MemorySegment memory, long from, long to, WireEvents protocol) {
        at = from;
        paused = false;
        while (refusal == null) {
            if (kind == 0) {
                byte next = at == to ? 0 : TcpFrame.kind(memory, at);
                if (at < to && !TcpFrame.isKnown(next)) {
                    refusal = NOT_THE_PROTOCOL + "a frame of the unknown kind " + next;
                    break;
                }
                int size = at == to ? TcpFrame.HEADER : TcpFrame.size(next);
                if (to - at < size) {
                    break;
                }
                if (TcpFrame.asksForAnswer(next) && output.isFull()) {
                    paused = true;
                    break;
                }
                begin(next, memory, protocol);
                at += size;
                continue;
            }
            if (left > 0) {
                long some = Math.min(left, to - at);
                if (some == 0) {
                    break;
                }
                copy(memory, some, protocol);
                at += some;
                continue;
            }
            finish(protocol);
        }
    }

    /** Sets the position from which the next call starts. */
    void startAt(long from) {
        at = from;
    }

    /** {@return the index behind the last byte that was taken} */
    long position() {
        return at;
    }

    /** Whether the protocol has thrown for a whole frame, which must be passed again. */
    boolean mustPassAgain() {
        return kind != 0 && left == 0;
    }

    /** Takes a header. If this throws, it can be called again. */
    private void begin(byte next, MemorySegment memory, WireEvents protocol) {
        if (!requests.finishUpTo(TcpFrame.count(memory, at), output.unsent(), protocol)) {
            refusal = NOT_THE_PROTOCOL + "more acknowledgements than there were requests";
            return;
        }
        frame = TcpFrame.frame(memory, at);
        length = TcpFrame.length(memory, at);
        left = TcpFrame.hasData(next) ? length : 0;
        if (length < 0) {
            refusal = NOT_THE_PROTOCOL + "a negative length";
            return;
        }
        switch (next) {
            case TcpFrame.MESSAGE -> beginMessage(protocol);
            case TcpFrame.WRITE -> {
                region = find(memory, AccessFlag.REMOTE_WRITE);
                if (region != null) {
                    target = region.segment();
                    offset = TcpFrame.address(memory, at) - region.address();
                }
            }
            case TcpFrame.READ -> {
                MemoryRegion read = find(memory, AccessFlag.REMOTE_READ);
                if (read != null) {
                    output.answer(read, TcpFrame.address(memory, at) - read.address(), length);
                }
            }
            case TcpFrame.COMPARE_AND_SWAP, TcpFrame.FETCH_AND_ADD -> serveAtomic(next, memory);
            case TcpFrame.DATA -> {
                if (awaited(next)) {
                    region = requests.region();
                    target = requests.target();
                    offset = requests.offset();
                }
            }
            case TcpFrame.VALUE -> {
                if (awaited(next)) {
                    requests.target().set(ValueLayout.JAVA_LONG, requests.offset(), TcpFrame.operand(memory, at));
                }
            }
            case TcpFrame.REFUSED -> {
                if (awaited(next)) {
                    WorkCompletionStatus[] all = WorkCompletionStatus.values();
                    int status = Byte.toUnsignedInt(TcpFrame.status(memory, at));
                    refusal = "the peer has refused a transfer";
                    requests.failOldest(protocol, status < all.length ? all[status] : WorkCompletionStatus.UNKNOWN);
                }
            }
            default -> {}
        }
        kind = next;
    }

    private void beginMessage(WireEvents protocol) {
        if (length > maxMessage) {
            protocol.received(-1, true, frame, length);
            refusal = NOT_THE_PROTOCOL + "a message that is longer than a buffer";
        } else if (!buffers.hasFree()) {
            protocol.overrun();
            refusal = NOT_THE_PROTOCOL + "a message for which it had no credit";
        } else {
            buffer = buffers.takeFree();
            target = buffers.memory();
            offset = buffers.at(buffer);
        }
    }

    private boolean awaited(byte answer) {
        if (!requests.awaits(answer, length, output.notBegun())) {
            refusal = NOT_THE_PROTOCOL + "an answer that nobody waits for";
        }
        return refusal == null;
    }

    private MemoryRegion find(MemorySegment memory, AccessFlag right) {
        long address = TcpFrame.address(memory, at);
        int key = TcpFrame.key(memory, at);
        MemoryRegion found = exposures.find(key, address, length, right);
        if (found == null) {
            found = grants.find(key, address, length, right);
        }
        if (found == null) {
            refuse("%d bytes at 0x%x, for %s".formatted(length, address, right));
        }
        return found;
    }

    /** Refuses a request as an adapter does: reports the reason to the peer, and ends the connection. */
    private void refuse(String what) {
        output.refuse(WorkCompletionStatus.REM_ACCESS_ERR);
        refusal = "the peer asked for memory that it may not use: " + what;
    }

    private void serveAtomic(byte next, MemorySegment memory) {
        length = Long.BYTES;
        MemoryRegion changed = find(memory, AccessFlag.REMOTE_ATOMIC);
        if (changed == null) {
            return;
        }
        long address = TcpFrame.address(memory, at);
        if ((address & Long.BYTES - 1) != 0) {
            refuse("an atomic operation at 0x%x, which is no multiple of 8".formatted(address));
            return;
        }
        long place = address - changed.address();
        long operand = TcpFrame.operand(memory, at);
        output.reserveAnswer();
        if (!Exposures.beginCopy(changed)) {
            refuse(CLOSED);
            return;
        }
        try {
            output.answer(
                    next == TcpFrame.FETCH_AND_ADD
                            ? (long) WORD.getAndAdd(changed.segment(), place, operand)
                            : (long) WORD.compareAndExchange(
                                    changed.segment(), place, operand, TcpFrame.newValue(memory, at)));
        } catch (IllegalStateException | WrongThreadException e) {
            refuse(why(e));
        } finally {
            Exposures.endCopy(changed);
        }
    }

    private void copy(MemorySegment memory, long some, WireEvents protocol) {
        if (region != null && !Exposures.beginCopy(region)) {
            fail(CLOSED, protocol);
            return;
        }
        try {
            MemorySegment.copy(memory, at, target, offset, some);
        } catch (IllegalStateException | WrongThreadException e) {
            fail(why(e), protocol);
        } finally {
            if (region != null) {
                Exposures.endCopy(region);
            }
        }
        offset += some;
        left -= (int) some;
    }

    /** The memory of the peer's write, or of this side's read, cannot be used. */
    private void fail(String why, WireEvents protocol) {
        if (kind == TcpFrame.WRITE) {
            refuse(why);
        } else {
            refusal = "a transfer cannot read into its memory any more: " + why;
            requests.failOldest(protocol, WorkCompletionStatus.LOC_PROT_ERR);
        }
    }

    private static String why(RuntimeException e) {
        return e instanceof WrongThreadException ? "its arena is confined to another thread" : CLOSED;
    }

    private void finish(WireEvents protocol) {
        switch (kind) {
            case TcpFrame.MESSAGE -> {
                protocol.received(buffer, true, frame, length);
                conversing |= Frame.kind(frame) == Frame.MESSAGE;
                buffer = -1;
                output.served();
            }
            case TcpFrame.WRITE, TcpFrame.PROBE -> {
                output.served();
                urgent = true;
            }
            case TcpFrame.DATA, TcpFrame.VALUE -> {
                requests.finishOldest(protocol);
                output.answered();
            }
            default -> {}
        }
        target = null;
        region = null;
        kind = 0;
    }
}
