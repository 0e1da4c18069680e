// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.events.EndpointMoveEvent;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The wire of an endpoint that moves: TCP from beginning to end, and RDMA whenever it works. To the protocol it is one
 * wire that does not fail as long as one of the two works. {@link Mover} decides, {@link Outbox} keeps what may have to
 * be posted again, {@link FailoverRooms} has the messages, so that no wire's memory is in the hands of the program.
 */
final class FailoverCarrier implements Carrier, Mover.Ground, Outbox.Listener {
    /** The slots of TCP beyond those of messages and transfers. */
    static final int WORDS = 8;

    /** Over RDMA, a look at TCP is a system call that mostly finds nothing. */
    private static final int POLLS_PER_LOOK_AT_TCP = 16;

    private static final long LONGEST_WAIT_FOR_TCP = TimeUnit.MILLISECONDS.toNanos(64);

    private final Carrier tcp;
    private final RdmaWay way;
    private final FailoverRooms rooms;
    private final Outbox outbox;
    private final Mover mover;
    private final long[] words;
    private final int depth;
    private final Consumer<? super TransportMove> listener;
    private final Tcp fromTcp = new Tcp();
    private final Rdma fromRdma = new Rdma();
    /** Once, since it is done with each poll. */
    private final Consumer<Carrier> takeIn = this::takeIn;

    private final Consumer<Carrier> look = this::look;
    private final Queue<byte[]> unsaid = new ArrayDeque<>();
    private final ArrayDeque<Integer> freeForWords = new ArrayDeque<>();
    private final List<Carrier> leftovers = new ArrayList<>();
    private final FailoverEvents sleepEnds;
    private Protocol protocol;
    private Endpoint endpoint;
    private String name = "an endpoint";
    private Carrier rdma;
    private int canariesUnderWay;
    private int inBatch;
    private boolean endsMatter;
    private boolean failed;
    private String tcpLost;
    private int events;
    private int polls;

    /**
     * Over TCP.
     *
     * @param tcp whose slots are {@link #depth} and {@link #WORDS} more
     * @param way to RDMA; null if this side has none
     * @param client whether this side tries RDMA again and again
     * @param peer what the other side has said
     * @param clock in nanoseconds
     */
    FailoverCarrier(Carrier tcp, RdmaWay way, boolean client, EndpointConfig config, Hello peer, LongSupplier clock) {
        this.tcp = tcp;
        this.sleepEnds = new FailoverEvents(tcp);
        this.way = way;
        this.depth = depth(config);
        this.words = new long[depth];
        this.listener = config.moveListener();
        this.rooms = new FailoverRooms(
                config.bufferSize(),
                config.sumBytes(),
                depth,
                peer.receiveBuffers(),
                config.receiveBuffers() + Credits.RESERVE);
        this.outbox = new Outbox(rooms, depth, words, this);
        int maxMessage = Math.min(config.maxMessageSize(), peer.bufferSize());
        this.mover = new Mover(client, way, outbox, tcp, this, clock, config, maxMessage);
        for (int i = 0; i < WORDS; i++) {
            freeForWords.add(depth + i);
        }
    }

    /** How many messages and transfers a wire can have under way. */
    static int depth(EndpointConfig config) {
        return config.sendDepth();
    }

    /** Whom it serves, before anything happens. */
    void serve(Protocol newProtocol, Endpoint newEndpoint) {
        protocol = newProtocol;
        endpoint = newEndpoint;
        name = newProtocol.toString();
    }

    Mover mover() {
        return mover;
    }

    // ---- Posting ----

    @Override
    public void fill(int slot, MemorySegment message) {
        rooms.fill(slot, message);
    }

    @Override
    public MemorySegment room(int slot) {
        return rooms.room(slot);
    }

    @Override
    public void cut(int slot, long length) {
        rooms.cut(slot, length);
    }

