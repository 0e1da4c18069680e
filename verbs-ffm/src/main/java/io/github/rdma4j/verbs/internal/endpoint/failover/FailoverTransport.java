// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.endpoint.TransportMove;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpTransport;
import io.github.rdma4j.verbs.internal.events.EndpointMoveEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The transport of an endpoint with failover: TCP from beginning to end, and RDMA whenever it works. To the protocol it
 * is one wire, which does not fail as long as one of the two works. {@link Mover} decides. {@link Outbox} keeps what
 * may have to be posted again. {@link FailoverBuffers} has the messages, so that the program never holds memory of a
 * transport. {@link FailoverListener} takes in the events of both.
 */
public final class FailoverTransport implements EndpointTransport, Mover.Host {
    /** The number of TCP's slots for migration messages. */
    static final int WORDS = 8;

    static final String REFUSED = "the adapter does not take what is posted";

    /** Over RDMA, TCP is polled rarely: it is a system call that usually finds nothing. */
    private static final int POLLS_PER_LOOK_AT_TCP = 16;

    /** The limit of waiting migration messages; a peer that observes the protocol never causes so many. */
    private static final int MOST_UNSENT = 64;

    private static final long LONGEST_WAIT_FOR_TCP = TimeUnit.MILLISECONDS.toNanos(64);

    private final EndpointTransport tcp;
    private final RdmaConnection rdma;
    private final RdmaDialer dialer;
    private final FailoverBuffers buffers;
    private final Outbox outbox;
    private final Mover mover;
    private final long[] words;
    private final int depth;
    private final Consumer<? super TransportMove> moveListener;
    private final FailoverListener listener;
    // Created once, because each poll needs them.
    private final Consumer<EndpointTransport> takeIn = this::takeIn;
    private final Consumer<EndpointTransport> checkLeg = this::checkLeg;
    private final Consumer<String> rdmaFails = this::rdmaFails;
    private final Queue<byte[]> unsent = new ArrayDeque<>();
    private final ArrayDeque<Integer> freeForWords = new ArrayDeque<>();
    private final FailoverEvents sleepEnds;
    private Protocol protocol;
    private Endpoint endpoint;
    private String name = "an endpoint";
    private int inBatch;
    private boolean endsMatter;
    /** Whether a thread or a selector checks for completions over TCP, which do not always raise an event. */
    private boolean checksEnds;

    private boolean failed;
    private int polls;

    /**
     * Creates it over TCP.
     *
     * @param tcp the connection, with {@link #depth} and {@link #WORDS} slots
     * @param dialer makes RDMA connections; null if this side cannot
     * @param client whether this side is the client, which tries RDMA repeatedly
     * @param peer the hello of the other side
     * @param clock the time in nanoseconds
     */
    FailoverTransport(
            EndpointTransport tcp,
            RdmaDialer dialer,
            boolean client,
            EndpointSettings config,
            Hello peer,
            LongSupplier clock) {
        this.tcp = tcp;
        this.sleepEnds = new FailoverEvents(tcp);
        this.dialer = dialer;
        this.depth = config.sizes().sendDepth();
        this.rdma = new RdmaConnection(depth, sleepEnds);
        this.words = new long[depth];
        this.moveListener = config.moveListener();
        this.buffers = new FailoverBuffers(
                config.sizes().bufferSize(),
                config.sizes().sumBytes(),
                depth,
                peer.receiveBuffers(),
                config.sizes().receiveBuffers() + Credits.RESERVE);
        this.listener = new FailoverListener(tcp, rdma, buffers, depth, freeForWords::add);
        this.outbox = new Outbox(buffers, depth, words, listener);
        int maxMessage = Math.min(config.sizes().maxMessageSize(), peer.bufferSize());
        this.mover = new Mover(client, dialer, outbox, tcp, this, clock, config, maxMessage);
        listener.of(outbox, mover);
        for (int i = 0; i < WORDS; i++) {
            freeForWords.add(depth + i);
        }
    }

    /** Sets the endpoint and its protocol, before anything else is called. */
    void serve(Protocol newProtocol, Endpoint newEndpoint) {
        protocol = newProtocol;
        listener.serve(newProtocol);
        endpoint = newEndpoint;
        name = newProtocol.toString();
    }

    Mover mover() {
        return mover;
    }

    // ---- Posting ----

    @Override
    public void fill(int slot, MemorySegment message) {
        buffers.fill(slot, message);
    }

