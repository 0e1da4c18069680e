// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.failover.Failover;
import io.github.rdma4j.verbs.internal.endpoint.failover.RoceDialer;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdAddress;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdLink;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpLink;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Takes in clients that connect over TCP. */
public final class TcpReception implements Reception {
    /** The pause of other servers is similar (nginx half a second, Netty and HAProxy one second). */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A client whose hello is not complete, or was not answered yet. */
    private static final class Handshake {
        private final TcpLink link;
        private final TcpHandshake words;
        private final RecordedAccept recorded = RecordedAccept.begun();
        /** Null without SRD. */
        private SrdLink srd;

        Handshake(TcpLink link, TcpHandshake words) {
            this.link = link;
            this.words = words;
        }

        void close() {
            CloseAll.of(words::close, () -> {
                if (srd == null) {
                    link.close();
                } else {
                    CloseAll.of(srd::close, srd::free);
                }
            });
        }
    }

    private final String name;
    private final StreamSocket listener;
    private final EndpointSettings config;
    private final AdmissionControl admission;
    private final Exposures exposures;
    private final Function<RoceDialer.Place, SharedDomain> domains;
    /** Null without an EFA. */
    private final SrdService srd;

    private final Handshakes<Handshake> handshakes;
    private final EventSource arrivals = new EventSource() {
        @Override
        public int fileDescriptor() {
            return listener.fileDescriptor();
        }

        @Override
        public boolean isOpen() {
            return listener.isOpen();
        }
    };

    private EventPoller poller;
    /**
     * Whether accepting pauses for lack of descriptors or memory: the listener stays ready until a client is accepted.
     */
    private boolean paused;

    private long pauseEnd;
    /** The last failure of this side's adapter for which a client was dropped. */
    private VerbsException own;

    /**
     * Creates it for a listening socket.
     *
     * @param exposures the memory that clients may use
     * @param domains returns the domain for a device, for clients that move to RDMA, and counts one more user
     * @param srd for clients over SRD; null if there is no EFA
     */
    public TcpReception(
            String name,
            StreamSocket listener,
            EndpointSettings config,
            AdmissionControl admission,
            Exposures exposures,
            Function<RoceDialer.Place, SharedDomain> domains,
            SrdService srd) {
        this.name = name;
        this.listener = listener;
        this.config = config;
        this.admission = admission;
        this.handshakes =
                new Handshakes<>(admission, config.times().handshake(), srd == null ? 0 : config.memoryOfOne());
        this.srd = srd;
        this.exposures = exposures;
        this.domains = domains;
    }

    InetSocketAddress address() {
        return listener.localAddress();
    }

    @Override
    public void enter(EventPoller newPoller) {
        poller = newPoller;
        poller.add(arrivals);
    }

    @Override
    public Endpoint begin() {
        if (paused && pauseEnd - System.nanoTime() > 0) {
            return null;
        }
        // At most so many at a time: a client that is refused again and again must not keep the others waiting.
        for (int begun = 0; begun < AdmissionControl.MOST_AT_A_TIME; begun++) {
            StreamSocket client = next();
            if (client == null) {
                return null;
            }
            Endpoint endpoint = goOn(begin(client));
            if (endpoint != null) {
                return endpoint;
            }
        }
        return null;
    }

    /** Accepts a client. After a shortage it pauses; otherwise a loop that accepts would spin. */
    private StreamSocket next() {
        try {
            StreamSocket client = listener.accept("accepting at " + name);
            if (paused) {
                poller.add(arrivals);
                paused = false;
            }
            return client;
        } catch (VerbsException e) {
            if (StreamSocket.isShortage(e)) {
                if (!paused) {
                    poller.remove(arrivals);
                    paused = true;
                }
                pauseEnd = System.nanoTime() + PAUSE_NANOS;
            }
            throw e;
        }
    }

    @Override
    public void forgetLate() {
        handshakes.forgetLate(this::forget);
    }

    @Override
    public Endpoint goOn(EventSource ready) {
        Handshake handshake = handshakes.get(ready);
        if (handshake == null) {
            return null;
        }
        Endpoint endpoint = null;
        String failure;
        try {
            // Read once: later data is handled in the next step.
            byte[] hello = handshake.words.receiveHello();
            failure = hello == null || handshake.words.hasQueued() ? null : refuse(handshake, hello);
            endpoint = failure == null ? goOn(handshake, hello) : null;
        } catch (VerbsException e) {
            failure = e.toString();
            if (e == own) {
                handshakes.remove(ready);
                forget(handshake, failure);
                throw e;
            }
            // The client has given up.
            admission.gaveUp();
        } catch (Throwable e) {
            handshakes.remove(ready);
            forget(handshake, e.toString());
            throw e;
        }
        if (failure != null) {
            handshakes.remove(ready);
            forget(handshake, failure);
        } else if (endpoint != null) {
            handshakes.remove(ready);
            poller.remove(handshake.link);
            handshake.words.close();
            handshake.recorded.over(name, endpoint, null);
            admission.accepted();
        }
        return endpoint;
    }

