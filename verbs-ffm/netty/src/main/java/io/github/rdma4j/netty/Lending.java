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
import java.util.ArrayDeque;

/**
 * Buffers of {@link RdmaByteBufAllocator} that the adapter reads where they lie: each is retained until its message has
 * arrived. Used by the event loop, and then by the thread that closes.
 */
final class Lending {
    /** Up to this length a copy costs less than a message whose end is waited for. */
    private static final int COPIED = 1024;

    /** Returned by {@link #trySend} if the bytes must be copied. */
    static final int NOT_LENT = Integer.MIN_VALUE;

    private final Endpoint endpoint;
    /** Null over TCP, and where it may become TCP: what is sent again must not lie in a program's buffer. */
    private final ProtectionDomain domain;
    /** In the order of their messages, in which these end. */
    private final ArrayDeque<ByteBuf> lent = new ArrayDeque<>();

    private long messages;

    private final TransferHandler ended =
            (id, original, failure) -> lent.remove().release();

    /**
     * Nothing is lent yet.
     *
     * @param moves whether the endpoint may move between transports
     */
    Lending(Endpoint endpoint, boolean moves) {
        this.endpoint = endpoint;
        this.domain = !moves && endpoint.transport() == Transport.RDMA ? endpoint.protectionDomain() : null;
    }

    /**
     * Sends the first readable bytes of a buffer from where they lie.
     *
     * @return as {@link Endpoint#trySend(long, MemorySlice)}; {@link #NOT_LENT} if they cannot be lent, and then
     *     nothing has happened
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
        int code = endpoint.trySend(0, slice);
        if (code == Endpoint.OK) {
            // Not what lies behind it, so that a leak detector sees its release.
            lent.add(buffer.retain());
            messages++;
        }
        return code;
    }

    /** For tests: how many messages the adapter has taken from where they lay. */
    long messages() {
        return messages;
    }

    /**
     * Whether somebody else has retained a buffer, or what lies behind it, and could change it. Slices may count for
     * themselves or with what lies behind them.
     */
    private boolean isKept(ByteBuf buffer, RegisteredByteBuf registered) {
        int mine = 1;
        // A long buffer is several messages.
        for (ByteBuf one : lent) {
            mine += one == buffer ? 1 : 0;
        }
        return buffer.refCnt() != mine || registered.refCnt() != mine && registered.refCnt() != 1;
    }

    /** Gives back what has arrived. */
    void takeBack() {
        if (!lent.isEmpty()) {
            endpoint.transfers().pollTransfers(ended);
        }
    }

    /** The endpoint is closed, and the adapter reads nothing any more. */
    void takeAllBack() {
        lent.forEach(ByteBuf::release);
        lent.clear();
    }
}
