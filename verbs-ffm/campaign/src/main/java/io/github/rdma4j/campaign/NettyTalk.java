// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The last handler of one end: sends its messages, checks received ones, and records the reported end. Runs in the
 * channel's event loop. The last message of a direction contains the number of messages.
 */
abstract class NettyTalk extends ChannelInboundHandlerAdapter {
    /** Above a message of the transport, so that some are several. */
    static final int LARGEST = 20_000;

    private final String side;
    private final long lengthMillis;
    private final Content outgoing;
    private final Incoming incoming;
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    private Channel channel;
    private long begun;
    private long sent;
    private boolean ended;
    private boolean allSent;
    private boolean allCame;
    private long unwritten;
    private boolean inactive;
    private String failure = "";
    private long failedAtMillis;
    private String wrong = "";

    /**
     * @param side 1 or 2
     * @param seed the same on both sides
     * @param lengthMillis how long to talk
     */
    NettyTalk(int side, long seed, long lengthMillis) {
        this.side = "machine " + side;
        this.lengthMillis = lengthMillis;
        outgoing = new Content(seed * 2 + side, LARGEST);
        incoming = new Incoming(new Content(seed * 2 + 3 - side, LARGEST));
    }

    // ---- What the two kinds differ in ----

    /** Adds its codecs and itself. */
    abstract void addTo(ChannelPipeline pipeline);

    /** The channel is active. */
    abstract void start();

    /** A message has arrived; it is released after this. */
    abstract void read(Object message);

    /** More messages can always be sent. */
    abstract void goOn();

    /** The last message has arrived, and the own last message was sent. */
    abstract void allIsSaid();

    // ---- What they have in common ----

    final Channel channel() {
        return channel;
    }

    final long elapsed() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    final boolean isTime() {
        return elapsed() >= lengthMillis;
    }

    final long lengthMillis() {
        return lengthMillis;
    }

    /** {@return whether the last message has been written} */
    final boolean isEnded() {
        return ended;
    }

    /** {@return the bytes of the next message} */
    final byte[] next() {
        return outgoing.message(++sent);
    }

    /** {@return the bytes of the last message} */
    final byte[] last() {
        ended = true;
        return Content.last(sent);
    }

    /**
     * Bytes alternately in a buffer of the channel's allocator and of the heap: the transport has a path for each.
     */
    final ByteBuf buffer(byte[] bytes) {
        return sent % 3 == 0
                ? Unpooled.wrappedBuffer(bytes)
                : channel.alloc().directBuffer(bytes.length).writeBytes(bytes);
    }

    /** Writes, and notes what becomes of it. */
    final void write(Object message) {
        boolean last = ended;
        unwritten++;
        channel.write(message).addListener(done -> {
            unwritten--;
            if (!done.isSuccess()) {
                fail(done.cause());
            } else if (last) {
                allSent = true;
                settleIfAllIsSaid();
            }
            settle();
        });
    }

    /** Checks received bytes. */
    final void take(byte[] bytes) {
        if (incoming.take(bytes)) {
            allCame = true;
            settleIfAllIsSaid();
        }
    }

    final boolean allCame() {
        return allCame;
    }

    private void settleIfAllIsSaid() {
        if (allSent && allCame) {
            allIsSaid();
        }
    }

    private void fail(Throwable e) {
        if (failure.isEmpty()) {
            failure = e.getClass().getSimpleName() + ": " + e.getMessage();
        }
        failedAtMillis = elapsed();
    }

    private void wrong(String what) {
        if (wrong.isEmpty()) {
            wrong = what;
        }
        channel.close();
    }

    /** The run has ended when the handler was notified of the end and each write has completed. */
    private void settle() {
        if (inactive && unwritten == 0) {
            if (!failure.isEmpty()) {
                failedAtMillis = elapsed();
            }
            over.complete(null);
        }
    }

    @Override
    public final void channelActive(ChannelHandlerContext context) {
        channel = context.channel();
        begun = System.nanoTime();
        start();
    }

    @Override
    public final void channelRead(ChannelHandlerContext context, Object message) {
        try {
            read(message);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public final void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            goOn();
        }
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            fail(cause);
        } else if (failure.isEmpty() || !(cause instanceof PrematureChannelClosureException)) {
            // After a reset, HTTP's codecs report partial messages.
            wrong(cause.toString());
        }
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        inactive = true;
        if (!(allSent && allCame) && failure.isEmpty()) {
            wrong("the stream ended behind " + incoming.received() + " messages as if the peer had closed it");
        }
        settle();
    }

    /**
     * Waits for the end.
     *
     * @param limitMillis after which an end without an exception counts as hung
     */
    final EndReport report(long limitMillis) throws Exception {
        String hung = "";
        try {
            over.get(limitMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            hung = "a channel with " + unwritten + " writes under way, " + (inactive ? "inactive" : "active");
        }
        boolean whole = allSent && allCame && failure.isEmpty();
        return new EndReport(
                side, sent, incoming.received(), 0, whole, failure, failedAtMillis, wrong, hung, List.of());
    }
}
