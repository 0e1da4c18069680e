// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Checksum;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import io.github.rdma4j.verbs.internal.endpoint.protocol.SummedProtocol;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * One end of a simulated connection: the state machine, and a program that does anything at any time. It keeps its own
 * records and compares them.
 */
final class SimulatedEnd {
    static final long SILENCE_NANOS = 8_000;

    /** Somebody sleeps, because this did not hold when the machine had counted so many changes. */
    private record Waiter(String what, BooleanSupplier condition, long changes) {}

    /** Of one thread, and only during a call: the wire of the simulation copies. */
    private static final MemoryRegion LENT = MemoryRegion.withoutAdapter(Long.BYTES, AccessFlag.LOCAL_WRITE);

    private static final RemoteMemory REMOTE = new RemoteMemory(8, 8, 1);

    private final String name;
    private final Random random;
    private final int buffers;
    private final int peerBuffers;
    final FakeTransport transport;
    final Protocol protocol;
    private SimulatedEnd peer;

    private long calls;
    private long lastPosted;
    /** Messages that were posted, and not received by the peer's program. */
    private final Deque<Long> underWay = new ArrayDeque<>();

    /** The promise that a call gave for what it asked to send. */
    private final Map<Long, Promise<?>> asked = new HashMap<>();

    private final Deque<Promise<byte[]>> requests = new ArrayDeque<>();
    private final List<Promise<?>> promises = new ArrayList<>();
    private final Map<Long, Boolean> polled = new HashMap<>();
    private final List<Integer> held = new ArrayList<>();
    private final List<Integer> claimed = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private boolean nudgeOwed;
    private boolean closing;
    private boolean saidGoodBye;
    private boolean tampered;
    boolean gone;

    SimulatedEnd(String name, Random random, Object wire, int sendDepth, int buffers, int peerBuffers, boolean sums) {
        this.name = name;
        this.random = random;
        this.buffers = buffers;
        this.peerBuffers = peerBuffers;
        transport = new FakeTransport(wire, false, sendDepth, buffers);
        transport.numberPosted = this::posted;
        transport.messagePosted = underWay::add;
        transport.meanwhile = () -> {
            if (random.nextInt(8) == 0) {
                withdraw();
            }
        };
        transport.sum = sums ? Checksum.BYTES : 0;
        Credits credits = new Credits(buffers, peerBuffers);
        Silence silence = new Silence(SILENCE_NANOS, false);
        protocol = sums
                ? new SummedProtocol(
                        name,
                        transport,
                        credits,
                        sendDepth,
                        64 + transport.sum,
                        64,
                        silence,
                        EndpointExceptions.OF_ENDS)
                : new Protocol(name, transport, credits, sendDepth, 64, 64, silence, EndpointExceptions.OF_ENDS);
        transport.undone = protocol::markHarmless;
    }

    static void connect(SimulatedEnd left, SimulatedEnd right) {
        left.peer = right;
        right.peer = left;
        FakeTransport.connect(left.transport, right.transport);
    }

