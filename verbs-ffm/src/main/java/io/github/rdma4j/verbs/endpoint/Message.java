// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;

/**
 * A received message in the receive buffer. Valid until the {@link MessageHandler} that got it returns; copy the bytes
 * or {@linkplain #hold() hold} the message to use it longer. Afterwards all methods throw an {@link
 * IllegalStateException}, until the object is reused for another message.
 *
 * @since 0.1.0
 */
public final class Message {
    private final MemorySegment buffer;
    /** The bytes of {@link #buffer}; null until somebody needs it. */
    private ByteBuffer bytes;

    private MemorySegment view;
    /** Of the view. */
    private long length;

    private Engine engine;
    private int number;
    private boolean held;
    /** The program's. */
    private Object attachment;
    /** Not volatile: using a message too late is a mistake, and mostly in the same thread. */
    private boolean open;

    Message(MemorySegment buffer) {
        this.buffer = buffer;
        this.view = buffer;
        this.length = buffer.byteSize();
    }

    /** Peers mostly send messages of one length, and then the view that was made for the last one is the right one. */
    Message open(long bytes) {
        if (length != bytes) {
            view = buffer.asSlice(0, bytes);
            length = bytes;
        }
        open = true;
        return this;
    }

    /** The whole buffer, for sums and copies; nobody relies on position and limit. */
    ByteBuffer whole() {
        if (bytes == null) {
            bytes = buffer.asByteBuffer();
        }
        return bytes;
    }

    /** Where it goes back to. */
    Message of(Engine newEngine, int newNumber) {
        // Mostly the same one, and a store costs the garbage collector's note of it.
        if (engine != newEngine) {
            engine = newEngine;
        }
        number = newNumber;
        held = false;
        return this;
    }

    /** Its handler has returned; false if it is held. */
    boolean close() {
        open = false;
        return !held;
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException(
                    "this message was valid until its handler returned: copy its bytes there, with toBytes(), or hold"
                            + " it");
        }
    }

    /**
     * The number of bytes, which can be 0.
     *
     * @return the number of bytes
     * @throws IllegalStateException if the handler has returned
     */
    public long length() {
        requireOpen();
        return length;
    }

    /**
     * The bytes themselves, without a copy. Do not keep the segment: it later shows other messages, or throws {@link
     * IllegalStateException} after the endpoint is closed. It cannot crash the JVM.
     *
     * @return exactly {@link #length()} bytes, aligned to 64
     * @throws IllegalStateException if the handler has returned
     */
    public MemorySegment segment() {
        requireOpen();
        return view;
    }

    /**
     * A copy of the bytes.
     *
     * @return the copy
     * @throws IllegalStateException if the handler has returned
     */
    public byte[] toBytes() {
        requireOpen();
        return view.toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Copies the bytes into a buffer, with less effort than by way of {@link #segment()}.
     *
     * @param target gets them from its position on, which is behind them then
     * @throws java.nio.BufferOverflowException if they do not fit; nothing was copied then
     * @throws java.nio.ReadOnlyBufferException if the buffer is read-only
     * @throws IllegalStateException if the handler has returned
     */
    public void copyTo(ByteBuffer target) {
        requireOpen();
        int size = (int) length;
        if (size > target.remaining()) {
            throw new BufferOverflowException();
        }
        int position = target.position();
        target.put(position, whole(), 0, size);
        target.position(position + size);
    }

    /**
     * Keeps the message beyond the handler, without a copy. Until it is closed, the peer has one credit less.
     *
     * @return the message, to be closed
     * @throws IllegalStateException if the handler has returned, or holds it already
     */
    public HeldMessage hold() {
        requireOpen();
        if (held) {
            throw new IllegalStateException("this message is held already");
        }
        HeldMessage lease = new HeldMessage(engine, number, view);
        held = true;
        return lease;
    }

    /**
     * Attaches an object to the receive buffer of this message. Later messages in the same buffer return it from {@link
     * #attachment()}. Use it to cache an object for each buffer, for example another library's view of the bytes. The
     * endpoints of a group share buffers, and so these objects.
     *
     * @param newAttachment for later messages in the same buffer; null for none
     * @throws IllegalStateException if the handler has returned
     */
    public void attach(Object newAttachment) {
        requireOpen();
        attachment = newAttachment;
    }

    /**
     * {@return what was {@linkplain #attach attached} at this or an earlier message in the same buffer; null for
     * nothing}
     *
     * @throws IllegalStateException if the handler has returned
     */
    public Object attachment() {
        requireOpen();
        return attachment;
    }

    /** {@return the length, as long as the message is valid} */
    @Override
    public String toString() {
        return open ? "message of " + length + " bytes" : "message that is over";
    }
}