    @Override
    public MemorySegment buffer(int slot) {
        return buffers.buffer(slot);
    }

    @Override
    public void cut(int slot, long length) {
        buffers.cut(slot, length);
    }

    @Override
    public ByteBuffer view(int slot) {
        return buffers.view(slot);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        return buffers.arrived(buffer);
    }

    @Override
    public void beginBatch() {
        inBatch = 0;
        outbox.beginBatch();
    }

    @Override
    public int endBatch() {
        outbox.endBatch();
        return inBatch;
    }

    @Override
    public int batchError() {
        return 0;
    }

    @Override
    public int postMessage(int slot, int frame, boolean signaled) {
        Post post = outbox.post(Post.Kind.MESSAGE, slot, frame);
        buffers.take(slot, post);
        inBatch++;
        outbox.add(post);
        return 0;
    }

    @Override
    public int postControl(long id, int frame) {
        boolean close = Frame.kind(frame) == Frame.CLOSE;
        outbox.add(outbox.post(close ? Post.Kind.CLOSE : Post.Kind.CREDIT, id, frame));
        return 0;
    }

    @Override
    public int postProbe(long id) {
        outbox.add(outbox.post(Post.Kind.PROBE, id, 0));
        return 0;
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        // The checks of both transports, because either may carry it.
        TcpTransport.check(operation, local, remote);
        if (dialer != null) {
            dialer.check(local);
        }
        Post post = outbox.post(Post.Kind.TRANSFER, slot, 0);
        post.operation = operation;
        post.local = local;
        post.remote = remote;
        post.operand = operand;
        post.newValue = newValue;
        outbox.add(post);
        return 0;
    }

    // ---- Receiving ----

    @Override
    public int poll(WireEvents receiver) {
        listener.takeEvents();
        if (failed) {
            return outbox.failAll(post -> receiver.failed(post.id, "the connection has ended", null));
        }
        takeInRdma();
        if (++polls >= POLLS_PER_LOOK_AT_TCP || !mover.isOnRdma()) {
            polls = 0;
            // RDMA before TCP: completions of RDMA are older than the peer's DOWN.
            listener.count(tcp.poll(listener.ofTcp()));
        }
        if (listener.tcpLost() != null) {
            loseTcp();
        }
        sayRest();
        String refused = outbox.takeFailure();
        if (refused != null) {
            mover.fails(refused);
        }
        mover.step(protocol.isOpen());
        outbox.pump();
        return listener.takeEvents();
    }

    @Override
    public void takeInRdma() {
        rdma.ask(takeIn, rdmaFails);
    }

    private void takeIn(EndpointTransport wire) {
        listener.count(wire.poll(listener.ofRdma()));
    }

    private void rdmaFails(String reason) {
        mover.fails(reason);
    }

    private void checkLeg(EndpointTransport wire) {
        String reason = wire.lost();
        if (reason != null) {
            mover.fails(reason);
        }
    }

    private void loseTcp() {
        if (!tcp.isLostByTheWire() || !mover.isOnRdma()) {
            takeInRdma();
            // If the peer has ended, RDMA is not the cause.
            String other = tcp.isLostByTheWire() ? mover.trouble() : null;
            protocol.linkLost(other == null ? listener.tcpLost() : listener.tcpLost() + "; and RDMA: " + other);
        }
    }

    // ---- Migration ----

    @Override
    public void send(MigrationMessage message) {
        unsent.add(message.toBytes());
        sayRest();
        if (unsent.size() > MOST_UNSENT) {
            violated("it asks more about a move than it reads");
        }
    }

    private void sayRest() {
        while (!unsent.isEmpty() && !freeForWords.isEmpty()) {
            int slot = freeForWords.remove();
            tcp.fill(slot, MemorySegment.ofArray(unsent.remove()));
            tcp.postMessage(slot, Frame.of(Frame.MOVE, 0), true);
        }
        // Later posts must not overtake migration messages.
        outbox.block(!unsent.isEmpty());
    }

    @Override
    public void connected(EndpointTransport made) {
        rdma.connected(made);
    }

    @Override
    public boolean sendTrial(int number, byte[] bytes) {
        return rdma.sendTrial(number, bytes);
    }

    @Override
    public void breakRdma(boolean takeIn) {
        rdma.breakOff(takeIn ? listener.ofRdma() : null);
    }

