// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Decides when and how a pair of endpoints moves between TCP, which lasts from beginning to end, and RDMA connections,
 * which come and go. A state machine without threads: its inputs are the peer's messages over TCP, the events of RDMA,
 * and the time.
 *
 * <p>Up: the client offers a connection and the server answers. Both send trial messages over it. Then each side sends
 * {@code UP}, and nothing else over TCP after it. Each side posts over RDMA when the peer has sent {@code READY}, which
 * means that the peer has taken in everything before. Down: the side that first detects a failure of RDMA breaks its
 * queue pair, so that nothing more arrives from it, and sends {@code DOWN} with what it has received over RDMA. The
 * peer does the same. Each side posts the rest again over TCP once it has received the other's {@code DOWN}. {@code
 * DOWN} may cross any other message: a connection ends when each side has sent and received it, in whatever state the
 * connection was.
 */
final class Mover {
    /** The operations of the endpoint that it uses. */
    interface Host {
        /** Sends a message over TCP, after everything that was sent before. */
        void send(MigrationMessage words);

        /** Takes a new RDMA connection, whose first messages are passed to {@link Mover#trial}. */
        void connected(EndpointTransport rdma);

        /** Sends a trial message over RDMA. Returns whether the adapter has accepted it. */
        boolean sendTrial(int number, byte[] bytes);

        /** Takes in what has arrived over RDMA. */
        void takeInRdma();

        /** Breaks the RDMA connection, takes in what has arrived if requested, and closes it. */
        void breakRdma(boolean takeIn);

        void moved(Transport from, Transport to, String reason, Duration took);

        /** Handles a violation of the protocol by the peer. */
        void violated(String how);
    }

    static final int TRIALS = 3;
    private static final int LONGEST_CANARY = 4096;

    private final boolean client;
    private final RdmaDialer dialer;
    private final Outbox outbox;
    private final EndpointTransport tcp;
    private final Host host;
    private final LongSupplier clock;
    private final long attemptNanos;
    private final int trialBytes;
    private final long pauseNanos;

    private int attempt;
    private boolean underWay;
    private RdmaDialer.Attempt prepared;
    private EndpointTransport rdma;
    private int trialsReceived;
    private boolean upSaid;
    private boolean upHeard;
    private boolean readyHeard;
    private boolean downSaid;
    private MigrationMessage downHeard;
    private volatile boolean arrived;
    private long begun;
    private long nextTry;
    private volatile RuntimeException failure;
    /** The cause of the failure without its context. */
    private String why;

    private String failing;
    /** The request that the peer's adapter has refused over this connection; null if there is none. */
    private String refusal;
    // Counts of what was received over RDMA.
    private long messages;
    private long credits;
    private boolean closed;

    /**
     * Creates it over TCP.
     *
     * @param dialer makes RDMA connections; null if there is none
     * @param maxMessage the longest message in both directions, in bytes
     */
    Mover(
            boolean client,
            RdmaDialer dialer,
            Outbox outbox,
            EndpointTransport tcp,
            Host host,
            LongSupplier clock,
            EndpointSettings config,
            int maxMessage) {
        this.client = client;
        this.dialer = dialer;
        this.outbox = outbox;
        this.tcp = tcp;
        this.host = host;
        this.clock = clock;
        this.attemptNanos = Timeouts.nanos(config.times().rdma());
        this.trialBytes = Math.min(maxMessage, LONGEST_CANARY);
        this.pauseNanos = Timeouts.nanos(config.times().recovery());
        this.nextTry = clock.getAsLong();
        outbox.useTcp(tcp);
    }

    /** {@return the transport of the endpoint's messages, as far as this side knows} */
    Transport transport() {
        return arrived ? Transport.RDMA : Transport.TCP;
    }

    /** Whether RDMA is in use and no migration is under way. */
    boolean isOnRdma() {
        return arrived && !downSaid && failing == null;
    }

    /** {@return why RDMA is not in use; null if it is, or was not tried yet} */
    RuntimeException failure() {
        return arrived ? null : failure;
    }

    /** {@return the problem with RDMA, as far as it is known; null if there is none} */
    String trouble() {
        return failing != null ? failing : arrived ? null : why;
    }

