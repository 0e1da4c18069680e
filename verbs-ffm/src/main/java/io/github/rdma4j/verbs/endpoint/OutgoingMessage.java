// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import java.lang.foreign.MemorySegment;

/**
 * A message that you write into the send buffer, without a copy; see {@link Endpoint#claim}. It has a slot in the send
 * queue and a credit, so {@link #send} never waits. Its order among messages and transfers is the order of the calls of
 * {@link #send}. If others wait at that time, it is copied and sent after them, when a thread makes progress in the
 * endpoint.
 *
 * <p>Do not wait for buffers, for example for another claim, before all claimed messages are sent or closed: their
 * credits look unused to a peer that {@linkplain HeldMessage holds} messages, and the peer may keep other credits back
 * until then.
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
            engine.fatalError = e;
            throw e;
        }
    }

    /** Returns the slot and the credit, unless the message was sent. */
    @Override
    public void close() {
        if (!done) {
            done = true;
            try {
                engine.giveBack(slot);
            } catch (Error e) {
                engine.fatalError = e;
                throw e;
            }
        }
    }
}
