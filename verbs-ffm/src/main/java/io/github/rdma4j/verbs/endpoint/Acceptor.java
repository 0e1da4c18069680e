// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.events.EndpointAcceptEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The server's part of the handshake, for many clients at a time: one that asks for a connection and then says nothing
 * holds up nobody.
 *
 * <p>Of several threads that accept, one sleeps until something comes, and the others until that one has seen it.
 */
final class Acceptor {
    /** A client that has been answered, and has not answered yet. */
    private record Handshake(SynchronousId request, CmLink link, Hello peer, long end, EndpointAcceptEvent recorded) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final String name;
    private final SynchronousId listener;
    private final EndpointConfig config;
    private final Function<DeviceContext, SharedDomain> domains;
    private final EventPoller poller;
    private final List<Handshake> handshakes = new ArrayList<>();
    private boolean led;
    private boolean closed;
    /** Null before the close, and where places are not kept. */
    private ClosePlace closePlace;

    /**
     * Of a listener that listens.
     *
     * @param domains gives the domain for a device, with one user more
     */
    Acceptor(
            String name, SynchronousId listener, EndpointConfig config, Function<DeviceContext, SharedDomain> domains) {
        this.name = name;
        this.listener = listener;
        this.config = config;
        this.domains = domains;
        this.poller = EventPoller.open();
        try {
            poller.add(listener.id().channel());
        } catch (Throwable e) {
            CloseAll.after(e, poller::close);
            throw e;
        }
    }

    /** What is ready when somebody should accept. */
    EventSource events() {
        return poller;
    }

    /** Whether a handshake waits that may have to be forgotten. */
    boolean hasHandshakes() {
        lock.lock();
        try {
            return !handshakes.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** A client whose handshake is complete; empty if there is none in time. */
    Optional<Endpoint> accept(Duration timeout) {
        long start = System.nanoTime();
        long limit = Engine.nanos(timeout);
        lock.lock();
        try {
            while (true) {
                if (closed) {
                    throw new IllegalStateException(name + " is closed", closePlace);
                }
                Endpoint endpoint = next();
                if (endpoint != null) {
                    return Optional.of(endpoint);
                }
                long remaining = limit - (System.nanoTime() - start);
                if (remaining <= 0) {
                    return Optional.empty();
                }
                sleep(remaining);
            }
        } finally {
            changed.signalAll();
            lock.unlock();
        }
    }

    /** Does what can be done without waiting; null if no handshake is complete. */
    private Endpoint next() {
        Optional<SynchronousId> request = listener.getRequest(Duration.ZERO);
        while (request.isPresent()) {
            answer(request.get());
            request = listener.getRequest(Duration.ZERO);
        }
        Iterator<Handshake> open = handshakes.iterator();
        while (open.hasNext()) {
            Handshake handshake = open.next();
            Optional<CmEvent> event = handshake.request.id().channel().poll();
            if (event.isPresent() || System.nanoTime() - handshake.end >= 0) {
                open.remove();
                poller.remove(handshake.request.id().channel());
                if (event.isPresent() && event.get().type() == CmEventType.ESTABLISHED) {
                    return complete(handshake);
                }
                handshake.recorded.over(
                        name,
                        handshake.link,
                        event.isPresent()
                                ? "the client gave up: " + event.get().type()
                                : "the client did not complete the handshake in time (handshakeTimeout)");
                CloseAll.of(handshake.link::close, handshake.link::free, handshake.request::close);
            }
        }
        return null;
    }

    /** Refuses who is no endpoint of this version, and tells the others that they are welcome. */
    private void answer(SynchronousId request) {
        EndpointAcceptEvent event = EndpointAcceptEvent.begun();
        CmLink link = null;
        try {
            byte[] greeting = request.request().orElseThrow().privateData();
            String problem = Hello.problem(greeting);
            if (!problem.isEmpty()) {
                event.over(name, request.id(), "refused: " + problem);
                refuse(request);
                request.close();
                return;
            }
            link = new CmLink(request, domains.apply(request.id().device().orElseThrow()), config);
            CmLink ready = link;
            request.id().accept(settings -> ready.greet(settings, config));
            Handshake handshake = new Handshake(
                    request,
                    link,
                    Hello.parse(greeting),
                    System.nanoTime() + Math.min(Engine.nanos(config.handshakeTimeout()), Long.MAX_VALUE / 2),
                    event);
            poller.add(request.id().channel());
            handshakes.add(handshake);
        } catch (Throwable e) {
            // What fails because the client has given up meanwhile is not worth a word: then it cannot be refused
            // either.
            boolean there = !(e instanceof VerbsException) || refuse(request);
            event.over(name, request.id(), there ? e.toString() : "the client gave up");
            Connector.closeAll(e, link, request);
            if (there) {
                throw e;
            }
        }
    }

    /** False if the client has given up. */
    private static boolean refuse(SynchronousId request) {
        try {
            request.id().reject(Hello.refusal());
            return true;
        } catch (VerbsException e) {
            return false;
        }
    }

    private Endpoint complete(Handshake handshake) {
        try {
            Endpoint endpoint = Endpoint.over(handshake.link, handshake.link.carrier(config), config, handshake.peer);
            handshake.recorded.over(name, endpoint, null);
            return endpoint;
        } catch (Throwable e) {
            handshake.recorded.over(name, handshake.link, e.toString());
            Connector.closeAll(e, handshake.link, handshake.request);
            throw e;
        }
    }

    private void sleep(long nanos) {
        String operation = "accepting at " + name;
        if (led) {
            try {
                changed.await(nanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaitInterruptedException(operation);
            }
            return;
        }
        long limit = nanos;
        for (Handshake handshake : handshakes) {
            limit = Math.min(limit, Math.max(0, handshake.end - System.nanoTime()));
        }
        led = true;
        lock.unlock();
        try {
            poller.select(Duration.ofNanos(limit), source -> {});
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException(operation);
        } catch (IllegalStateException e) {
            // It was closed; the caller sees that next.
            if (poller.isOpen()) {
                throw e;
            }
        } finally {
            lock.lock();
            led = false;
            changed.signalAll();
        }
    }

    /** Ends the waits, and refuses those that are not accepted yet. What fails is tried again by another call. */
    void close() {
        lock.lock();
        try {
            if (!closed) {
                closePlace = ClosePlace.of(name);
                closed = true;
            }
            changed.signalAll();
            List<Runnable> closes = new ArrayList<>();
            closes.add(poller::close);
            for (Handshake handshake : handshakes) {
                closes.add(handshake.link::close);
                closes.add(handshake.link::free);
                closes.add(handshake.request::close);
            }
            closes.add(listener::close);
            CloseAll.of(closes.toArray(Runnable[]::new));
            handshakes.clear();
        } finally {
            lock.unlock();
        }
    }
}
