// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.TransferHandler;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Sends buffers of {@link RdmaByteBufAllocator} without a copy. Each is retained until its message has arrived. Used by
 * the event loop, and then by the thread that closes.
 */
final class Lending {
    /** Up to this length, a copy costs less than a signaled message. */
    private static final int COPIED = 1024;

    /** Returned by {@link #trySend} if the bytes must be copied. */
    static final int NOT_LENT = Integer.MIN_VALUE;

    /** Posts a message, as {@link Endpoint#trySend(long, MemorySlice)} does. */
    interface Sender {
        int trySend(long id, MemorySlice message);
    }

    private final Endpoint endpoint;
    private final Sender sender;
    /** Null over TCP, and with failover, which sends messages again from its own memory. */
    private final ProtectionDomain domain;
    /**
     * A ring of the retained buffers, in the order of their messages and completions. An {@code ArrayDeque} loses its
     * elements if it cannot grow.
     */
    private ByteBuf[] lent = new ByteBuf[16];

    private int first;
    private int count;
    private long messages;

    private final TransferHandler ended = (id, original, failure) -> releaseFirst();

    /**
     * Creates it.
     *
     * @param moves whether the endpoint may move between transports
     */
    Lending(Endpoint endpoint, boolean moves) {
        this(
                endpoint,
                endpoint::trySend,
                !moves && endpoint.transport() == Transport.RDMA ? endpoint.protectionDomain() : null);
    }

    /** Also for tests. Only {@link #takeBack} uses the endpoint. */
    Lending(Endpoint endpoint, Sender sender, ProtectionDomain domain) {
        this.endpoint = endpoint;
        this.sender = sender;
        this.domain = domain;
    }

    /**
     * Sends the first readable bytes of a buffer without a copy.
     *
     * @return as {@link Endpoint#trySend(long, MemorySlice)}; {@link #NOT_LENT}, without a change, if they must be
     *     copied
     */
    int trySend(ByteBuf buffer, int length) {
        if (domain == null || length <= COPIED) {
            return NOT_LENT;
        }
        RegisteredByteBuf registered = RegisteredByteBuf.behind(buffer);
        if (registered == null || registered.block() == null || isKept(buffer, registered)) {
            return NOT_LENT;
        }
        ByteBuffer bytes = buffer.internalNioBuffer(buffer.readerIndex(), length);
        MemorySlice slice = registered.block().slice(domain, bytes, length);
        if (slice == null) {
            return NOT_LENT;
        }
        add(buffer);
        int code;
        try {
            code = sender.trySend(0, slice);
        } catch (RuntimeException e) {
            removeLast();
            throw e;
        }
        // After an Error the adapter may have the message: its buffer stays retained until the endpoint is closed.
        if (code == Endpoint.OK) {
            messages++;
        } else {
            removeLast();
        }
        return code;
    }

    private void add(ByteBuf buffer) {
        if (count == lent.length) {
            ByteBuf[] longer = Arrays.copyOf(lent, 2 * count);
            System.arraycopy(lent, 0, longer, count, first);
            Arrays.fill(longer, 0, first, null);
            lent = longer;
        }
        // The buffer itself, not its parent, so that a leak detector sees its release.
        buffer.retain();
        lent[(first + count) & (lent.length - 1)] = buffer;
        count++;
    }

    private void removeLast() {
        int last = (first + count - 1) & (lent.length - 1);
        ByteBuf buffer = lent[last];
        lent[last] = null;
        count--;
        buffer.release();
    }

    private void releaseFirst() {
        ByteBuf buffer = lent[first];
        lent[first] = null;
        first = (first + 1) & (lent.length - 1);
        count--;
        buffer.release();
    }

    /** For tests: the number of messages sent without a copy. */
    long messages() {
        return messages;
    }

    /**
     * Whether other code has retained a buffer or its parent, and could change it. Slices may have a count of their own
     * or share the parent's.
     */
    private boolean isKept(ByteBuf buffer, RegisteredByteBuf registered) {
        int mine = 1;
        // A long buffer is several messages.
        for (int i = 0; i < count; i++) {
            mine += lent[(first + i) & (lent.length - 1)] == buffer ? 1 : 0;
        }
        return buffer.refCnt() != mine || registered.refCnt() != mine && registered.refCnt() != 1;
    }

    /** Releases the buffers of messages that have arrived. */
    void takeBack() {
        if (count > 0) {
            endpoint.transfers().pollTransfers(ended);
        }
    }

    /** Releases all buffers after the endpoint was closed. */
    void takeAllBack() {
        while (count > 0) {
            releaseFirst();
        }
    }
}