    @Override
    public ByteBuffer view(int slot) {
        return rooms.view(slot);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        return rooms.arrived(buffer);
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
        rooms.take(slot, post);
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
        // Of both wires, since nobody knows which one it will be.
        TcpCarrier.check(operation, local, remote);
        if (way != null) {
            way.check(local);
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

    // ---- What has come ----

    @Override
    public int poll(WireEvents receiver) {
        events = 0;
        if (failed) {
            return outbox.failAll(post -> receiver.failed(post.id, "the connection has ended", null));
        }
        pollRdma();
        if (++polls >= POLLS_PER_LOOK_AT_TCP || !mover.isOnRdma()) {
            polls = 0;
            // What RDMA has is older than the word of the peer's end.
            events += tcp.poll(fromTcp);
        }
        if (tcpLost != null) {
            loseTcp();
        }
        sayRest();
        String refused = outbox.takeFailure();
        if (refused != null) {
            mover.fails(refused);
        }
        mover.step(protocol.isOpen());
        outbox.pump();
        return events;
    }

    private void pollRdma() {
        askRdma(takeIn);
    }

    private void takeIn(Carrier wire) {
        events += wire.poll(fromRdma);
    }

    private void look(Carrier wire) {
        String reason = wire.lost();
        if (reason != null) {
            mover.fails(reason);
        }
    }

    /** Does something with the connection over RDMA, if there is one; what that cannot do is a failure of RDMA. */
    private void askRdma(Consumer<Carrier> question) {
        if (rdma != null) {
            try {
                question.accept(rdma);
            } catch (VerbsException | IllegalStateException e) {
                mover.fails(e.getMessage());
            }
        }
    }

    private void loseTcp() {
        boolean wireAlone = tcp.isLostByTheWire() && mover.isOnRdma();
        if (!wireAlone) {
            pollRdma();
            String other = mover.trouble();
            protocol.linkLost(other == null ? tcpLost : tcpLost + "; and RDMA: " + other);
        }
    }

    /** A message of the program's, or of the protocol's. */
    private void deliver(Carrier from, int buffer, int frame, long length) {
        if (length > rooms.size()) {
            protocol.received(-1, true, frame, length);
            return;
        }
        Message message = from.message(buffer, length);
        int room = rooms.receive(message.segment());
        message.close();
        if (room < 0) {
            if (protocol.isOpen()) {
                protocol.overrun();
            }
            return;
        }
        try {
            protocol.received(room, true, frame, length);
        } catch (Throwable e) {
            rooms.release(room);
            throw e;
        }
        outbox.creditsCame(Frame.credits(frame));
    }

    /** What comes over TCP. */
    private final class Tcp extends WireEvents {
        @Override
        Protocol.State state() {
            return protocol.state();
        }

        @Override
        void received(int buffer, boolean framed, int frame, long length) {
            if (framed && Frame.kind(frame) == Frame.MOVE) {
                Message message = tcp.message(buffer, length);
                byte[] bytes = message.segment().toArray(ValueLayout.JAVA_BYTE);
                message.close();
                hear(bytes);
            } else if (framed) {
                deliver(tcp, buffer, frame, length);
            } else {
                protocol.received(-1, false, frame, length);
            }
            if (buffer >= 0) {
                tcp.postReceive(buffer);
            }
        }

        private void hear(byte[] bytes) {
            MoveWords said = MoveWords.parse(bytes);
            if (said == null) {
                violated("words about a move that nobody understands");
            } else {
                events++;
                mover.heard(said);
            }
        }

        @Override
        void overrun() {
            protocol.overrun();
        }

        @Override
        void sent(long id) {
            if (id >= depth && id < depth + WORDS) {
                freeForWords.add((int) id);
            } else {
                outbox.sent(id);
            }
        }

        @Override
        void failed(long id, String reason, TransferException cause) {
            if (id >= depth && id < depth + WORDS) {
                return;
            }
            protocol.failed(outbox.failOldest(), reason, cause);
        }

        @Override
        void linkLost(String reason) {
            tcpLost = reason;
        }
    }

    /** What comes over RDMA. */
    private final class Rdma extends WireEvents {
        @Override
        Protocol.State state() {
            return protocol.state();
        }

        @Override
        void received(int buffer, boolean framed, int frame, long length) {
            if (!framed) {
                mover.fails("what came over RDMA is no message of an endpoint's");
                return;
            }
            if (mover.hearsRdma()) {
                deliver(rdma, buffer, frame, length);
                mover.received(frame);
            } else if (Frame.kind(frame) == Frame.CANARY) {
                Message message = rdma.message(buffer, length);
                mover.canary(message.segment());
                message.close();
            } else {
                mover.fails("a message has come over RDMA before its time");
            }
            int errno = rdma.postReceive(buffer);
            if (errno != 0) {
                mover.fails("posting failed: " + VerbsException.describe(errno));
            }
        }

        @Override
        void overrun() {
            protocol.overrun();
        }

        @Override
        void sent(long id) {
            if (canariesUnderWay > 0) {
                canariesUnderWay--;
            } else {
                outbox.sent(id);
            }
        }

        @Override
        void failed(long id, String reason, TransferException cause) {
            boolean ours = (id & Protocol.RECEIVE) == 0 && canariesUnderWay == 0 && outbox.isOverRdma();
            if (ours && cause != null && isMistake(cause.status())) {
                protocol.failed(outbox.failOldest(), reason, cause);
            } else {
                mover.fails(reason);
            }
        }

        /**
         * What would fail again over TCP. REM_ACCESS_ERR may: it is a wrong key, or the memory of a process that is
         * just ending, and only TCP tells which.
         */
        private static boolean isMistake(WorkCompletionStatus status) {
            return switch (status) {
                case REM_INV_REQ_ERR, LOC_PROT_ERR, LOC_LEN_ERR -> true;
                default -> false;
            };
        }

        @Override
        void linkLost(String reason) {
            mover.fails(reason);
        }
    }

    // ---- Of what was posted ----

    @Override
    public void sent(Post post) {
        events++;
        protocol.sent(post.id);
    }

    @Override
    public void unknown(Post post) {
        events++;
        protocol.refuse(
                (int) post.id,
                new TransferException(
                        "an atomic operation over " + name,
                        WorkCompletionStatus.UNKNOWN,
                        "RDMA failed while it was under way: whether it took effect is unknown, and it was not"
                                + " repeated; read the value"));
    }

    @Override
    public void refused(Post post, RuntimeException why) {
        events++;
        if (post.id != Post.NOBODY) {
            protocol.refuse((int) post.id, why);
        }
    }

    // ---- Of the move ----

    @Override
    public void say(MoveWords said) {
        unsaid.add(said.toBytes());
        sayRest();
    }

    private void sayRest() {
        while (!unsaid.isEmpty() && !freeForWords.isEmpty()) {
            int slot = freeForWords.remove();
            tcp.fill(slot, MemorySegment.ofArray(unsaid.remove()));
            tcp.postMessage(slot, Frame.of(Frame.MOVE, 0), true);
        }
        // What is posted behind them must not come before them.
        outbox.block(!unsaid.isEmpty());
    }

    @Override
    public void connected(Carrier made) {
        rdma = made;
        canariesUnderWay = 0;
        sleepEnds.add(made);
    }

    @Override
    public boolean sendCanary(int number, byte[] bytes) {
        int slot = depth + number;
        rdma.fill(slot, MemorySegment.ofArray(bytes));
        boolean posted = rdma.postMessage(slot, Frame.of(Frame.CANARY, 0), true) == 0;
        canariesUnderWay += posted ? 1 : 0;
        return posted;
    }

    @Override
    public void breakRdma(boolean takeIn) {
        Carrier gone = rdma;
        try {
            gone.toError();
            if (takeIn) {
                gone.poll(fromRdma);
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            // What was not taken in, the peer sends again.
        }
        rdma = null;
        leftovers.add(gone);
        closeLeftovers();
    }

    /** A device that was removed may not let go at once. */
    private void closeLeftovers() {
        leftovers.removeIf(gone -> {
            try {
                sleepEnds.remove(gone);
                CloseAll.of(gone::close, gone::free);
                return true;
            } catch (RuntimeException e) {
                return false;
            }
        });
    }

    @Override
    public void moved(Transport from, Transport to, String reason, Duration took) {
        events++;
        TransportMove move = new TransportMove(endpoint, from, to, reason, took);
        EndpointMoveEvent.moved(name, from.name(), to.name(), reason, took);
        if (listener != null) {
            Promise<TransportMove> told = new Promise<>(null);
            told.thenAccept(listener);
            protocol.decide(told, move, null);
        }
    }

    @Override
    public void violated(String how) {
        protocol.linkLost("the peer does not keep to the endpoint protocol: " + how);
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
    public String lost() {
        askRdma(look);
        return null;
    }

    @Override
    public void toError() {
        failed = true;
        CloseAll.of(tcp::toError, () -> {
            if (rdma != null) {
                rdma.toError();
            }
        });
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
        sleepEnds.prepare(rdma);
    }

    @Override
    public void arm(boolean ends) {
        endsMatter = ends;
        tcp.arm(ends);
        askRdma(wire -> wire.arm(ends));
    }

    @Override
    public boolean missesEnds() {
        return tcp.missesEnds() || rdma != null && rdma.missesEnds();
    }

    @Override
    public void sleep(long nanos) {
        // Over TCP the end of a message is not always an event: see TcpCarrier.
        long most = endsMatter && !outbox.isOverRdma() && !outbox.isIdle() ? LONGEST_WAIT_FOR_TCP : nanos;
        sleepEnds.sleep(Math.min(Math.min(nanos, most), Math.max(1, mover.nanosToStep())));
    }

    @Override
    public boolean awake() {
        eventCame();
        tcp.awake();
        // A port that is down is no event.
        return rdma != null;
    }

    @Override
    public void eventCame() {
        tcp.eventCame();
        polls = POLLS_PER_LOOK_AT_TCP;
        askRdma(Carrier::eventCame);
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
        rooms.release(buffer);
        return 0;
    }

    @Override
    public long word(int slot) {
        return words[slot];
    }

    @Override
    public byte[] copy(int buffer, long length) {
        return rooms.copy(buffer, length);
    }

    @Override
    public Message message(int buffer, long length) {
        return rooms.message(buffer, length);
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return tcp.ask(question);
    }

    @Override
    public void close() {
        CloseAll.of(
                () -> {
                    if (rdma != null) {
                        leftovers.add(rdma);
                        rdma = null;
                    }
                    closeLeftovers();
                },
                mover::close,
                sleepEnds::close,
                tcp::close);
    }

    @Override
    public void free() {
        CloseAll.of(this::closeLeftovers, rooms::close, tcp::free, () -> {
            if (way != null) {
                way.free();
            }
        });
    }
}
