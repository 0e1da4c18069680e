// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;

/**
 * One end of a wire that exists only in this process: what a queue pair, its completion queue and a connection manager
 * do, at once, or step by step as a simulation asks. A message that meets no receive buffer is an error of the
 * protocol, and thrown.
 */
final class FakeCarrier implements Carrier {
    private record Request(
            long id,
            boolean signaled,
            boolean message,
            boolean framed,
            int frame,
            byte[] bytes,
            Operation operation,
            long operand,
            long newValue) {}

    /** What has reached the peer. */
    private record Acknowledgement(long id, boolean signaled) {}

    /**
     * What comes out of the completion queue.
     *
     * @param places in the send queue that are free with it: its own, and those before it that were not signaled
     */
    private record Event(long id, boolean success, boolean framed, int frame, long length, int places) {}

    /** The longest message. */
    static final int ROOM = 4096;

    private final Object wire;
    private final boolean automatic;
    /** The bytes behind each message that is sent. */
    int sum;
    /** Hears the bytes of each message of the program when they have come, and may change them. */
    Consumer<byte[]> tamper = bytes -> {};

    private FakeCarrier peer;
    private final Deque<Request> sendQueue = new ArrayDeque<>();
    private final Deque<Integer> receives = new ArrayDeque<>();
    /** Receive buffers that the adapter gets when {@link #postReturned} asks for it, and no earlier. */
    private final Deque<Integer> returned = new ArrayDeque<>();

    private final BitSet posted = new BitSet();
    private final Deque<Acknowledgement> acknowledgements = new ArrayDeque<>();
    /** Of requests that were not signaled and are done. */
    private int untoldPlaces;

    private final Deque<Event> events = new ArrayDeque<>();
    private final byte[][] slots;
    private final byte[][] buffers;
    private final long[] words;
    /** What the peer can write to. */
    long[] memory = new long[4];
    /** Hears what the peer has written. */
    LongConsumer written = value -> {};
    /** Whether the peer's machine answers though its program does not. */
    boolean peerThere;
    /** Whether the next thing that needs memory gets none. */
    BooleanSupplier outOfMemory = () -> false;
    /** The errno with which the adapter refuses the next thing that is posted; 0 if it takes it. */
    IntSupplier refusal = () -> 0;
    /** Before each post: throws if the program has closed the queue pair. */
    Runnable beforePost = () -> {};
    /** What happens in another thread while a message is copied. */
    Runnable meanwhile = () -> {};
    /** Hears the number of each call when it is posted. */
    LongConsumer numberPosted = number -> {};
    /** Hears the number of each message when it is posted. */
    LongConsumer messagePosted = number -> {};
    /** Whether what is under way never completes, as on SoftRoCE whose link was down. */
    boolean neverFlushes;
    /** Whether the peer may send what it must not. */
    boolean lying;
    /** Whether the peer has sent more than there was room for, as an endpoint of a group hears of it; told once. */
    boolean overrun;

    boolean cut;
    /** How a stream has ended, which the next poll tells; null as long as it has not. */
    String streamEnd;
    /** Whether the peer had no part in that. */
    boolean lostByTheWire;

    private boolean streamEndTold;
    String lost;
    boolean broken;
    /** How the protocol has said that the connection ended; null as long as it has not. */
    String end;

    boolean closed;
    boolean freed;
    /** What the send queue holds: posted, and its completion not polled. */
    private int underWay;

    /** Of a batch: whether one is gathered, how many were taken, and why no more were. */
    private boolean batch;

    private int batched;
    private int batchError;
    private boolean armed;
    private boolean armedForEnds;
    /** How many sleeps were ended by what came. */
    int signals;
    /** How many ends of what was posted were told. */
    int ends;
    /** How often its completion queue was polled. */
    int polls;

    private boolean signalled;
    private boolean woken;
    /** What a selector sleeps on: rings until what has signalled is taken. Null without a selector. */
    private EventPoller queueBell;
    /** Whether arming fails, as with a device that is gone. */
    boolean deaf;

    FakeCarrier(Object wire, boolean automatic, int sendDepth, int buffers) {
        this.wire = wire;
        this.automatic = automatic;
        this.slots = new byte[sendDepth][];
        this.words = new long[sendDepth];
        this.buffers = new byte[buffers + Credits.RESERVE][];
        for (int i = 0; i < this.buffers.length; i++) {
            receives.add(i);
            posted.set(i);
        }
    }

