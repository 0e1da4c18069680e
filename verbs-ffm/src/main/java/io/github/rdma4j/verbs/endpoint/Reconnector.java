// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.StackReserve;
import io.github.rdma4j.verbs.internal.endpoint.connect.Connector;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Keeps a client connected: returns its endpoint, and opens a new one when that has ended for any reason.
 *
 * <pre>{@code
 * try (Reconnector server = Reconnector.open(address, config -> {}, retry -> retry.onReconnect(this::resend))) {
 *     Endpoint endpoint = server.endpoint(timeout);
 *     while (running) {
 *         try {
 *             endpoint.send(next(), timeout);
 *         } catch (EndpointException e) {
 *             endpoint = server.endpoint(timeout);
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>It resends no messages: only the program can decide whether a message may be sent twice. {@link Reconnection}
 * reports which messages the peer has read. It has no thread: the first thread that asks for an endpoint while there is
 * none connects, and the others wait.
 *
 * <p>Each attempt resolves the server's name and tries its addresses in turn, so it finds a server that has moved to
 * another address. This also holds for {@code new InetSocketAddress("name", port)}: its address is tried first while
 * the name still has it, and alone if the name no longer resolves. A numeric address is kept. Java caches lookups for
 * 30 s ({@code networkaddress.cache.ttl}).
 *
 * <p>Thread safety: any thread may call any method.
 *
 * @since 0.1.0
 */
public final class Reconnector implements AutoCloseable {
    private static final String REMEDY =
            "see that the server runs and can be reached; allow more time, or ask again: each call goes on trying";

    private final InetSocketAddress server;
    /** Resolved for each attempt; null for an address without a name. Later lookups must not give it one. */
    private final String name;

    private final Consumer<EndpointConfig> configuration;
    private final ReconnectConfig config;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by lock.
    private Endpoint current;
    private long connectedAt;
    /** The connecting thread; null if there is none. */
    private Thread connecting;

    private boolean closed;
    /** Endpoints that could not be closed; {@link #close()} retries. */
    private final List<Endpoint> unclosed = new ArrayList<>();

    // Used only by the connecting thread.
    private Endpoint lost;
    private long pause;
    private long pauseEnd = System.nanoTime();
    private RuntimeException failure;

    private Reconnector(InetSocketAddress server, Consumer<EndpointConfig> configuration, ReconnectConfig config) {
        this.server = Objects.requireNonNull(server, "address of the server");
        this.name = Connector.nameOf(server);
        this.configuration = Objects.requireNonNull(configuration, "configuration");
        this.config = config;
    }

    /**
     * Opens a reconnector with default pauses and no listener. Does not connect yet.
     *
     * @param server as for {@link Endpoint#connect(InetSocketAddress, Consumer, Duration)}
     * @param configuration as for {@code connect}; called for each attempt
     * @return the reconnector; close it after use
     */
    public static Reconnector open(InetSocketAddress server, Consumer<EndpointConfig> configuration) {
        return open(server, configuration, settings -> {});
    }

    /**
     * Opens a reconnector. Does not connect yet.
     *
     * @param server as for {@link Endpoint#connect(InetSocketAddress, Consumer, Duration)}
     * @param configuration as for {@code connect}; called for each attempt
     * @param reconnecting sets what differs from the defaults
     * @return the reconnector; close it after use
     * @throws IllegalArgumentException if the settings contradict each other
     */
    public static Reconnector open(
            InetSocketAddress server, Consumer<EndpointConfig> configuration, Consumer<ReconnectConfig> reconnecting) {
        ReconnectConfig config = new ReconnectConfig();
        reconnecting.accept(config);
        config.check();
        return new Reconnector(server, configuration, config);
    }

    /**
     * Returns the endpoint; opens a new one if there is none yet, or if the last one was lost or closed by either side.
     * If the end of an endpoint has not been detected yet, this method returns that endpoint, and its next operation
     * throws.
     *
     * @param timeout how long to try, including pauses. The pause after a failed attempt starts with the failure,
     *     across calls: a call that ends within the pause makes no attempt, every other call makes at least one
     * @return the endpoint, which this object closes
     * @throws EndpointException if no attempt has connected in time: the message contains the number of attempts and
     *     the last failure, which may be from an earlier call and is the cause
     * @throws NotAdmittedException at once, if the server refuses this client
     * @throws IncompatiblePeerException at once, if the server speaks another version of the protocol, or has other
     *     settings. During an upgrade, call again; the pauses continue
     * @throws NativeLibraryException at once, if a library is missing
     * @throws IllegalArgumentException at once, if the configuration is refused
     * @throws WaitInterruptedException if the thread is interrupted
     * @throws IllegalStateException if this object is closed, also while this method waits; if the {@linkplain
     *     ReconnectConfig#onReconnect listener} calls this method
     */
    public Endpoint endpoint(Duration timeout) {
        long end = System.nanoTime() + Timeouts.nanos(timeout);
        StackReserve.require(lock);
        lock.lock();
        try {
            while (true) {
                requireOpen();
                if (current != null && current.isUp()) {
                    return current;
                }
                if (connecting == null) {
                    break;
                }
                if (connecting == Thread.currentThread()) {
                    throw new IllegalStateException("the listener of " + this
                            + " asks for an endpoint: it has the new one, Reconnection.endpoint()");
                }
                if (await(end - System.nanoTime()) <= 0 && connecting != null) {
                    throw new EndpointException(
                            operation(), "another thread is still trying after " + TimeText.of(timeout), REMEDY);
                }
            }
            connecting = Thread.currentThread();
            if (current != null) {
                forgetCurrent();
            }
        } finally {
            lock.unlock();
        }
        Endpoint made = null;
        try {
            made = connect(timeout, end);
        } finally {
            finish(made);
        }
        return made;
    }

    private void forgetCurrent() {
        lost = current;
        current = null;
        // A connection that is lost right after it was made counts as a failed attempt.
        if (System.nanoTime() - connectedAt >= config.longestPauseNanos()) {
            pause = 0;
        }
        startPause();
    }

    /**
     * Starts now and not with the next call, so that calls that are shorter than the pause get an attempt in the end.
     */
    private void startPause() {
        pauseEnd = System.nanoTime() + pause - ThreadLocalRandom.current().nextLong(pause / 2 + 1);
    }

    private Endpoint connect(Duration timeout, long end) {
        long begun = System.nanoTime();
        int attempts = 0;
        do {
            if (!pauseUntil(end)) {
                break;
            }
            pause = Math.min(Math.max(config.firstPauseNanos(), 2 * pause), config.longestPauseNanos());
            attempts++;
            try {
                long limit = Math.min(config.attemptNanos(), Math.max(1, end - System.nanoTime()));
                Endpoint made = Endpoint.connect(server, name, configuration, Duration.ofNanos(limit));
                notifyListener(made, attempts, begun);
                failure = null;
                return made;
            } catch (NotAdmittedException
                    | IncompatiblePeerException
                    | NativeLibraryException
                    | WaitInterruptedException e) {
                throw e;
            } catch (VerbsException e) {
                failure = e;
            } finally {
                startPause();
            }
        } while (end - System.nanoTime() > 0);
        String tried = attempts == 0
                ? "%s were over in the pause that follows a failure".formatted(TimeText.of(timeout))
                : "%d %s in %s".formatted(attempts, attempts == 1 ? "attempt" : "attempts", TimeText.of(timeout));
        EndpointException inVain = new EndpointException(
                operation(), failure == null ? tried : tried + "; the last: " + failure.getMessage(), REMEDY);
        if (failure != null) {
            inVain.initCause(failure);
        }
        throw inVain;
    }

    private void notifyListener(Endpoint made, int attempts, long begun) {
        if (lost == null) {
            return;
        }
        try {
            if (config.listener() != null) {
                config.listener()
                        .accept(new Reconnection(
                                made,
                                lost,
                                lost.endReason(),
                                lost.serverIdentity() == made.serverIdentity(),
                                attempts,
                                Duration.ofNanos(System.nanoTime() - begun)));
            }
        } catch (Throwable e) {
            abort(made);
            throw e;
        }
        abortLost();
    }

    /**
     * An endpoint that cannot be closed yet, for example on a device that does not answer, does not prevent a new one.
     */
    private void abort(Endpoint endpoint) {
        try {
            endpoint.abort();
        } catch (VerbsException e) {
            StackReserve.require(lock);
            lock.lock();
            try {
                unclosed.add(endpoint);
            } finally {
                lock.unlock();
            }
        }
    }

    /** {@return false if the timeout ends before the pause} */
    private boolean pauseUntil(long end) {
        StackReserve.require(lock);
        lock.lock();
        try {
            long now = System.nanoTime();
            while (pauseEnd - now > 0) {
                requireOpen();
                if (end - now <= 0) {
                    return false;
                }
                // Compares by difference: the end of an infinite timeout may overflow.
                await(Math.min(pauseEnd - now, end - now));
                now = System.nanoTime();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private long await(long nanos) {
        try {
            return changed.awaitNanos(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException(operation());
        }
    }

    private void finish(Endpoint made) {
        boolean late;
        StackReserve.require(lock);
        lock.lock();
        try {
            connecting = null;
            late = closed;
            if (made != null && !late) {
                current = made;
                connectedAt = System.nanoTime();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (late) {
            if (made != null) {
                abort(made);
            }
            abortLost();
            requireOpen();
        }
    }

    private void abortLost() {
        Endpoint last = lost;
        lost = null;
        if (last != null) {
            abort(last);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    private String operation() {
        return "connecting to %s again and again".formatted(server);
    }

    /**
     * Closes the endpoint as {@link Endpoint#close()} does. A connecting thread gets an {@link IllegalStateException},
     * at the end of its attempt at the latest. Calling this method again retries what could not be closed before,
     * including lost endpoints.
     *
     * @throws VerbsException if an endpoint cannot be closed
     */
    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>();
        StackReserve.require(lock);
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            if (connecting == null) {
                abortLost();
            }
            if (current != null) {
                closes.add(current::close);
            }
            unclosed.forEach(endpoint -> closes.add(endpoint::abort));
        } finally {
            lock.unlock();
        }
        CloseAll.of(closes.toArray(Runnable[]::new));
    }

    @Override
    public String toString() {
        return "reconnector to " + server;
    }
}
