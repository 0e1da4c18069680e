// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.ConnectionException;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAssembly;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Takes in clients that connect with rdma_cm. */
public final class VerbsReception implements Reception {
    /** How often in a row a failing listener is queried again; each failure ends the next wait at once. */
    private static final int MOST_FAILURES = 4;

    /** A client that was answered and has not completed the connection yet. */
    private record Handshake(SynchronousId request, CmLink link, Hello peer, RecordedAccept recorded) {}

    private final String name;
    private final SynchronousId listener;
    private final EndpointSettings config;
    private final Function<DeviceContext, SharedDomain> domains;
    private final Exposures exposures;
    /** Returns the path probe of a device; null if clients have none. */
    private final Function<DeviceContext, PathProbe> pathProbes;
    /** Receives failures, so that they do not keep other clients from connecting; null to throw them. */
    private final Consumer<VerbsException> failures;

    private final AdmissionControl admission;
    private final Handshakes<Handshake> handshakes;

    private EventPoller poller;
    /** How often in a row the listener has failed. */
    private int undelivered;
    /** Why no more clients can connect; null if they can. */
    private VerbsException over;

    /**
     * Creates it for an open listener.
     *
     * @param domains returns the domain for a device, and counts one more user
     * @param exposures the table of memory that is also served over TCP; null if there is none
     * @param pathProbes returns the path probe of a device; null if clients have none
     * @param failures receives failures, which then do not keep other clients from connecting; null to throw them
     */
    public VerbsReception(
            String name,
            SynchronousId listener,
            EndpointSettings config,
            AdmissionControl admission,
            Function<DeviceContext, SharedDomain> domains,
            Exposures exposures,
            Function<DeviceContext, PathProbe> pathProbes,
            Consumer<VerbsException> failures) {
        this.name = name;
        this.listener = listener;
        this.config = config;
        this.admission = admission;
        this.handshakes = new Handshakes<>(admission, config.times().handshake(), config.memoryOfOne());
        this.domains = domains;
        this.exposures = exposures;
        this.pathProbes = pathProbes;
        this.failures = failures;
    }

    @Override
    public void enter(EventPoller newPoller) {
        poller = newPoller;
        poller.add(listener.id().channel());
    }

    @Override
    public boolean awaitsTime() {
        return !handshakes.isEmpty();
    }

    @Override
    public long nanosToEnd() {
        return handshakes.nanosToEnd();
    }

    @Override
    public Endpoint begin() {
        if (over != null) {
            if (failures == null) {
                throw listenerHasFailed();
            }
            return null;
        }
        hearing(() -> {
            // At most so many at a time: a client that is refused again and again must not keep the others waiting.
            boolean more = true;
            for (int answered = 0; more && answered < AdmissionControl.MOST_AT_A_TIME; answered++) {
                Optional<SynchronousId> request = nextRequest();
                request.ifPresent(this::answer);
                more = request.isPresent();
            }
            return null;
        });
        return null; // the client's confirmation is still to come
    }

    /**
     * Takes the next request. A failure is the request's or the listener's, which may then stay ready without a
     * request.
     */
    private Optional<SynchronousId> nextRequest() {
        boolean delivered = true;
        try {
            return listener.getRequest(Duration.ZERO);
        } catch (ConnectionException e) {
            // An event of the listener itself, whose device was removed.
            throw giveUp(e);
        } catch (VerbsException e) {
            delivered = !e.operation().equals(CmCalls.GET_EVENT_OPERATION);
            if (!delivered && undelivered == MOST_FAILURES - 1) {
                throw giveUp(e);
            }
            throw e;
        } finally {
            undelivered = delivered ? 0 : undelivered + 1;
        }
    }

    private VerbsException giveUp(VerbsException failure) {
        over = failure;
        poller.remove(listener.id().channel());
        return listenerHasFailed();
    }

    private VerbsException listenerHasFailed() {
        return new VerbsException(
                "accepting at " + name,
                over.errno(),
                "it receives no more clients over RDMA: " + over.getMessage(),
                failures == null
                        ? "close the server, and bind it again"
                        : "clients come over TCP alone; for RDMA close the server, and bind it again");
    }