    private TcpLink begin(StreamSocket client) {
        TcpHandshake words = null;
        TcpLink link = new TcpLink(client);
        try {
            words = new TcpHandshake(client, "the handshake over TCP");
            poller.add(link);
            handshakes.add(link, new Handshake(link, words));
            return link;
        } catch (Throwable e) {
            TcpHandshake opened = words;
            CloseAll.after(
                    e,
                    () -> {
                        if (opened != null) {
                            opened.close();
                        }
                    },
                    link::close);
            throw e;
        }
    }

    /**
     * Decides on a client whose hello is complete, and sends a refusal if needed. Returns the reason; null if admitted.
     */
    private String refuse(Handshake handshake, byte[] hello) {
        TcpHandshake words = handshake.words;
        AdmissionControl.Verdict refused =
                admission.judge(hello, handshake.link.peerAddress().orElse(null));
        if (refused == null && srd == null && Hello.hasDatagramsOnly(hello)) {
            refused = admission.otherTransport(Refusal.DATAGRAMS_UNWANTED);
        } else if (refused == null && srd != null && srd.isOnly() && !Hello.hasDatagrams(hello)) {
            refused = admission.otherTransport(Refusal.DATAGRAMS_WANTED);
        }
        if (refused == null) {
            return null;
        }
        // The kernel's buffer of a new connection always has space for so few bytes.
        words.queueHello(Hello.refusal(refused.reason()));
        words.sendRest();
        return "refused: " + refused.words();
    }

    /**
     * Continues a handshake. Returns the endpoint; null if the client has not received the whole hello yet.
     *
     * @param hello the hello of a client that is not refused; null if it is not complete
     */
    private Endpoint goOn(Handshake handshake, byte[] hello) {
        TcpHandshake words = handshake.words;
        boolean answered = hello != null && (words.hasQueued() || answer(handshake, hello));
        boolean sent = answered && words.sendRest();
        if (sent && (handshake.srd == null || words.receiveMore(SrdAddress.BYTES, TcpConnector.READY.length) != null)) {
            return endpoint(handshake, hello);
        }
        handshake.link.socket().takeEvent();
        handshake.link.socket().arm(answered && !sent);
        return null;
    }

    /** Answers a client. Returns false if the client's address is not complete. */
    private boolean answer(Handshake handshake, byte[] hello) {
        TcpHandshake words = handshake.words;
        byte[] own = config.answer().toBytes();
        if (srd != null && Hello.hasDatagrams(hello)) {
            byte[] address = words.receiveMore(0, SrdAddress.BYTES);
            if (address == null) {
                return false;
            }
            byte[] answer = openSrd(handshake, address, Hello.hasDatagramsOnly(hello));
            if (answer != null) {
                words.queueHello(Hello.withDatagrams(own, srd.isOnly()));
                words.queueMore(answer);
                return true;
            }
        } else if (!Hello.hasDatagrams(hello)) {
            words.requirePeer();
        }
        words.queueHello(Failover.hello(config, config.answer()));
        return true;
    }

    /**
     * Creates this side's queue pair for a client. Returns its address; null if the client gets TCP.
     *
     * @throws VerbsException if the two sides use SRD alone, and there is no queue pair ({@link #own}), or the client's
     *     address is of no use
     */
    private byte[] openSrd(Handshake handshake, byte[] address, boolean only) {
        boolean alone = srd.isOnly() || only;
        SrdLink opened;
        try {
            opened = new SrdLink(handshake.link, srd.domain().get(), config);
        } catch (VerbsException e) {
            if (alone) {
                own = e;
                throw e;
            }
            srd.failures().accept(e);
            return null;
        }
        try {
            opened.connect(address);
            byte[] answer =
                    opened.address(srd.isOnly() ? null : srd.probe().get().place());
            handshake.srd = opened;
            return answer;
        } catch (Throwable e) {
            // The client may have caused it, so it drops the client and does not end the call of accept.
            CloseAll.after(e, opened::giveUp);
            if (alone || !(e instanceof VerbsException failure)) {
                throw e;
            }
            srd.failures().accept(failure);
            return null;
        }
    }

    private Endpoint endpoint(Handshake handshake, byte[] hello) {
        Hello peer = Hello.parse(hello);
        SrdLink link = handshake.srd;
        if (link != null) {
            // If the next step fails, it closes the link.
            handshake.srd = null;
            return SrdService.endpoint(link, new Memories.Registered(link.domain(), exposures), config, peer);
        }
        return config.isFailover() && Failover.isMarked(hello)
                ? Failover.endpoint(false, handshake.link, config, exposures, peer, domains)
                : TcpConnector.endpoint(handshake.link, config, exposures, peer);
    }

    private void forget(Handshake handshake, String why) {
        handshake.recorded.over(name, handshake.link, why);
        CloseAll.of(() -> poller.remove(handshake.link), handshake::close);
    }

    @Override
    public boolean awaitsTime() {
        return paused || !handshakes.isEmpty();
    }

    @Override
    public long nanosToEnd() {
        long rest = paused ? Math.max(0, pauseEnd - System.nanoTime()) : Long.MAX_VALUE;
        return Math.min(rest, handshakes.nanosToEnd());
    }

    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>();
        for (Handshake handshake : handshakes.all()) {
            closes.add(handshake::close);
        }
        closes.add(listener::close);
        CloseAll.of(closes.toArray(Runnable[]::new));
        handshakes.clear();
    }
}