    static void connect(FakeCarrier left, FakeCarrier right) {
        left.peer = right;
        right.peer = left;
    }

    private void requireMemory() {
        if (outOfMemory.getAsBoolean()) {
            throw new OutOfMemoryError("of the simulation");
        }
    }

    @Override
    public void fill(int slot, MemorySegment message) {
        beforePost.run();
        requireMemory();
        slots[slot] = Arrays.copyOf(message.toArray(ValueLayout.JAVA_BYTE), (int) message.byteSize() + sum);
    }

    @Override
    public ByteBuffer view(int slot) {
        return ByteBuffer.wrap(slots[slot]);
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        return ByteBuffer.wrap(buffers[buffer]);
    }

    @Override
    public void beginBatch() {
        beforePost.run();
        batch = true;
        batched = 0;
        batchError = 0;
    }

    @Override
    public int endBatch() {
        beforePost.run();
        batch = false;
        return batched;
    }

    @Override
    public int batchError() {
        return batchError;
    }

    @Override
    public MemorySegment room(int slot) {
        if (slots[slot] == null || slots[slot].length != ROOM) {
            slots[slot] = new byte[ROOM];
        }
        return MemorySegment.ofArray(slots[slot]);
    }

    @Override
    public void cut(int slot, long length) {
        slots[slot] = Arrays.copyOf(slots[slot], (int) length + sum);
    }

    @Override
    public boolean canPostUnsignaled() {
        return true;
    }

    @Override
    public int postMessage(int slot, int frame, boolean signaled) {
        if (batch) {
            // Behind one that is refused, nothing is posted.
            batchError = batchError != 0 ? batchError : refusal.getAsInt();
            if (batchError != 0) {
                return 0;
            }
            batched++;
        } else {
            int errno = refusal.getAsInt();
            if (errno != 0) {
                return errno;
            }
        }
        if (slots[slot].length >= Long.BYTES) {
            numberPosted.accept(number(slots[slot]));
            messagePosted.accept(number(slots[slot]));
        }
        return post(new Request(slot, signaled, true, true, frame, slots[slot], null, 0, 0));
    }

    static long number(byte[] message) {
        return MemorySegment.ofArray(message).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        requireMemory();
        int errno = refusal.getAsInt();
        if (errno != 0) {
            return errno;
        }
        numberPosted.accept(operand);
        return post(new Request(slot, true, false, true, 0, null, operation, operand, newValue));
    }

    @Override
    public int postControl(long id, int frame) {
        int errno = refusal.getAsInt();
        return errno != 0 ? errno : post(new Request(id, true, true, true, frame, new byte[0], null, 0, 0));
    }

    @Override
    public int postProbe(long id) {
        int errno = refusal.getAsInt();
        return errno != 0 ? errno : post(new Request(id, true, false, true, 0, null, null, 0, 0));
    }

    /** Sends what no endpoint would. */
    void lie(boolean framed, int frame, int length) {
        post(new Request(-1, true, true, framed, frame, new byte[length], null, 0, 0));
    }

    private int post(Request request) {
        beforePost.run();
        synchronized (wire) {
            if (request.id != -1 && ++underWay > slots.length + Protocol.SEND_RESERVE) {
                throw new AssertionError("the send queue is full");
            }
            sendQueue.add(request);
            if (broken) {
                flush();
            } else if (automatic) {
                deliverAll();
            }
            return 0;
        }
    }

    void deliverAll() {
        synchronized (wire) {
            boolean more = true;
            while (more) {
                more = deliver() | acknowledge();
            }
        }
    }

    /** The oldest thing that was posted reaches the peer; false if there is none, or the wire is cut. */
    boolean deliver() {
        synchronized (wire) {
            Request request = sendQueue.peek();
            if (cut || broken || request == null) {
                return false;
            }
            if (peer.broken || peer.closed) {
                toError();
                return false;
            }
            if (request.message) {
                Integer buffer = peer.receives.peek();
                if (buffer == null) {
                    if (lying || peer.lying) {
                        return false;
                    }
                    throw new AssertionError("a message meets no receive buffer");
                }
                peer.receives.remove();
                peer.posted.clear(buffer);
                peer.buffers[buffer] = request.bytes;
                if (request.bytes.length > 0) {
                    peer.tamper.accept(request.bytes);
                }
                peer.add(new Event(
                        Protocol.RECEIVE | buffer, true, request.framed, request.frame, request.bytes.length, 0));
            } else if (request.operation != null) {
                transfer(request);
            }
            sendQueue.remove();
            acknowledgements.add(new Acknowledgement(request.id, request.signaled));
            return true;
        }
    }