    @Override
    public Endpoint goOn(EventSource ready) {
        Handshake handshake = handshakes.get(ready);
        return handshake == null ? null : hearing(() -> goOn(handshake));
    }

    private Endpoint goOn(Handshake handshake) {
        EventChannel channel = handshake.request.id().channel();
        Optional<CmEvent> event;
        try {
            event = channel.poll();
        } catch (VerbsException e) {
            // The failed read may have lost the client's only event, and a failed channel stays ready.
            handshakes.remove(channel);
            admission.gaveUp();
            CloseAll.after(e, () -> forget(handshake, e.toString()));
            throw e;
        }
        if (event.isEmpty()) {
            return null;
        }
        handshakes.remove(channel);
        if (event.get().type() == CmEventType.ESTABLISHED) {
            poller.remove(channel);
            return complete(handshake);
        }
        admission.gaveUp();
        forget(handshake, "the client gave up: " + event.get().type());
        return null;
    }

    /** Runs a step. Passes its failure to {@code failures}, or throws it if there is none. */
    private Endpoint hearing(Supplier<Endpoint> step) {
        try {
            return step.get();
        } catch (VerbsException e) {
            if (failures == null) {
                throw e;
            }
            // The failure of a single request says less.
            failures.accept(over == null ? e : listenerHasFailed());
            return null;
        }
    }

    @Override
    public void forgetLate() {
        handshakes.forgetLate(this::forget);
    }

    private void forget(Handshake handshake, String why) {
        poller.remove(handshake.request.id().channel());
        handshake.recorded.over(name, handshake.link, why);
        CloseAll.of(handshake.link::close, handshake.link::free, handshake.request::close);
    }

    /** Refuses a peer that is not an endpoint of this version, and accepts other peers. */
    private void answer(SynchronousId request) {
        RecordedAccept event = RecordedAccept.begun();
        CmLink link = null;
        try {
            byte[] hello = request.request().orElseThrow().privateData();
            AdmissionControl.Verdict refused =
                    admission.judge(hello, request.id().peerAddress().orElse(null));
            if (refused != null) {
                event.over(name, request.id(), "refused: " + refused.words());
                refuse(request, refused.reason());
                request.close();
                return;
            }
            DeviceContext device = request.id().device().orElseThrow();
            link = new CmLink(request, domains.apply(device), config);
            CmLink ready = link;
            byte[] own = config.answer().toBytes();
            byte[] answer = pathProbes == null ? own : pathProbes.apply(device).behind(own);
            request.id().accept(settings -> ready.greet(settings, config, answer));
            poller.add(request.id().channel());
            handshakes.add(request.id().channel(), new Handshake(request, link, Hello.parse(hello), event));
        } catch (Throwable e) {
            // If the client has given up meanwhile, it cannot be refused either, and the failure is not worth
            // reporting.
            boolean there = !(e instanceof VerbsException) || refuse(request, Refusal.ANOTHER_PROTOCOL);
            if (!there) {
                admission.gaveUp();
            }
            event.over(name, request.id(), there ? e.toString() : "the client gave up");
            Connector.closeAll(e, link, request);
            if (there) {
                throw e;
            }
        }
    }

    /** Refuses a client. Returns false if it has given up. */
    private static boolean refuse(SynchronousId request, Refusal reason) {
        try {
            request.id().reject(Hello.refusal(reason));
            return true;
        } catch (VerbsException e) {
            return false;
        }
    }

    private Endpoint complete(Handshake handshake) {
        try {
            Endpoint endpoint = EndpointAssembly.over(
                    handshake.link,
                    handshake.link.transport(config),
                    new Memories.Registered(handshake.link.domain(), exposures),
                    config,
                    handshake.peer);
            handshake.recorded.over(name, endpoint, null);
            admission.accepted();
            return endpoint;
        } catch (Throwable e) {
            handshake.recorded.over(name, handshake.link, e.toString());
            Connector.closeAll(e, handshake.link, handshake.request);
            throw e;
        }
    }

    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>();
        for (Handshake handshake : handshakes.all()) {
            closes.add(handshake.link::close);
            closes.add(handshake.link::free);
            closes.add(handshake.request::close);
        }
        closes.add(listener::close);
        CloseAll.of(closes.toArray(Runnable[]::new));
        handshakes.clear();
    }
}
