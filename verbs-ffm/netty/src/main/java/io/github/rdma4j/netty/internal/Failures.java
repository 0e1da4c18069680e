// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty.internal;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.ConnectionException;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;

/** Converts the library's exceptions to those that sockets throw, with the library's exception as the cause. */
public final class Failures {
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;
    private static final int EHOSTUNREACH = 113;

    private Failures() {}

    /** For a connection that could not be made. */
    public static Throwable ofConnect(Throwable failure) {
        if (!(failure instanceof VerbsException verbs)) {
            return failure;
        }
        if (failure instanceof ConnectionRejectedException) {
            return with(new ConnectException("Connection refused: " + failure.getMessage()), failure);
        }
        if (verbs.errno() == ECONNREFUSED) {
            return with(new ConnectException("Connection refused: " + failure.getMessage()), failure);
        }
        if (verbs.errno() == ETIMEDOUT) {
            return ofTimeout(failure);
        }
        boolean unreachable =
                failure instanceof ConnectionException connection && connection.event() == CmEventType.UNREACHABLE;
        if (unreachable || verbs.errno() == ENETUNREACH || verbs.errno() == EHOSTUNREACH) {
            return with(new NoRouteToHostException(failure.getMessage()), failure);
        }
        return with(new ConnectException(failure.getMessage()), failure);
    }

    /** For an attempt that reached its timeout, whatever the last error was. */
    public static Throwable ofTimeout(Throwable failure) {
        return failure instanceof VerbsException
                ? with(new ConnectTimeoutException("connection timed out: " + failure.getMessage()), failure)
                : failure;
    }

    /** For an address that cannot be bound. */
    public static Exception ofBind(VerbsException failure) {
        boolean taken = failure.errno() == EADDRINUSE || failure.errno() == EADDRNOTAVAIL;
        return with(
                taken ? new BindException(failure.getMessage()) : new SocketException(failure.getMessage()), failure);
    }

    /** For a connection that ended while it was used. */
    public static Exception ofUse(RuntimeException failure) {
        if (failure instanceof ConnectionLostException) {
            return with(new SocketException("Connection reset: " + failure.getMessage()), failure);
        }
        if (failure instanceof ClosedByPeerException) {
            return with(new SocketException("Broken pipe: " + failure.getMessage()), failure);
        }
        if (failure instanceof IllegalReferenceCountException) {
            // The program has released a buffer too early, which says nothing about the connection.
            return failure;
        }
        if (failure instanceof IllegalStateException) {
            return with(new ClosedChannelException(), failure);
        }
        return with(new IOException(failure.getMessage()), failure);
    }

    private static <T extends Throwable> T with(T exception, Throwable cause) {
        exception.initCause(cause);
        return exception;
    }
}
