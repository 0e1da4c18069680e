// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A received message, where the adapter has put it. Valid until the {@link MessageHandler} that got it returns; whoever needs the
 * bytes longer copies them.
 */
public final class Message {
    private final MemorySegment buffer;
    private MemorySegment view;

    Message(MemorySegment buffer) {
        this.buffer = buffer;
        this.view = buffer;
    }

    /** Peers mostly send messages of one length, and then the view that was made for the last one is the right one. */
    void length(long bytes) {
        if (view.byteSize() != bytes) {
            view = buffer.asSlice(0, bytes);
        }
    }

    /** {@return the number of bytes, which can be 0} */
    public long length() {
        return view.byteSize();
    }

    /**
     * The bytes themselves, without a copy. To keep the segment is a mistake that shows other data later, or after the close of the
     * endpoint an {@link IllegalStateException}; it cannot crash the JVM.
     *
     * @return exactly {@link #length()} bytes, aligned to 64
     */
    public MemorySegment segment() {
        return view;
    }

    /** {@return a copy of the bytes} */
    public byte[] toBytes() {
        return view.toArray(ValueLayout.JAVA_BYTE);
    }

    /** {@return the length} */
    @Override
    public String toString() {
        return "message of " + length() + " bytes";
    }
}
