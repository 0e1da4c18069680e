// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.lang.foreign.MemorySegment;

/**
 * A message that is written where the adapter will take it from, so that it need not be copied: {@link Endpoint#claim}
 * gives it. It has its place in the send queue and its credit already, so {@link #send} never waits. Its turn among
 * messages and transfers is that of the call of {@link #send}; only if others wait before it then, it is copied, and
 * leaves behind them, when a thread makes progress in the endpoint.
 *
 * <p>Do not wait for room, for another claim for instance, before all claimed messages are sent or closed: their
 * credits look unused to a peer that {@linkplain HeldMessage holds} messages, and it may keep back others until then.
 *
 * <p>Thread safety: one thread at a time.
 *
 * @since 0.1.0
 */
public final class OutgoingMessage implements AutoCloseable {
    private final Engine engine;
    private final int slot;
    private final MemorySegment segment;
    private boolean done;

    OutgoingMessage(Engine engine, int slot, MemorySegment segment) {
        this.engine = engine;
        this.slot = slot;
        this.segment = segment;
    }

    private void requireOpen() {
        if (done) {
            throw new IllegalStateException("this message was sent or given back: claim another one");
        }
    }

    /**
     * Where to write the message. To write there after {@link #send} or {@link #close} is a mistake that changes this
     * message or a later one; it cannot crash the JVM.
     *
     * @return {@link Endpoint#maxMessageSize()} bytes, aligned to 64, with any contents
     * @throws IllegalStateException if this message was sent or closed
     */
    public MemorySegment segment() {
        requireOpen();
        return segment;
    }

    /**
     * Sends the first bytes of the segment.
     *
     * @param length how many, 0 to {@link Endpoint#maxMessageSize()}
     * @throws IllegalArgumentException if it is another length; the message is not lost
     * @throws ClosedByPeerException if the peer has closed
     * @throws ConnectionLostException if the connection is lost
     * @throws IllegalStateException if this message was sent or closed, or the endpoint is closed
     */
    public void send(long length) {
        requireOpen();
        if (length < 0 || length > segment.byteSize()) {
            throw new IllegalArgumentException(
                    "a message of %d bytes: 0 to %d fit".formatted(length, segment.byteSize()));
        }
        done = true;
        try {
            engine.sendClaimed(slot, length);
        } catch (Error e) {
            engine.interrupted = e;
            throw e;
        }
    }

    /** Gives place and credit back, unless the message was sent. */
    @Override
    public void close() {
        if (!done) {
            done = true;
            try {
                engine.giveBack(slot);
            } catch (Error e) {
                engine.interrupted = e;
                throw e;
            }
        }
    }
}
