// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;

/**
 * One end of a wire that exists only in this process: what a queue pair, its completion queue and a connection manager
 * do, at once, or step by step as a simulation asks. A message that meets no receive buffer is an error of the
 * protocol, and thrown.
 *
 * <p>Here are its memory and what a test may ask it to do wrong. Its queues are {@link FakeQueues}, what ends a sleep
 * is {@link FakeBell}.
 */
public final class FakeTransport implements EndpointTransport {
    /** The longest message. */
    static final int ROOM = 4096;

    private final Object wire;
    final FakeBell bell;
    public final FakeQueues queues;
    /** The bytes behind each message that is sent. */
    int sum;
    /** Hears the bytes of each message of the program when they have come, and may change them. */
    public Consumer<byte[]> tamper = bytes -> {};

    private FakeTransport peer;
    private final byte[][] slots;
    private final byte[][] buffers;
    private final long[] words;
    /** The memory that the peer can write to. */
    public long[] memory = new long[4];
    /** Called with each value that the peer has written. */
    public LongConsumer written = value -> {};
    /** Whether the peer's machine answers though its program does not. */
    public boolean peerThere;
    /** Whether the next thing that needs memory gets none. */
    BooleanSupplier outOfMemory = () -> false;
    /** Called with each such error, which is thrown before anything has happened. */
    Consumer<Error> undone = error -> {};
    /** The errno with which the adapter refuses the next thing that is posted; 0 if it takes it. */
    public IntSupplier refusal = () -> 0;
    /** Before each post: throws if the program has closed the queue pair. */
    public Runnable beforePost = () -> {};
    /** Runs while a message is copied, as if in another thread. */
    Runnable meanwhile = () -> {};
    /** Called with the number of each call when it is posted. */
    LongConsumer numberPosted = number -> {};
    /** Called with the number of each message when it is posted. */
    LongConsumer messagePosted = number -> {};
    /** Whether what is under way never completes, as on SoftRoCE whose link was down. */
    public boolean neverFlushes;
    /** Whether the peer may send what it must not. */
    boolean lying;
    /** Whether the peer has overrun the receive queue. It is reported once, as to an endpoint of a group. */
    boolean overrun;

    public boolean cut;
    /** How the stream has ended, which the next poll reports; null until it ends. */
    public String streamEnd;
    /** Whether the peer had no part in that. */
    public boolean lostByTheWire;

    private boolean streamEndReported;
    public String lost;
    /** The cause of failed requests; null if they were flushed. */
    public VerbsException failure;

    boolean broken;
    /** The reason for the end that the protocol has reported; null until it does. */
    String end;

    public boolean closed;
    public boolean freed;
    /** Of a batch: whether one is gathered, how many were taken, and why no more were. */
    private boolean batch;

    private int batched;
    private int batchError;
    /** The number of polls of its completion queue. */
    int polls;

    /** Before each poll: throws if the program has closed the completion queue. */
    public Runnable beforePoll = () -> {};
    /** Before somebody sees a message that he has taken. */
    Runnable beforeMessage = () -> {};
    /** Called with the message after the program has seen it. */
    Consumer<Message> afterMessage = message -> {};
    /** Run when a selector has begun to watch and when it has left, as if in another thread. */
    Runnable onWatch = () -> {};

    Runnable onLeave = () -> {};

    /** Whether arming fails, as with a device that is gone. */
    boolean deaf;
    /** As of a group: whether something was put down that was not taken in. */
    boolean hasArrivals = true;
    /** Runs while the queue is armed. */
    Runnable onArm = () -> {};
    /** After which time a selector must arm again. */
    long nanosToNextArm = Long.MAX_VALUE;
    /** Whether the end of the link raises no event. */
    boolean linkIsQuiet;

    public FakeTransport(Object wire, boolean automatic, int sendDepth, int buffers) {
        this.wire = wire;
        this.slots = new byte[sendDepth][];
        this.words = new long[sendDepth];
        this.buffers = new byte[buffers + Credits.RESERVE][];
        this.bell = new FakeBell(wire);
        this.queues = new FakeQueues(this, bell, wire, automatic, sendDepth, this.buffers.length);
    }

    public static void connect(FakeTransport left, FakeTransport right) {
        left.peer = right;
        right.peer = left;
    }

