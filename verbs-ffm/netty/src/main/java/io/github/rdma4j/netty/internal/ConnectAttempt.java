// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty.internal;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * An attempt to connect a channel. It waits for the peer, so it runs in a virtual thread. The channel's event loop
 * reports the outcome.
 *
 * @param <C> a connection
 */
public final class ConnectAttempt<C> {
    /** The timeout of a program that sets none: every wait must end. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Channel channel;
    private final ChannelPromise promise;
    private final UnaryOperator<Throwable> annotation;
    private final Consumer<C> connected;
    private final Consumer<C> abort;
    private final Thread thread;

    /** Makes connections. */
    public interface Connector<C> {
        /** Connects, or throws if that takes longer than the timeout. */
        C connect(Duration timeout) throws Exception;
    }

    /**
     * Starts the attempt. Cancelling the promise closes the channel.
     *
     * @param timeoutMillis the timeout in milliseconds; 0 for no limit
     * @param connector makes the connection, in the virtual thread
     * @param annotation adds the server's address to a failure
     * @param connected gives the channel the connection, in its event loop
     * @param abort closes a connection that the channel does not want any more, in any thread
     */
    public ConnectAttempt(
            Channel channel,
            ChannelPromise promise,
            int timeoutMillis,
            Connector<C> connector,
            UnaryOperator<Throwable> annotation,
            Consumer<C> connected,
            Consumer<C> abort) {
        this.channel = channel;
        this.promise = promise;
        this.annotation = annotation;
        this.connected = connected;
        this.abort = abort;
        Duration timeout = timeoutMillis == 0 ? LONGEST : Duration.ofMillis(timeoutMillis);
        thread = Thread.ofVirtual().name("rdma4j-netty-connect").start(() -> run(connector, timeout));
        promise.addListener(done -> {
            if (done.isCancelled()) {
                close();
            }
        });
    }

    private void run(Connector<C> connector, Duration timeout) {
        long start = System.nanoTime();
        C connection;
        try {
            connection = connector.connect(timeout);
        } catch (Throwable e) {
            boolean late = System.nanoTime() - start >= timeout.toNanos();
            complete(null, () -> fail(late ? Failures.ofTimeout(e) : Failures.ofConnect(e)));
            return;
        }
        complete(connection, () -> finish(connection));
    }

    private void complete(C connection, Runnable outcome) {
        try {
            LoopChannels.inLoopLater(channel, outcome);
        } catch (RejectedExecutionException e) {
            // The event loop and its channels have ended.
            if (connection != null) {
                abort.accept(connection);
            }
        }
    }

    private void fail(Throwable failure) {
        promise.tryFailure(failure instanceof ConnectTimeoutException ? failure : annotation.apply(failure));
        close();
    }

    private void finish(C connection) {
        if (!channel.isOpen()) {
            // The attempt was given up.
            abort.accept(connection);
            return;
        }
        try {
            connected.accept(connection);
        } catch (RuntimeException e) {
            fail(Failures.ofUse(e));
            return;
        }
        boolean wanted = promise.trySuccess();
        channel.pipeline().fireChannelActive();
        if (!wanted) {
            close();
        }
    }

    private void close() {
        channel.unsafe().close(channel.voidPromise());
    }

    /** Makes the attempt end soon, because the channel is closed. Changes nothing if it has ended. */
    public void giveUp() {
        thread.interrupt();
        promise.tryFailure(new ClosedChannelException());
    }

    /** Checks that the name of an address was resolved. */
    public static InetSocketAddress resolved(SocketAddress address) {
        InetSocketAddress internet = internet(address);
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return internet;
    }

    /** Checks that it is an address of the Internet protocol. */
    public static InetSocketAddress internet(SocketAddress address) {
        if (address instanceof InetSocketAddress internet) {
            return internet;
        }
        throw new UnsupportedAddressTypeException();
    }
}