    /** Records why this side can never use RDMA. */
    void unable(RuntimeException cause) {
        failed(cause);
    }

    private void failed(RuntimeException cause) {
        failure = cause;
        why = String.valueOf(cause.getMessage());
    }

    /** Whether data may arrive over RDMA. */
    boolean hearsRdma() {
        return upHeard && !downSaid;
    }

    /** {@return after how many nanoseconds {@link #step} must be called at the latest} */
    long nanosToStep() {
        if (failing != null) {
            return 0;
        }
        if (underWay) {
            boolean tries = !arrived && !downSaid;
            return tries ? Math.max(0, begun + attemptNanos - clock.getAsLong()) : Long.MAX_VALUE;
        }
        return client && dialer != null ? Math.max(0, nextTry - clock.getAsLong()) : Long.MAX_VALUE;
    }

    // ---- Events ----

    /** Records a failure of RDMA. The next {@link #step} acts on it. */
    void fails(String reason) {
        if (underWay && !downSaid && failing == null) {
            failing = reason;
        }
    }

    /**
     * Records that the peer's adapter has refused a request: this is the cause, whichever consequence arrived first.
     */
    void refused(String reason) {
        if (underWay && !downSaid) {
            refusal = reason;
            failing = reason;
        }
    }

    /** Acts on timeouts and failures. */
    void step(boolean open) {
        String reason = failing;
        failing = null;
        if (underWay) {
            if (reason != null && !downSaid) {
                end(reason, null);
            } else if (!arrived && !downSaid && clock.getAsLong() - begun >= attemptNanos) {
                end("the attempt to use RDMA was not done within EndpointConfig.rdmaTimeout", null);
            }
            useRdma();
        } else if (client && dialer != null && open && clock.getAsLong() - nextTry >= 0) {
            offer();
        }
    }

    private void begin(int number) {
        attempt = number;
        underWay = true;
        begun = clock.getAsLong();
        trialsReceived = 0;
        upSaid = false;
        upHeard = false;
        readyHeard = false;
        downSaid = false;
        downHeard = null;
        refusal = null;
        messages = 0;
        credits = 0;
        closed = false;
    }

    private void offer() {
        try {
            prepared = dialer.prepare();
            byte[] words = prepared.offer();
            begin(attempt + 1);
            host.send(MigrationMessage.of(MigrationMessage.Kind.OFFER, attempt, words));
        } catch (RuntimeException e) {
            failed(e);
            giveUpPrepared();
            nextTry = clock.getAsLong() + pauseNanos;
        }
    }