    FakeTransport peer() {
        return peer;
    }

    /** A message has come. */
    void put(int buffer, byte[] message) {
        buffers[buffer] = message;
    }

    /** An atomic operation has its result. */
    void setWord(int slot, long value) {
        words[slot] = value;
    }

    private void requireMemory() {
        if (outOfMemory.getAsBoolean()) {
            OutOfMemoryError error = new OutOfMemoryError("of the simulation");
            undone.accept(error);
            throw error;
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
    public MemorySegment buffer(int slot) {
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
        return queues.post(new FakeQueues.Request(slot, signaled, true, true, frame, slots[slot], null, 0, 0));
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
        return queues.post(new FakeQueues.Request(slot, true, false, true, 0, null, operation, operand, newValue));
    }

    @Override
    public int postControl(long id, int frame) {
        int errno = refusal.getAsInt();
        return errno != 0
                ? errno
                : queues.post(new FakeQueues.Request(id, true, true, true, frame, new byte[0], null, 0, 0));
    }

    @Override
    public int postProbe(long id) {
        int errno = refusal.getAsInt();
        return errno != 0 ? errno : queues.post(new FakeQueues.Request(id, true, false, true, 0, null, null, 0, 0));
    }

    @Override
    public int postReceive(int buffer) {
        int errno = refusal.getAsInt();
        if (errno != 0) {
            return errno;
        }
        return queues.postReceive(buffer);
    }

    @Override
    public int returnReceive(int buffer) {
        queues.returnReceive(buffer);
        return 0;
    }

    @Override
    public int postReturned() {
        return queues.postReturned();
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
        beforeMessage.run();
        Message message = new Message(MemorySegment.ofArray(buffers[buffer])).open(length);
        afterMessage.accept(message);
        return message;
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
                queues.flush();
            }
        }
    }

    @Override
    public void ended(String reason) {
        if (end != null) {
            throw new AssertionError("the end was reported twice: " + end + ", and " + reason);
        }
        end = reason;
    }

    @Override
    public int poll(WireEvents protocol) {
        beforePoll.run();
        polls++;
        return poll(protocol, Integer.MAX_VALUE);
    }

    /** Gives some of what has come; as with a completion queue, one that could not be dealt with comes again. */
    int poll(WireEvents protocol, int most) {
        int count = 0;
        while (count < most) {
            FakeQueues.Event event = queues.first();
            if (event == null) {
                break;
            }
            if (!event.success()) {
                protocol.failed(event.id(), failure == null ? "flushed" : failure.getMessage(), failure);
            } else if ((event.id() & Protocol.RECEIVE) != 0) {
                protocol.received((int) event.id(), event.framed(), event.frame(), event.length());
            } else {
                protocol.sent(event.id());
            }
            queues.taken(event);
            count++;
        }
        if (streamEnd != null && !streamEndReported) {
            streamEndReported = true;
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
        bell.arm(ends);
        onArm.run();
    }

    @Override
    public boolean hasArrivals() {
        return hasArrivals;
    }

    @Override
    public boolean armEarly(boolean ends) {
        arm(ends);
        return true;
    }

    @Override
    public boolean isArmed() {
        return bell.isArmed();
    }

    @Override
    public boolean missesEnds() {
        return bell.missesEnds();
    }

    @Override
    public long nanosToNextArm(boolean ends) {
        return nanosToNextArm;
    }

    @Override
    public boolean beginCheck() {
        return linkIsQuiet;
    }

    @Override
    public void sleep(long nanos) {
        bell.sleep(nanos);
    }

    @Override
    public boolean awake() {
        bell.take();
        return true;
    }

    @Override
    public void eventCame() {
        awake();
    }

    /** Notifies a selector of arriving events, and not of the end of the connection. */
    @Override
    public Events events() {
        Events events = new Events(bell.forSelector(), null);
        onWatch.run();
        return events;
    }

    @Override
    public void watch(Runnable arrival) {
        if (arrival == null) {
            onLeave.run();
        }
    }

    @Override
    public void wakeUp() {
        bell.wakeUp();
    }

    @Override
    public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
        return Optional.empty();
    }

    @Override
    public void close() {
        synchronized (wire) {
            closed = true;
            bell.close();
            peer.bell.peerClosed();
        }
    }

    @Override
    public void free() {
        freed = true;
    }
}