    private void transfer(Request request) {
        long before = peer.memory[0];
        switch (request.operation) {
            case WRITE -> {
                peer.memory[1] = request.operand;
                peer.written.accept(request.operand);
            }
            case READ, BIND -> {}
            case PUT -> peer.memory[2] = request.operand;
            case GET -> before = peer.memory[2];
            case FETCH_AND_ADD -> peer.memory[0] += 1;
            case COMPARE_AND_SWAP -> peer.memory[0] = before == request.operand ? request.newValue : before;
        }
        words[(int) request.id] = before;
    }

    /** The oldest thing that has reached the peer completes; false if there is none. */
    boolean acknowledge() {
        synchronized (wire) {
            if (cut || acknowledgements.isEmpty()) {
                return false;
            }
            done(acknowledgements.remove());
            return true;
        }
    }

    private void done(Acknowledgement what) {
        if (what.id == -1) {
            return;
        }
        untoldPlaces++;
        if (what.signaled) {
            end(what.id, true);
        }
    }

    private void end(long id, boolean success) {
        ends++;
        add(new Event(id, success, false, 0, 0, untoldPlaces));
        untoldPlaces = 0;
    }

    private void add(Event event) {
        events.add(event);
        if (armed && (armedForEnds || !event.success || isReceive(event))) {
            armed = false;
            signalled = true;
            signals++;
            wire.notifyAll();
            if (queueBell != null) {
                queueBell.wakeUp();
            }
        }
    }

    /** How many credits are on their way to the peer. */
    int creditsOnTheWay() {
        int count = 0;
        for (Request request : sendQueue) {
            count += request.message ? Frame.credits(request.frame) : 0;
        }
        for (Event event : peer.events) {
            count += isReceive(event) ? Frame.credits(event.frame) : 0;
        }
        return count;
    }

    /** How many messages of the program are on their way to the peer. */
    int messagesOnTheWay() {
        int count = 0;
        for (Request request : sendQueue) {
            count += request.message && Frame.kind(request.frame) == Frame.MESSAGE ? 1 : 0;
        }
        for (Event event : peer.events) {
            count += isReceive(event) && Frame.kind(event.frame) == Frame.MESSAGE ? 1 : 0;
        }
        return count;
    }

    private static boolean isReceive(Event event) {
        return event.success && (event.id & Protocol.RECEIVE) != 0;
    }

    /** How many receive buffers the adapter has, or will have, or has filled without being asked yet. */
    int buffersInTheAdapter() {
        int count = receives.size() + returned.size();
        for (Event event : events) {
            count += (event.id & Protocol.RECEIVE) != 0 ? 1 : 0;
        }
        return count;
    }

    @Override
    public int postReceive(int buffer) {
        int errno = refusal.getAsInt();
        if (errno != 0) {
            return errno;
        }
        synchronized (wire) {
            if (posted.get(buffer)) {
                throw new AssertionError("buffer " + buffer + " is posted twice");
            }
            posted.set(buffer);
            receives.add(buffer);
            if (automatic && !peer.closed) {
                peer.deliverAll();
            }
            return 0;
        }
    }

    @Override
    public int returnReceive(int buffer) {
        synchronized (wire) {
            returned.add(buffer);
            return 0;
        }
    }

    @Override
    public int postReturned() {
        synchronized (wire) {
            int errno = 0;
            while (!returned.isEmpty() && errno == 0) {
                errno = postReceive(returned.remove());
            }
            return errno;
        }
    }

    @Override
    public long word(int slot) {
        requireMemory();
        return words[slot];
    }

    @Override
    public byte[] copy(int buffer, long length) {
        requireMemory();
        meanwhile.run();
        return Arrays.copyOf(buffers[buffer], (int) length);
    }

    @Override
    public Message message(int buffer, long length) {
        return new Message(MemorySegment.ofArray(buffers[buffer])).open(length);
    }

    @Override
    public boolean isLostByTheWire() {
        return lostByTheWire;
    }

