// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.FakeTransport;
import io.github.rdma4j.verbs.endpoint.TestSettings;
import io.github.rdma4j.verbs.endpoint.TransportMove;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import io.github.rdma4j.verbs.internal.endpoint.protocol.SummedProtocol;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** One end of a simulated connection that moves, and a program that does anything at any time and records it. */
final class FailoverEnd {
    static final long SILENCE_NANOS = 100_000_000;
    static final long ATTEMPT_NANOS = 250_000_000;
    static final long PAUSE_NANOS = 37_500_000;

    private static final RemoteMemory REMOTE = new RemoteMemory(8, 8, 1);
    private static final int SIZE = 64;

    /** The adapters of both ends, and the connections that they have made: the number of one is its offer. */
    static final class Fabric {
        final Object wire = new Object();
        final Map<Byte, FakeTransport> made = new HashMap<>();
        byte next;
        /** Why no connection can be prepared now; null if one can. */
        String trouble;

        boolean cut;

        void cut(boolean now) {
            cut = now;
            made.values().forEach(transport -> transport.cut = now);
        }
    }

    final String name;
    private final Random random;
    private final Fabric fabric;
    private final int depth;
    private final int buffers;
    private final int peerBuffers;
    final FakeTransport tcp;
    final FailoverTransport transport;
    final Protocol protocol;
    private final long[] memory = new long[4];
    /** The connection over RDMA that was made last. */
    FakeTransport rdma;
    /** Hears the bytes of each message that has come over RDMA, and may change them. */
    Consumer<byte[]> tamper = bytes -> {};

    private FailoverEnd peer;
    private long sent;
    private long read;
    private long succeeded;
    private long unknown;
    private final List<Promise<?>> promises = new ArrayList<>();
    private final List<CompletableFuture<?>> results = new ArrayList<>();
    private final List<Promise<?>> additions = new ArrayList<>();
    private final Deque<Integer> held = new ArrayDeque<>();
    private final Deque<Promise<byte[]>> requests = new ArrayDeque<>();
    private final List<Integer> claimed = new ArrayList<>();
    final List<TransportMove> moves = new ArrayList<>();
    private final List<FakeTransport> made = new ArrayList<>();
    private boolean freed;
    boolean closing;
    boolean saidGoodBye;

    FailoverEnd(
            String name,
            boolean client,
            Random random,
            Fabric fabric,
            int depth,
            int buffers,
            int peerBuffers,
            long[] now) {
        this.name = name;
        this.random = random;
        this.fabric = fabric;
        this.depth = depth;
        this.buffers = buffers;
        this.peerBuffers = peerBuffers;
        EndpointSettings config = TestSettings.of(settings -> settings.sendDepth(depth)
                .receiveBuffers(buffers)
                .maxMessageSize(SIZE)
                .integrity(true)
                .rdmaTimeout(Duration.ofNanos(ATTEMPT_NANOS))
                .recoveryInterval(Duration.ofNanos(PAUSE_NANOS))
                .silenceTimeout(Duration.ofNanos(SILENCE_NANOS))
                .onMove(moves::add));
        // A stream of TCP keeps what the program does not take.
        tcp = fake(depth + FailoverTransport.WORDS, buffers + 32);
        tcp.peerThere = true;
        Hello hello = new Hello(Hello.VERSION, peerBuffers, SIZE, new byte[0]);
        transport = new FailoverTransport(tcp, new Way(), client, config, hello, () -> now[0]);
        protocol = new SummedProtocol(
                name,
                transport,
                new Credits(buffers, peerBuffers),
                depth,
                config.sizes().bufferSize(),
                SIZE,
                new Silence(SILENCE_NANOS, false),
                EndpointExceptions.OF_ENDS);
        transport.serve(protocol, null);
    }

    static void connect(FailoverEnd left, FailoverEnd right) {
        left.peer = right;
        right.peer = left;
        FakeTransport.connect(left.tcp, right.tcp);
    }

    private FakeTransport fake(int slots, int receives) {
        FakeTransport made = new FakeTransport(fabric.wire, false, slots, receives);
        made.memory = memory;
        made.written = this::written;
        return made;
    }