    @Override
    public void moved(Transport from, Transport to, String reason, Duration took) {
        listener.count(1);
        TransportMove move = new TransportMove(endpoint, from, to, reason, took);
        if (Recorder.isThere()) {
            EndpointMoveEvent.moved(name, from.name(), to.name(), reason, took);
        }
        if (moveListener != null) {
            Promise<TransportMove> delivery = new Promise<>(null);
            delivery.thenAccept(moveListener);
            protocol.decide(delivery, move, null);
        }
    }

    @Override
    public void violated(String how) {
        listener.violated(how);
    }

    // ---- The end ----

    @Override
    public boolean isPeerThere() {
        if (mover.isOnRdma()) {
            mover.fails("the peer's adapter has acknowledged nothing for too long (EndpointConfig.silenceTimeout)");
            return true;
        }
        boolean there = tcp.isPeerThere();
        if (!there && mover.trouble() != null) {
            protocol.lose(
                    "the peer's machine has acknowledged nothing over TCP for too long"
                            + " (EndpointConfig.silenceTimeout); and RDMA: "
                            + mover.trouble(),
                    null);
        }
        return there;
    }

    @Override
    public String whyLate() {
        return mover.isOnRdma() ? null : tcp.whyLate();
    }

    @Override
    public String lost() {
        rdma.ask(checkLeg, rdmaFails);
        return null;
    }

    @Override
    public void toError() {
        failed = true;
        CloseAll.of(tcp::toError, rdma::toError);
    }

    @Override
    public Exposures grants() {
        return tcp.grants();
    }

    @Override
    public void ended(String reason) {
        tcp.ended(reason);
    }

    // ---- Sleeping ----

    @Override
    public void prepareToSleep() {
        sleepEnds.prepare(rdma.wire());
    }

    @Override
    public void arm(boolean ends) {
        endsMatter = ends;
        checksEnds = ends && hasEndsOverTcp();
        tcp.arm(ends);
        rdma.ask(wire -> wire.arm(ends), rdmaFails);
    }

    @Override
    public boolean missesEnds() {
        return tcp.missesEnds() || rdma.isThere() && rdma.wire().missesEnds() || !checksEnds && hasEndsOverTcp();
    }

    private boolean hasEndsOverTcp() {
        return !outbox.isOverRdma() && !outbox.isIdle();
    }

    @Override
    public long nanosToNextArm(boolean ends) {
        checksEnds = ends && hasEndsOverTcp();
        return nanosToNextCheck(ends);
    }

    private long nanosToNextCheck(boolean ends) {
        // Over TCP the completion of a message does not always raise an event: see TcpTransport.
        return Math.min(ends && hasEndsOverTcp() ? LONGEST_WAIT_FOR_TCP : Long.MAX_VALUE, mover.nanosToStep());
    }

    /** {@inheritDoc} A port that goes down raises no event. */
    @Override
    public boolean beginCheck() {
        tcp.beginCheck();
        polls = POLLS_PER_LOOK_AT_TCP;
        return rdma.isThere();
    }

    @Override
    public void sleep(long nanos) {
        sleepEnds.sleep(Math.min(nanos, Math.max(1, nanosToNextCheck(endsMatter))));
    }

    @Override
    public boolean awake() {
        sleepEnds.forgetWakeUp();
        eventCame();
        tcp.awake();
        // A port that goes down raises no event.
        return rdma.isThere();
    }

    @Override
    public void eventCame() {
        tcp.eventCame();
        polls = POLLS_PER_LOOK_AT_TCP;
        rdma.ask(EndpointTransport::eventCame, rdmaFails);
    }

    @Override
    public Events events() {
        prepareToSleep();
        return sleepEnds.forSelector();
    }

    @Override
    public void wakeUp() {
        sleepEnds.wakeUp();
    }

    // ---- Memory ----

    @Override
    public int postReceive(int buffer) {
        buffers.release(buffer);
        return 0;
    }

    @Override
    public long word(int slot) {
        return words[slot];
    }

    @Override
    public byte[] copy(int buffer, long length) {
        return buffers.copy(buffer, length);
    }

    @Override
    public Message message(int buffer, long length) {
        return buffers.message(buffer, length);
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return tcp.ask(question);
    }

    @Override
    public void close() {
        CloseAll.of(rdma::close, mover::close, sleepEnds::close, tcp::close);
    }

    @Override
    public void free() {
        CloseAll.of(rdma::closeLeftovers, buffers::close, tcp::free, () -> {
            if (dialer != null) {
                dialer.free();
            }
        });
    }
}