    private void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(name + ": " + what);
        }
    }

    /** Everything is posted in the order of the calls. */
    private void posted(long number) {
        require(number > lastPosted, "call " + number + " is posted after call " + lastPosted);
        Promise<?> promise = asked.get(number);
        require(promise == null || !promise.isWithdrawn(), "call " + number + " is posted, and was taken back");
        lastPosted = number;
    }

    // ---- What the program does ----

    private MemorySegment message(long number) {
        byte[] bytes = new byte[Long.BYTES + random.nextInt(56)];
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        for (int i = Long.BYTES; i < bytes.length; i++) {
            bytes[i] = (byte) (number + i);
        }
        return message;
    }

    /** Does one thing. */
    void act() {
        if (gone) {
            return;
        }
        int what = random.nextInt(closing ? 7 : 17);
        try {
            switch (what) {
                case 0, 1, 2 -> poll();
                case 3 -> handOver();
                case 4 -> nudge();
                case 5 -> release();
                case 6 -> giveBack();
                case 7 -> trySend();
                case 8 -> sendAsync();
                case 9 -> receiveAsync();
                case 10 -> take();
                case 11 -> copyNext();
                case 12 -> transfer();
                case 13 -> takeDone();
                case 14 -> withdraw();
                case 15 -> claim();
                default -> fallAsleep();
            }
        } catch (OutOfMemoryError e) {
            require("of the simulation".equals(e.getMessage()), "out of memory indeed");
        } catch (EndpointException e) {
            require(protocol.state() != State.OPEN, "open, and yet " + e);
        }
        book();
    }

    private void poll() {
        try {
            transport.poll(protocol, 1 + random.nextInt(6));
        } finally {
            protocol.settle();
        }
    }

    private void trySend() {
        if (random.nextBoolean()) {
            protocol.trySend(message(++calls));
        } else if (random.nextBoolean()) {
            LENT.segment().set(ValueLayout.JAVA_LONG, 0, ++calls);
            if (protocol.trySend(calls, LENT.slice()) == Endpoint.OK) {
                polled.put(calls, true);
            }
        } else {
            List<MemorySegment> several = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                several.add(message(++calls));
            }
            protocol.trySendAll(several);
        }
    }

    private void claim() {
        if (claimed.isEmpty() || random.nextBoolean()) {
            int slot = protocol.claim();
            if (slot >= 0) {
                claimed.add(slot);
            }
        } else {
            int slot = claimed.remove(random.nextInt(claimed.size()));
            MemorySegment message = message(++calls);
            transport.buffer(slot).asSlice(0, message.byteSize()).copyFrom(message);
            protocol.sendClaimed(slot, message.byteSize());
        }
    }

    private void giveBack() {
        if (!claimed.isEmpty()) {
            protocol.giveBack(claimed.remove(random.nextInt(claimed.size())));
        }
    }

    private void sendAsync() {
        Promise<Void> promise = new Promise<>(null);
        promises.add(promise);
        asked.put(++calls, promise);
        protocol.sendAsync(message(calls), promise);
    }

    private void receiveAsync() {
        Promise<byte[]> promise = new Promise<>(null);
        promises.add(promise);
        requests.add(promise);
        protocol.request(promise);
    }

    private void take() {
        int buffer = protocol.take();
        if (buffer >= 0) {
            require(requests.stream().allMatch(Promise::isDecided), "a message passes by a request");
            received(transport.message(buffer, protocol.length(buffer)).toBytes());
            held.add(buffer);
        }
    }

    private void release() {
        if (!held.isEmpty()) {
            protocol.release(held.remove(random.nextInt(held.size())));
        }
    }

    private void copyNext() {
        byte[] copy = protocol.copyNext("receiving");
        if (copy != null) {
            received(copy);
        }
    }

    private void received(byte[] message) {
        if (!peer.transport.lying) {
            long number = FakeTransport.number(message);
            Long expected = peer.nextPosted();
            require(expected != null && expected == number, "received " + number + " instead of " + expected);
            for (int i = Long.BYTES; i < message.length; i++) {
                require(message[i] == (byte) (number + i), "message " + number + " was changed at byte " + i);
            }
        }
    }

    /** The oldest message that was posted and not received. */
    private Long nextPosted() {
        return underWay.poll();
    }

    private void transfer() {
        long number = ++calls;
        Operation operation = Operation.values()[random.nextInt(Operation.values().length)];
        if (random.nextBoolean()) {
            if (protocol.tryTransfer(number, operation, null, REMOTE, number, 0) == Endpoint.OK) {
                polled.put(number, true);
            }
        } else {
            Promise<Long> promise = new Promise<>(null);
            promises.add(promise);
            asked.put(number, promise);
            try {
                protocol.transferAsync(promise, operation, null, REMOTE, number, 0);
            } catch (OutOfMemoryError e) {
                promise.cancel(false);
                throw e;
            }
        }
    }

    private void takeDone() {
        int slot = protocol.takeDone();
        if (slot >= 0) {
            require(polled.remove(protocol.slots().id(slot)) != null, "a transfer is done twice");
            protocol.releaseDone(slot);
        }
    }

    private void withdraw() {
        if (!promises.isEmpty()) {
            promises.get(random.nextInt(promises.size())).cancel(false);
            nudgeOwed = true;
        }
    }

    private void nudge() {
        if (nudgeOwed) {
            nudgeOwed = false;
            protocol.nudge();
        }
    }

    private void handOver() {
        Promise<?> promise = protocol.decisions().take();
        if (promise != null) {
            promise.handOver();
            require(promise.isDone(), "handed over, and not done");
        }
    }

    private void fallAsleep() {
        switch (random.nextInt(5)) {
            case 0 -> sleepUntil("a message", () -> protocol.messageCount() > 0);
            case 1 ->
                sleepUntil(
                        "room to send",
                        () -> protocol.isOpen()
                                && protocol.hasFreeSlot()
                                && protocol.credits().available() > 0);
            case 2 -> sleepUntil("a transfer to poll", () -> protocol.slots().hasDone());
            case 3 -> sleepUntil("the end", () -> protocol.hasEnded());
            default -> {
                if (!promises.isEmpty()) {
                    Promise<?> promise = promises.get(random.nextInt(promises.size()));
                    sleepUntil("a promise", promise::isDecided);
                }
            }
        }
    }

    private void sleepUntil(String what, BooleanSupplier condition) {
        if (!condition.getAsBoolean()) {
            waiters.add(new Waiter(what, condition, protocol.changes()));
        }
    }

    // ---- What happens to it ----

    void checkTimeouts(long now) {
        if (!gone) {
            try {
                transport.poll(protocol);
            } catch (OutOfMemoryError e) {
                // As if nobody had looked.
                return;
            } finally {
                protocol.settle();
                book();
            }
            if (transport.lost() != null) {
                protocol.linkLost(transport.lost());
            }
            protocol.checkTimeouts(now);
            protocol.settle();
            book();
        }
    }

    /**
     * From the next message on, one that comes is not what was sent: a bit is another one, or all of it is what came
     * before it, if that had the same length.
     */
    void tamper() {
        byte[][] before = new byte[1][];
        transport.tamper = bytes -> {
            boolean stale = before[0] != null && before[0].length == bytes.length;
            if (!tampered && (stale || random.nextBoolean())) {
                tampered = true;
                if (stale) {
                    System.arraycopy(before[0], 0, bytes, 0, bytes.length);
                } else {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            before[0] = bytes.clone();
        };
    }

    /** Whether a message was changed on its way here. */
    boolean isTampered() {
        return tampered;
    }

    boolean isClosing() {
        return closing;
    }

    void beginClosing() {
        if (!gone && !closing) {
            closing = true;
            protocol.beginClosing(new IllegalStateException("closed"));
            polled.clear();
            book();
        }
    }

    /** Sends the close message when nothing is under way, and then abandons the connection. */
    void goOnClosing() {
        if (!closing || gone) {
            return;
        }
        if (!saidGoodBye && protocol.isOpen() && protocol.isIdle()) {
            saidGoodBye = true;
            protocol.postClose();
        } else if (!protocol.isOpen() || saidGoodBye && !protocol.hasControlsUnderWay()) {
            abandon();
        }
        book();
    }

    void abandon() {
        if (!gone) {
            beginClosing();
            gone = true;
            protocol.abandon(new IllegalStateException("closed"));
            transport.close();
            book();
        }
    }

    // ---- Bookkeeping ----

    /** Records the messages that the state machine has delivered in the last step. */
    private void book() {
        while (!requests.isEmpty() && requests.peek().isDecided()) {
            Promise<byte[]> request = requests.remove();
            if (!request.isWithdrawn() && request.decidedValue() != null) {
                received(request.decidedValue());
            }
        }
        waiters.removeIf(waiter -> waiter.changes != protocol.changes());
    }

    /** Checks the invariants that hold after each step. */
    void check() {
        if (!nudgeOwed) {
            for (Waiter waiter : waiters) {
                boolean woken = waiter.changes != protocol.changes();
                require(woken || !waiter.condition.getAsBoolean(), "somebody sleeps, and there is " + waiter.what);
            }
        }
        boolean over = closing || protocol.state() != Protocol.State.OPEN;
        require((transport.end != null) == over, "over: " + over + ", but the reported end is " + transport.end);
        if (protocol.isOpen()
                && peer.protocol.isOpen()
                && !gone
                && !peer.gone
                && !transport.lying
                && !peer.transport.lying
                && !transport.broken
                && !peer.transport.broken) {
            int credits = protocol.credits().available()
                    + claimed.size()
                    + transport.queues.messagesOnTheWay()
                    + peer.protocol.messageCount()
                    + peer.held.size()
                    + peer.protocol.credits().owed()
                    + peer.transport.queues.creditsOnTheWay();
            require(credits == peerBuffers, credits + " credits of " + peerBuffers);
            int all = transport.queues.buffers() + protocol.messageCount() + held.size();
            require(all == buffers + Credits.RESERVE, all + " buffers of " + (buffers + Credits.RESERVE));
        }
    }

    /** Whether everything that its program has asked for has come about. */
    boolean isIdle() {
        return protocol.isIdle() && underWay.isEmpty() && requests.isEmpty();
    }

    /** Everything that the peer has sent is read, and nothing is refused for lack of memory. */
    void readAll() {
        transport.outOfMemory = () -> false;
        nudge();
        while (!held.isEmpty()) {
            release();
        }
        while (!claimed.isEmpty()) {
            giveBack();
        }
        transport.poll(protocol);
        protocol.settle();
        book();
        while (protocol.messageCount() > 0) {
            take();
            release();
        }
        while (protocol.slots().hasDone()) {
            takeDone();
        }
        if (!requests.isEmpty()) {
            requests.forEach(request -> request.cancel(false));
            requests.clear();
            protocol.nudge();
        }
        protocol.settle();
    }

    /** Checks that everything is released at the end. */
    void checkReleased() {
        require(protocol.slots().isIdle() && protocol.isIdle(), "something is still under way");
        require(!protocol.slots().hasDone(), "something waits to be polled");
        while (!protocol.decisions().isEmpty()) {
            handOver();
        }
        require(promises.stream().allMatch(Promise::isDone), "a future will never be complete");
        nudgeOwed = false;
        check();
    }

    @Override
    public String toString() {
        return "%s: %s, %d calls, %d under way, %d credits"
                .formatted(
                        name,
                        protocol.state(),
                        calls,
                        underWay.size(),
                        protocol.credits().available());
    }
}
