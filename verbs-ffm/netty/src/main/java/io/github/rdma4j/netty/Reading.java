// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.LoopChannels;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;

/**
 * The reading half of a channel: passes arrived bytes to the pipeline when the program reads, and then the end. Used
 * only by the event loop, except {@link #isShutDown()}.
 */
final class Reading {
    private final RdmaSocketChannel channel;
    private final Inbound inbound;
    /** Whether the program has requested a read. */
    private boolean pending;
    /** Whether a task of the event loop will continue. */
    private boolean scheduled;
    /** Whether the end was reported to the pipeline. */
    private boolean endReported;

    private boolean stopped;
    private volatile boolean shutDown;

    /**
     * Creates the reading half of a connected channel.
     *
     * @param pending whether the program has requested a read already
     */
    Reading(RdmaSocketChannel channel, int receiveBuffers, boolean pending) {
        this.channel = channel;
        this.inbound = new Inbound(receiveBuffers);
        this.pending = pending;
    }

    /** Requests a read. */
    void begin() {
        if (!stopped && !endReported) {
            pending = true;
            if (!inbound.isEmpty() || inbound.isAtEnd()) {
                goOnLater();
            }
        }
    }

    /** Stops reading until the next request. */
    void pause() {
        pending = false;
    }

    /** Takes a message; {@link #takeIn} follows. */
    void came(Message message) {
        inbound.came(message, channel.alloc());
    }

    /** Takes in what has arrived. Returns false if nothing can arrive any more. */
    boolean takeIn(Endpoint endpoint) {
        return inbound.takeIn(endpoint, channel.alloc());
    }

    boolean isPeerGone() {
        return inbound.isPeerGone();
    }

    /** Shuts the reading half down for the program. */
    void shutDown() {
        shutDown = true;
        inbound.discard();
    }

    boolean isShutDown() {
        return shutDown;
    }

    /** Reports nothing from now on, because the channel is closed. */
    void stop() {
        stopped = true;
        inbound.discard();
    }

    /** Passes on what has arrived. A program that does not read is still notified of the end. */
    void goOn() {
        if (!isWanted() && (stopped || !inbound.isAtEnd())) {
            return;
        }
        if (shutDown && (endReported || !channel.config().isAllowHalfClosure())) {
            pending = false;
            return;
        }
        if (!inbound.isEmpty()) {
            deliverMessages();
        }
        if (!stopped) {
            goOnBehindMessages();
        }
    }

    private void goOnBehindMessages() {
        if (inbound.isAtEnd()) {
            pending = false;
            deliverEnd();
        } else if (!inbound.isEmpty() && isWanted()) {
            goOnLater();
        }
    }

    private boolean isWanted() {
        return !stopped && (pending || channel.config().isAutoRead());
    }

    private void goOnLater() {
        if (!scheduled) {
            scheduled = true;
            LoopChannels.inLoopLater(channel, () -> {
                scheduled = false;
                goOn();
            });
        }
    }

    private void deliverMessages() {
        RecvByteBufAllocator.Handle handle = channel.unsafe().recvBufAllocHandle();
        handle.reset(channel.config());
        Throwable failure = null;
        try {
            do {
                ByteBuf bytes = inbound.next(handle, channel.alloc());
                handle.lastBytesRead(bytes.readableBytes());
                handle.incMessagesRead(1);
                pending = false;
                channel.pipeline().fireChannelRead(bytes);
            } while (!inbound.isEmpty() && handle.continueReading());
        } catch (Throwable e) {
            failure = e;
        }
        handle.readComplete();
        channel.pipeline().fireChannelReadComplete();
        if (failure != null) {
            channel.pipeline().fireExceptionCaught(failure);
            if (failure instanceof OutOfMemoryError || failure instanceof IOException) {
                close();
            }
        }
    }

    private void deliverEnd() {
        Throwable lost = inbound.takeLost();
        if (lost != null) {
            channel.pipeline().fireExceptionCaught(lost);
            close();
        } else if (!shutDown && channel.config().isAllowHalfClosure()) {
            shutDown = true;
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            if (!stopped) {
                goOnLater();
            }
        } else if (shutDown && !endReported) {
            endReported = true;
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            close();
        }
    }

    private void close() {
        channel.unsafe().close(channel.voidPromise());
    }
}
