// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A received message that you keep in the receive buffer, without a copy; see {@link Endpoint#receiveHeld} and {@link
 * Message#hold}. Closing it returns the buffer to the adapter and a credit to the peer. A program that holds all of its
 * {@link EndpointConfig#receiveBuffers} receives no further message.
 *
 * <p>It can be read and closed after the endpoint is closed; the memory is freed with the last held message.
 *
 * <p>Thread safety: any thread may call any method. A thread that reads the segment while another one closes the
 * message sees other bytes, or gets an {@link IllegalStateException}.
 *
 * @since 0.1.0
 */
public final class HeldMessage implements AutoCloseable {
    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(HeldMessage.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Engine engine;
    private final int buffer;
    private final MemorySegment view;
    private volatile boolean closed;

    HeldMessage(Engine engine, int buffer, MemorySegment view) {
        this.engine = engine;
        this.buffer = buffer;
        this.view = view;
    }

    private MemorySegment requireOpen() {
        if (closed) {
            throw new IllegalStateException("this message was given back: its buffer takes other messages now");
        }
        return view;
    }

    /**
     * The number of bytes, which can be 0.
     *
     * @return the number of bytes
     * @throws IllegalStateException if this message is closed
     */
    public long length() {
        return requireOpen().byteSize();
    }

    /**
     * The bytes themselves, without a copy. To keep the segment beyond the close is a mistake that shows other data
     * later; it cannot crash the JVM.
     *
     * @return exactly {@link #length()} bytes, aligned to 64
     * @throws IllegalStateException if this message is closed
     */
    public MemorySegment segment() {
        return requireOpen();
    }

    /**
     * A copy of the bytes.
     *
     * @return the copy
     * @throws IllegalStateException if this message is closed
     */
    public byte[] toBytes() {
        return requireOpen().toArray(ValueLayout.JAVA_BYTE);
    }

    /** Gives the buffer back. Twice does nothing. */
    @Override
    public void close() {
        if (CLOSED.compareAndSet(this, false, true)) {
            try {
                engine.release(buffer);
            } catch (Error e) {
                engine.fatalError = e;
                throw e;
            }
        }
    }

    /** {@return the length, as long as the message is open} */
    @Override
    public String toString() {
        return closed ? "message that was given back" : "held message of " + view.byteSize() + " bytes";
    }
}
