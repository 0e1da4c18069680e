// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.NativeLibraryException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.StackRoom;
import io.github.rdma4j.verbs.internal.TimeText;
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
 * Keeps a client connected: gives its endpoint, and a new one when that has ended, however it ended.
 *
 * <pre>{@code
 * try (Reconnector server = Reconnector.open(address, config -> {}, retry -> retry.onReconnect(this::sayAgain))) {
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
 * <p>It repeats no message by itself: whether one that was lost may be said twice is for the program to know. {@link
 * Reconnection} says what is known. It has no thread: it connects in the first thread that asks for an endpoint when
 * there is none, while others that ask wait for it.
 *
 * <p>A server's name is looked up for each attempt, and its addresses are tried in turn: a server that comes back at
 * another address is found. That holds for {@code new InetSocketAddress("name", port)} as well, whose address is tried
 * first while the name still has it. It is used alone where no address is known for the name any more. An address that
 * was made of a number is kept. Java keeps what it has looked up for 30 s ({@code networkaddress.cache.ttl}).
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class Reconnector implements AutoCloseable {
    private static final String REMEDY =
            "see that the server runs and can be reached; allow more time, or ask again: each call goes on trying";

    private final InetSocketAddress server;
    /** Looked up for each attempt; null for an address without a name. Later look-ups must not give it one. */
    private final String name;

    private final Consumer<EndpointConfig> configuration;
    private final ReconnectConfig config;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by lock.
    private Endpoint current;
    private long connectedAt;
    /** Who connects; null for nobody. */
    private Thread connecting;

    private boolean closed;
    /** Those that could not be closed, which our close tries again. */
    private final List<Endpoint> unclosed = new ArrayList<>();

    // Of the thread that connects.
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
     * Opens it, with pauses as by default and nobody to tell; nothing is connected yet.
     *
     * @param server as for {@link Endpoint#connect(InetSocketAddress, Consumer, Duration)}
     * @param configuration the same; called for each attempt
     * @return the reconnector, to be closed
     */
    public static Reconnector open(InetSocketAddress server, Consumer<EndpointConfig> configuration) {
        return open(server, configuration, settings -> {});
    }

    /**
     * Opens it; nothing is connected yet.
     *
     * @param server as for {@link Endpoint#connect(InetSocketAddress, Consumer, Duration)}
     * @param configuration the same; called for each attempt
     * @param reconnecting sets what differs from the defaults
     * @return the reconnector, to be closed
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
     * The endpoint; a new one if there is none yet, or the last one was lost or closed by either side. An endpoint
     * whose end nobody has noticed is given, too: its next operation says it.
     *
     * @param timeout how long to try, pauses included. The pause behind a failed attempt counts from its failure, over
     *     all calls: one that ends within the pause makes no attempt, every other one makes at least one
     * @return the endpoint, which this object closes
     * @throws EndpointException if no attempt has connected in time: the message has their number and the last failure,
     *     that of an earlier call if this one made none; it is the cause
     * @throws NotAdmittedException at once, if the server refuses this client
     * @throws IncompatiblePeerException at once, if the server speaks another version of the protocol, or has other
     *     settings. To wait until it is another one, as in an update, ask again: the pauses go on
     * @throws NativeLibraryException at once, if a library is missing
     * @throws IllegalArgumentException at once, if the configuration is refused
     * @throws WaitInterruptedException if the thread is interrupted
     * @throws IllegalStateException if this object is closed, also while this method waits; if the {@linkplain
     *     ReconnectConfig#onReconnect listener} calls this
     */
    public Endpoint endpoint(Duration timeout) {
        long end = System.nanoTime() + Engine.nanos(timeout);
        StackRoom.require(lock);
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
        // Who loses a connection as soon as it has it pauses as behind a failure.
        if (System.nanoTime() - connectedAt >= config.longestPauseNanos()) {
            pause = 0;
        }
        startPause();
    }

    /** From now on, and not from the next call on: calls that are shorter than the pause get an attempt in the end. */
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
                tell(made, attempts, begun);
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

    private void tell(Endpoint made, int attempts, long begun) {
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
                                lost.peerLife() == made.peerLife(),
                                attempts,
                                Duration.ofNanos(System.nanoTime() - begun)));
            }
        } catch (Throwable e) {
            abort(made);
            throw e;
        }
        abortLost();
    }

    /** One that cannot be closed yet, as on a device that does not answer, keeps nobody from a new one. */
    private void abort(Endpoint endpoint) {
        try {
            endpoint.abort();
        } catch (VerbsException e) {
            StackRoom.require(lock);
            lock.lock();
            try {
                unclosed.add(endpoint);
            } finally {
                lock.unlock();
            }
        }
    }

    /** {@return false if the time is over before the pause} */
    private boolean pauseUntil(long end) {
        StackRoom.require(lock);
        lock.lock();
        try {
            long now = System.nanoTime();
            while (pauseEnd - now > 0) {
                requireOpen();
                if (end - now <= 0) {
                    return false;
                }
                // Of an end that is for ever only the distance is a number.
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
        StackRoom.require(lock);
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
     * Closes the endpoint in good order, as {@link Endpoint#close()}. A thread that is connecting ends with an {@link
     * IllegalStateException}, at the end of its attempt at the latest. What cannot be closed is tried again by another
     * call, and so are endpoints that were lost and could not be closed then.
     *
     * @throws VerbsException if one of them cannot be closed
     */
    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>();
        StackRoom.require(lock);
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