    @Override
    public boolean isPeerThere() {
        return peerThere && !cut;
    }

    @Override
    public void toError() {
        synchronized (wire) {
            if (!broken) {
                broken = true;
                flush();
            }
        }
    }

    /** The device is removed: nobody hears of what has come and was not polled, nor of what is under way. */
    void remove() {
        synchronized (wire) {
            broken = true;
            events.clear();
            acknowledgements.clear();
            sendQueue.clear();
            lost = "the device was removed";
        }
    }

    @Override
    public void ended(String reason) {
        if (end != null) {
            throw new AssertionError("the end was told twice: " + end + ", and " + reason);
        }
        end = reason;
    }

    private void flush() {
        if (neverFlushes) {
            return;
        }
        acknowledgements.forEach(this::done);
        acknowledgements.clear();
        sendQueue.stream().filter(request -> request.id != -1).forEach(request -> {
            untoldPlaces++;
            end(request.id, false);
        });
        sendQueue.clear();
        receives.forEach(buffer -> add(new Event(Protocol.RECEIVE | buffer, false, false, 0, 0, 0)));
        receives.clear();
    }

    @Override
    public int poll(WireEvents protocol) {
        polls++;
        return poll(protocol, Integer.MAX_VALUE);
    }

    /** Gives some of what has come; as with a completion queue, one that could not be dealt with comes again. */
    int poll(WireEvents protocol, int most) {
        int count = 0;
        while (count < most) {
            Event event;
            synchronized (wire) {
                event = events.peek();
            }
            if (event == null) {
                break;
            }
            if (!event.success) {
                protocol.failed(event.id, "flushed", null);
            } else if ((event.id & Protocol.RECEIVE) != 0) {
                protocol.received((int) event.id, event.framed, event.frame, event.length);
            } else {
                protocol.sent(event.id);
            }
            synchronized (wire) {
                events.remove();
                underWay -= event.places;
            }
            count++;
        }
        if (streamEnd != null && !streamEndTold) {
            streamEndTold = true;
            protocol.linkLost(streamEnd);
            count++;
        }
        if (overrun) {
            overrun = false;
            protocol.overrun();
            count++;
        }
        return count;
    }

    @Override
    public String lost() {
        synchronized (wire) {
            return lost == null && peer.closed && !cut ? "the peer has gone" : lost;
        }
    }

    @Override
    public void prepareToSleep() {}

    @Override
    public void arm(boolean ends) {
        if (deaf) {
            throw new VerbsException("ibv_req_notify_cq(of the simulation)", Errno.EIO, "the device is gone", "");
        }
        synchronized (wire) {
            armedForEnds = ends || armed && armedForEnds;
            armed = true;
        }
    }

    @Override
    public boolean armEarly(boolean ends) {
        arm(ends);
        return true;
    }

    @Override
    public boolean isArmed() {
        synchronized (wire) {
            return armed || signalled;
        }
    }

    @Override
    public boolean missesEnds() {
        synchronized (wire) {
            return armed && !armedForEnds;
        }
    }

    @Override
    public void sleep(long nanos) {
        long end = System.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
        synchronized (wire) {
            long rest = end - System.nanoTime();
            while (!signalled && !woken && !closed && rest > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedWait(wire, rest);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new io.github.rdma4j.verbs.WaitInterruptedException("sleeping");
                }
                rest = end - System.nanoTime();
            }
            woken = false;
        }
    }

    @Override
    public boolean awake() {
        synchronized (wire) {
            signalled = false;
            if (queueBell != null) {
                queueBell.select(Duration.ZERO, source -> {});
            }
            return true;
        }
    }

    @Override
    public void eventCame() {
        awake();
    }

    /** Tells a selector of what comes, and not of the end of the connection. */
    @Override
    public Events events() {
        synchronized (wire) {
            queueBell = EventPoller.open();
            return new Events(queueBell, null, null);
        }
    }

    @Override
    public void wakeUp() {
        synchronized (wire) {
            woken = true;
            wire.notifyAll();
        }
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return Optional.empty();
    }

    @Override
    public void close() {
        synchronized (wire) {
            closed = true;
            if (queueBell != null) {
                queueBell.close();
                queueBell = null;
            }
            peer.signalled = true;
            wire.notifyAll();
        }
    }

    @Override
    public void free() {
        freed = true;
    }
}