    private final class Way implements RdmaDialer {
        @Override
        public Attempt prepare() {
            if (fabric.trouble != null) {
                throw ACCESS.endpointException("preparing", fabric.trouble, "wait");
            }
            byte number = ++fabric.next;
            FakeTransport mine = fake(depth + Mover.TRIALS, buffers);
            mine.cut = fabric.cut;
            mine.neverFlushes = random.nextInt(4) == 0;
            mine.tamper = bytes -> tamper.accept(bytes);
            fabric.made.put(number, mine);
            made.add(mine);
            return new Attempt() {
                @Override
                public byte[] offer() {
                    return new byte[] {number};
                }

                @Override
                public EndpointTransport connect(byte[] offer) {
                    FakeTransport.connect(mine, fabric.made.get(offer[0]));
                    rdma = mine;
                    return mine;
                }

                @Override
                public void close() {
                    mine.closed = true;
                }
            };
        }

        @Override
        public void check(MemorySlice local) {}

        @Override
        public void free() {
            freed = true;
        }
    }

    void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(name + ": " + what + ", " + this);
        }
    }

    /** The peer's writes carry the number of the message that follows: behind that message they come too late. */
    private void written(long value) {
        require(value > read, "write " + value + " after message " + read + " was read");
    }

    // ---- What the program does ----

    private static MemorySegment message(long number, Random random) {
        byte[] bytes = new byte[Long.BYTES + random.nextInt(SIZE - Long.BYTES)];
        for (int i = Long.BYTES; i < bytes.length; i++) {
            bytes[i] = (byte) (number * 31 + i);
        }
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        return message;
    }

    void act() {
        try {
            switch (random.nextInt(closing ? 8 : 20)) {
                case 0, 1, 2, 3 -> poll();
                case 4 -> release();
                case 5 -> giveBack();
                case 6, 7 -> take();
                case 8, 9 -> trySend();
                case 10 -> sendAsync();
                case 11, 12 -> writeAndSend();
                case 13 -> claim();
                case 14 -> add();
                case 15 -> readMemory();
                case 16 -> sendSeveral();
                case 17 -> receiveAsync();
                case 18 -> withdraw();
                default -> takeIn(protocol.isOpen() ? requestNow() : null);
            }
        } catch (EndpointException e) {
            require(protocol.state() != State.OPEN, "open, and yet " + e);
        }
        bookRequests();
    }

    void poll() {
        try {
            transport.poll(protocol);
        } finally {
            protocol.settle();
        }
        while (!protocol.decisions().isEmpty()) {
            protocol.decisions().take().handOver();
        }
        bookRequests();
    }

    /** Records the messages that the protocol has delivered to receive futures. */
    private void bookRequests() {
        while (!requests.isEmpty() && requests.peek().isDecided()) {
            Promise<byte[]> request = requests.remove();
            takeIn(request.isWithdrawn() ? null : request.decidedValue());
        }
    }

    private void receiveAsync() {
        if (protocol.isOpen()) {
            Promise<byte[]> request = new Promise<>(null);
            requests.add(request);
            protocol.request(request);
        }
    }

    private void withdraw() {
        if (!requests.isEmpty()) {
            (random.nextBoolean() ? requests.peekFirst() : requests.peekLast()).cancel(false);
            protocol.nudge();
        }
    }

    void checkTimeouts(long now) {
        poll();
        transport.lost();
        protocol.checkTimeouts(now);
        protocol.settle();
        poll();
    }

    private void trySend() {
        if (protocol.trySend(message(sent + 1, random)) == Endpoint.OK) {
            sent++;
        }
    }

    private void sendSeveral() {
        List<MemorySegment> several = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            several.add(message(sent + several.size() + 1, random));
        }
        int accepted = protocol.trySendAll(several);
        sent += Math.max(0, accepted);
    }

    private <T> Promise<T> promise() {
        Promise<T> promise = new Promise<>(null);
        promises.add(promise);
        return promise;
    }

    void sendAsync() {
        if (protocol.isOpen()) {
            protocol.sendAsync(message(++sent, random), promise());
        }
    }

    private void writeAndSend() {
        if (protocol.isOpen()) {
            protocol.transferAsync(promise(), Operation.WRITE, null, REMOTE, sent + 1, 0);
            sendAsync();
        }
    }

    private void add() {
        Promise<Long> promise = promise();
        additions.add(promise);
        protocol.transferAsync(promise, Operation.FETCH_AND_ADD, null, REMOTE, 1, 0);
    }

    /** The peer changes what is read as soon as it has the next message. */
    private void readMemory() {
        Promise<Long> promise = promise();
        long most = sent;
        results.add(promise.thenAccept(
                value -> require(value <= most, "a read before message " + (most + 1) + " gave " + value)));
        protocol.transferAsync(promise, Operation.GET, null, REMOTE, 0, 8);
    }

    private void claim() {
        if (claimed.isEmpty() || random.nextBoolean()) {
            int slot = protocol.claim();
            if (slot >= 0) {
                claimed.add(slot);
            }
        } else {
            int slot = claimed.remove(random.nextInt(claimed.size()));
            MemorySegment message = message(sent + 1, random);
            MemorySegment.copy(message, 0, transport.buffer(slot), 0, message.byteSize());
            sent++;
            protocol.sendClaimed(slot, message.byteSize());
        }
    }

    private void giveBack() {
        if (!claimed.isEmpty()) {
            protocol.giveBack(claimed.remove(random.nextInt(claimed.size())));
        }
    }

    private void take() {
        int buffer = protocol.take();
        if (buffer >= 0) {
            require(requests.stream().allMatch(Promise::isDecided), "a message passes by a request");
            takeIn(transport.copy(buffer, protocol.length(buffer)));
            held.add(buffer);
        }
    }

    private void release() {
        if (!held.isEmpty()) {
            protocol.release(random.nextBoolean() ? held.removeFirst() : held.removeLast());
        }
    }

    private byte[] requestNow() {
        return protocol.copyNext("reading");
    }

    private void takeIn(byte[] message) {
        if (message == null) {
            return;
        }
        long number = MemorySegment.ofArray(message).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        require(number == read + 1, "message " + number + " after message " + read);
        for (int i = Long.BYTES; i < message.length; i++) {
            require(message[i] == (byte) (number * 31 + i), "message " + number + " differs at " + i);
        }
        read++;
        memory[2] = read;
    }

    /** Reads and gives back everything. */
    void readAll() {
        poll();
        requests.forEach(request -> request.cancel(false));
        protocol.settle();
        requests.clear();
        while (!claimed.isEmpty()) {
            giveBack();
        }
        do {
            while (!held.isEmpty()) {
                release();
            }
            take();
        } while (!held.isEmpty());
        poll();
    }

    // ---- The end ----

    void beginClosing() {
        if (!closing && protocol.isOpen()) {
            closing = true;
            while (!claimed.isEmpty()) {
                giveBack();
            }
            protocol.beginClosing(new IllegalStateException("closed"));
        }
    }

    void goOnClosing() {
        if (closing && !saidGoodBye && protocol.isOpen() && protocol.isIdle()) {
            saidGoodBye = true;
            protocol.postClose();
        }
    }

    boolean isDone() {
        return protocol.isIdle() && read == peer.sent && !protocol.hasControlsUnderWay();
    }

    boolean readsEverything() {
        return read == peer.sent;
    }

    /** After everything has arrived. */
    void checkBooks() {
        require(read == peer.sent, "has read " + read + " of " + peer.sent);
        int owed = peer.protocol.credits().owed();
        require(
                protocol.credits().available() + owed == peerBuffers,
                protocol.credits().available() + " credits, and the peer owes " + owed + " of " + peerBuffers);
        for (Promise<?> promise : additions) {
            if (promise.decidedFailure() == null) {
                succeeded++;
            } else {
                require(promise.decidedFailure().getMessage().contains("unknown"), "" + promise.decidedFailure());
                unknown++;
            }
        }
        require(
                succeeded <= peer.memory[0] && peer.memory[0] <= succeeded + unknown,
                succeeded + " additions succeeded, " + unknown + " are unknown, and there were " + peer.memory[0]);
        for (Promise<?> promise : promises) {
            require(promise.isDecided(), "a future is not complete");
            require(
                    additions.contains(promise) || promise.decidedFailure() == null,
                    "a future failed: " + promise.decidedFailure());
        }
        results.forEach(CompletableFuture::join);
        for (int i = 1; i < moves.size(); i++) {
            require(moves.get(i).from() == moves.get(i - 1).to(), "moves " + moves);
        }
    }

    void checkAllDecided() {
        for (Promise<?> promise : promises) {
            require(promise.isDecided(), "a future is not complete");
        }
    }

    void destroy() {
        protocol.abandon(new IllegalStateException("closed"));
        checkAllDecided();
        transport.close();
        transport.free();
        require(tcp.closed && tcp.freed, "TCP stays");
        require(made.stream().allMatch(adapter -> adapter.closed) && freed, "RDMA stays");
    }

    @Override
    public String toString() {
        return "%s: %s, %s, sent %d, read %d, %d moves"
                .formatted(name, protocol.state(), transport.mover().transport(), sent, read, moves.size());
    }
}
