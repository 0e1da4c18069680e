// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import io.github.rdma4j.verbs.internal.endpoint.engine.SpinTime;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Threads that receive over one endpoint, whose buffers go back together, and its close. */
public final class ReceivingStress {
    private ReceivingStress() {}

    /** Two messages have arrived: the peer is notified of two buffers at once. */
    @JCStressTest
    @Description("each message goes to one thread, in their order, and the memory is freed once, after the last reader")
    @Outcome(
            id = {"1, 2, 0", "2, 1, 0", "0, 1, 0"},
            expect = ACCEPTABLE,
            desc = "in order; a receiver after the close gets nothing")
    @Outcome(expect = FORBIDDEN, desc = "a message is lost, doubled or out of order, or the counts are wrong")
    @State
    public static class TwoReceiversAndAClose {
        private final GatheringWire wire = new GatheringWire();
        private final Endpoint endpoint = wire.endpoint();

        /** Has a handler. */
        @Actor
        public void handles(III_Result result) {
            try {
                endpoint.receive(message -> result.r1 = wire.read(message.segment()), Duration.ZERO);
            } catch (IllegalStateException e) {
                // After the close.
            }
        }

        /** Holds its message for a while, and closes. */
        @Actor
        public void holdsAndCloses(III_Result result) {
            HeldMessage held = endpoint.receiveHeld(Duration.ZERO).orElseThrow();
            result.r2 = wire.read(held.segment());
            held.close();
            endpoint.abort();
        }

        /** The counts. */
        @Arbiter
        public void look(III_Result result) {
            result.r3 = wire.mistake();
        }
    }

    /** Both hold a message when it is closed. */
    @JCStressTest
    @Description("the memory is freed once, by whoever gives the last message back")
    @Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "read, and freed after both")
    @Outcome(expect = FORBIDDEN, desc = "freed early, twice or never")
    @State
    public static class HeldMessagesAndAClose {
        private final GatheringWire wire = new GatheringWire();
        private final Endpoint endpoint = wire.endpoint();
        private final HeldMessage first = endpoint.receiveHeld(Duration.ZERO).orElseThrow();
        private final HeldMessage second = endpoint.receiveHeld(Duration.ZERO).orElseThrow();

        /** Reads and gives back. */
        @Actor
        public void reads(III_Result result) {
            result.r1 = wire.read(first.segment());
            first.close();
        }

        /** Reads and gives back what it has, after the close. */
        @Actor
        public void closesAndReads(III_Result result) {
            endpoint.abort();
            result.r2 = wire.read(second.segment());
            second.close();
        }

        /** The counts. */
        @Arbiter
        public void look(III_Result result) {
            result.r3 = wire.mistake();
        }
    }

    /** A wire over which two messages have come and nothing goes; all that it asks for comes with the lock held. */
    private static final class GatheringWire implements EndpointTransport {
        private static final int BUFFERS = 4;

        private final MemorySegment[] rooms = new MemorySegment[BUFFERS + Credits.RESERVE];
        private int gathered;
        private int posted;
        private int granted;
        private boolean closed;
        private volatile int freed;
        private volatile boolean mistaken;

        /** With the messages 1 and 2. */
        Endpoint endpoint() {
            Protocol protocol = new Protocol(
                    "endpoint",
                    this,
                    new Credits(BUFFERS, BUFFERS),
                    1,
                    8,
                    8,
                    new Silence(0, false),
                    EndpointExceptions.OF_ENDS);
            Engine engine = new Engine(this, protocol, new SpinTime(0));
            for (int i = 0; i < rooms.length; i++) {
                rooms[i] = MemorySegment.ofArray(new int[] {i + 1});
            }
            protocol.received(0, true, Frame.of(Frame.MESSAGE, 0), Integer.BYTES);
            protocol.received(1, true, Frame.of(Frame.MESSAGE, 0), Integer.BYTES);
            return new Endpoint(engine, null, Duration.ZERO, new Hello(Hello.VERSION, BUFFERS, 8, new byte[0]));
        }

        int read(MemorySegment message) {
            int number = message.get(ValueLayout.JAVA_INT, 0);
            require(freed == 0);
            return number;
        }

        private void require(boolean condition) {
            if (!condition) {
                mistaken = true;
            }
        }

        /** 0, or which count is wrong. */
        int mistake() {
            if (mistaken) {
                return 1;
            }
            if (freed != 1 || !closed) {
                return 2;
            }
            // Two buffers are half of all: the peer is notified of both or of none.
            return gathered + posted <= 2 && posted == granted && granted % 2 == 0 ? 0 : 3;
        }

        @Override
        public int returnReceive(int buffer) {
            require(!closed);
            gathered++;
            return 0;
        }

        @Override
        public int postReturned() {
            require(!closed);
            posted += gathered;
            gathered = 0;
            return 0;
        }

        @Override
        public int postControl(long id, int frame) {
            require(!closed && Frame.kind(frame) == Frame.CREDIT && posted == Frame.credits(frame));
            granted += Frame.credits(frame);
            return 0;
        }

        @Override
        public Message message(int buffer, long length) {
            return new Message(rooms[buffer]).open(length);
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public void free() {
            freed++;
        }

        @Override
        public int poll(WireEvents protocol) {
            return 0;
        }

        @Override
        public String lost() {
            return null;
        }

        @Override
        public void arm(boolean ends) {}

        @Override
        public boolean missesEnds() {
            return false;
        }

        @Override
        public void ended(String reason) {}

        // ---- What receiving does not need ----

        private static AssertionError unexpected() {
            return new AssertionError("nobody sends or sleeps here");
        }

        @Override
        public void fill(int slot, MemorySegment message) {
            throw unexpected();
        }

        @Override
        public void beginBatch() {
            throw unexpected();
        }

        @Override
        public int endBatch() {
            throw unexpected();
        }

        @Override
        public int batchError() {
            throw unexpected();
        }

        @Override
        public MemorySegment buffer(int slot) {
            throw unexpected();
        }

        @Override
        public void cut(int slot, long length) {
            throw unexpected();
        }

        @Override
        public ByteBuffer view(int slot) {
            throw unexpected();
        }

        @Override
        public ByteBuffer arrived(int buffer) {
            throw unexpected();
        }

        @Override
        public int postMessage(int slot, int frame, boolean signaled) {
            throw unexpected();
        }

        @Override
        public int postTransfer(
                int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
            throw unexpected();
        }

        @Override
        public int postProbe(long id) {
            throw unexpected();
        }

        @Override
        public int postReceive(int buffer) {
            throw unexpected();
        }

        @Override
        public long word(int slot) {
            throw unexpected();
        }

        @Override
        public byte[] copy(int buffer, long length) {
            throw unexpected();
        }

        @Override
        public void toError() {
            throw unexpected();
        }

        @Override
        public void prepareToSleep() {
            throw unexpected();
        }

        @Override
        public void sleep(long nanos) {
            throw unexpected();
        }

        @Override
        public boolean awake() {
            throw unexpected();
        }

        @Override
        public void eventCame() {
            throw unexpected();
        }

        @Override
        public Events events() {
            throw unexpected();
        }

        @Override
        public void wakeUp() {
            throw unexpected();
        }

        @Override
        public <T> Optional<T> ask(Function<Link, Optional<T>> question) {
            throw unexpected();
        }
    }
}