    private void giveUpPrepared() {
        try {
            close();
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    /** Closes a connection that is not complete yet. Call again to retry a failed close. */
    void close() {
        if (prepared != null) {
            prepared.close();
            prepared = null;
        }
    }

    /** Handles a migration message of the peer. */
    void received(MigrationMessage words) {
        if (words.kind() == MigrationMessage.Kind.OFFER) {
            if (client || underWay || words.attempt() != attempt + 1) {
                host.violated("an offer of RDMA that is not its turn");
                return;
            }
            begin(words.attempt());
            answer(words.body());
            return;
        }
        if (!underWay || words.attempt() != attempt) {
            host.violated("words about an RDMA connection that there is not");
            return;
        }
        switch (words.kind()) {
            case ANSWER -> {
                if (!downSaid && prepared != null && client) {
                    connect(words.body());
                }
            }
            case UP -> {
                if (!downSaid && rdma != null && !upHeard) {
                    upHeard = true;
                    host.send(MigrationMessage.of(MigrationMessage.Kind.READY, attempt));
                    if (!client) {
                        sayUp();
                    }
                    arrive();
                }
            }
            case READY -> {
                if (!downSaid && upSaid && !readyHeard) {
                    readyHeard = true;
                    useRdma();
                }
            }
            default -> {
                downHeard = words;
                if (!downSaid) {
                    // A refusal by the peer's adapter has ended the peer's side also: then the peer reports the
                    // outcome.
                    if (upHeard) {
                        host.takeInRdma();
                    }
                    end(refusal != null ? refusal : "the peer says: " + words.reason(), null);
                } else {
                    endBoth();
                }
            }
        }
    }

    private void answer(byte[] offer) {
        try {
            if (dialer == null) {
                throw failure;
            }
            prepared = dialer.prepare();
            byte[] words = prepared.offer();
            connect(offer);
            if (rdma != null) {
                host.send(MigrationMessage.of(MigrationMessage.Kind.ANSWER, attempt, words));
            }
        } catch (RuntimeException e) {
            end(e.getMessage(), e);
        }
    }

    private void connect(byte[] peer) {
        try {
            EndpointTransport made = prepared.connect(peer);
            prepared = null;
            rdma = made;
            host.connected(made);
            if (client) {
                sendTrial();
            }
        } catch (RuntimeException e) {
            end(e.getMessage(), e);
        }
    }

    // ---- The trial messages ----

    private byte[] trialBytes(boolean ofClient, int number) {
        byte[] bytes = new byte[trialBytes];
        new SplittableRandom(((long) attempt << 8 | number) * (ofClient ? 1 : -1)).nextBytes(bytes);
        return bytes;
    }

    private void sendTrial() {
        for (int i = 0; i < TRIALS; i++) {
            if (!host.sendTrial(i, trialBytes(client, i))) {
                fails(FailoverTransport.REFUSED);
                return;
            }
        }
    }

    /** Handles a trial message of the peer. */
    void trial(MemorySegment bytes) {
        int number = trialsReceived++;
        if (number >= TRIALS || !Arrays.equals(trialBytes(!client, number), bytes.toArray(ValueLayout.JAVA_BYTE))) {
            fails("the data that came over RDMA are not those that were sent: look into the kernel logs of both"
                    + " machines, and test both adapters with ib_write_bw");
            return;
        }
        if (trialsReceived == TRIALS) {
            if (!client) {
                sendTrial();
            } else {
                sayUp();
            }
        }
    }

    private void sayUp() {
        upSaid = true;
        outbox.hold();
        host.send(MigrationMessage.of(MigrationMessage.Kind.UP, attempt));
    }

    /** Switches to RDMA, once TCP's own posts are done: the peer's READY may arrive before that. */
    private void useRdma() {
        if (readyHeard && !downSaid && !outbox.isOverRdma() && outbox.isIdle()) {
            outbox.useRdma(rdma);
            arrive();
        }
    }

    private void arrive() {
        if (upHeard && outbox.isOverRdma() && !arrived) {
            arrived = true;
            host.moved(Transport.TCP, Transport.RDMA, "RDMA works", Duration.ofNanos(clock.getAsLong() - begun));
        }
    }

    // ---- Receiving over RDMA ----

    void received(int frame) {
        messages += Frame.kind(frame) == Frame.MESSAGE ? 1 : 0;
        credits += Frame.credits(frame);
        closed |= Frame.kind(frame) == Frame.CLOSE;
    }

    // ---- Down ----

    /** Ends the connection. Nothing more is taken in from it. */
    private void end(String reason, RuntimeException cause) {
        failed(
                cause != null
                        ? cause
                        : ACCESS.endpointException(
                                "RDMA to the peer", reason, "fix it; RDMA is retried automatically"));
        why = reason;
        giveUpPrepared();
        if (arrived) {
            begun = clock.getAsLong();
        }
        outbox.hold();
        if (rdma != null) {
            host.breakRdma(upHeard);
            rdma = null;
            // Breaking the connection may have reported failures.
            failing = null;
        }
        downSaid = true;
        host.send(new MigrationMessage(
                MigrationMessage.Kind.DOWN,
                attempt,
                messages,
                credits,
                closed,
                MigrationMessage.reason(String.valueOf(reason))));
        if (!outbox.isOverRdma()) {
            outbox.useTcp(tcp);
        }
        if (downHeard != null) {
            endBoth();
        }
    }

    private void endBoth() {
        if (outbox.isOverRdma()) {
            outbox.recover(downHeard.messages(), downHeard.credits(), downHeard.closed());
            outbox.useTcp(tcp);
        }
        underWay = false;
        nextTry = clock.getAsLong() + pauseNanos;
        if (arrived) {
            arrived = false;
            host.moved(
                    Transport.RDMA, Transport.TCP, failure.getMessage(), Duration.ofNanos(clock.getAsLong() - begun));
        }
    }
}
