// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Silence;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Wire;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * One end of a simulated connection over SRD: the two state machines, an adapter that takes its requests in any order,
 * and a program that does anything at any time. It keeps books of its own, and compares.
 */
final class SrdEnd implements Wire, SrdOrdering.Datagrams {
    /** The least length of a message: its number, and the number of writes before it. */
    static final int LEAST = 2 * Long.BYTES;

    private static final int CELLS = 24;
    private static final MemoryRegion LOCAL = MemoryRegion.withoutAdapter(CELLS, AccessFlag.LOCAL_WRITE);

    /** A request that the adapter has. */
    private static final class Request {
        final int post;
        byte[] bytes;
        int immediate;
        boolean writes;
        int address;
        int length;
        long number;
        long id;

        Request(int post) {
            this.post = post;
        }
    }

    /** A datagram that has come. */
    private record Arrival(int receive, int immediate, int length) {}

    /** Throws at times, before the protocol knows, and checks the order. */
    private final class Events extends WireEvents {
        private void mayThrow() {
            if (outOfMemory && random.nextInt(5) == 0) {
                throw new OutOfMemoryError("of the simulation");
            }
        }

        @Override
        public Protocol.State state() {
            return protocol.state();
        }

        @Override
        public void received(int buffer, boolean framed, int frame, long length) {
            mayThrow();
            protocol.received(buffer, framed, frame, length);
            ofProtocol++;
        }

        @Override
        public void overrun() {
            protocol.overrun();
        }

        @Override
        public void sent(long id) {
            mayThrow();
            require(
                    hasFailed || inOrder.peek() == id,
                    "the end of " + id + " is reported instead of " + inOrder.peek());
            inOrder.remove(id);
            protocol.sent(id);
        }

        @Override
        public void failed(long id, String reason, VerbsException cause) {
            hasFailed = true;
            require(inOrder.remove(id), id + " fails, and is not under way");
            protocol.failed(id, reason, cause);
        }

        @Override
        public void linkLost(String reason) {
            protocol.linkLost(reason);
        }

        @Override
        public boolean interrupted(Error error) {
            throw new AssertionError(error);
        }
    }

    private final String name;
    private final Random random;
    final Protocol protocol;
    private final SrdOrdering ordering;
    private final Events events = new Events();
    SrdEnd peer;

    private final byte[][] slots;
    private final byte[][] receives;
    private final byte[][] buffers;
    /** How many buffers the protocol has. */
    private int ofProtocol;

    private final int longest;
    private final int depth;
    /** The requests' identities in the order of the posts. */
    private final Deque<Long> inOrder = new ArrayDeque<>();

    private final Map<Integer, Request> transfers = new HashMap<>();
    /** What the adapter has and the peer's adapter has not. */
    private final List<Request> onTheWay = new ArrayList<>();
    /** What the peer's adapter has and this one has not reported. */
    private final List<Request> arrivedThere = new ArrayList<>();

    private final Deque<Integer> posted = new ArrayDeque<>();
    private final Deque<Integer> returned = new ArrayDeque<>();
    private final Deque<Arrival> arrivals = new ArrayDeque<>();
    private final Deque<Request> completions = new ArrayDeque<>();
    private final Deque<Request> failures = new ArrayDeque<>();

    /** The number of the last write of each cell of the peer's memory, as it has to become. */
    private final long[] expected = new long[CELLS];

    private final long[] memory = new long[CELLS];
    private final Map<Long, long[]> leastOfReads = new HashMap<>();
    private final Set<Long> writesUnderWay = new HashSet<>();
    private int batched;
    private long writes;
    private long messages;
    private long received;
    private long ids;
    private final List<Integer> held = new ArrayList<>();
    private final List<Promise<?>> promises = new ArrayList<>();
    private boolean closing;
    private boolean saidGoodBye;
    private boolean broken;
    /** Whether a request has failed; the ends behind it are reported in any order. */
    private boolean hasFailed;

    boolean gone;

    /** The entries of the send queue that several ends share, beside one for each; null if the end has its own. */
    int[] shared;

    private int sharedTaken;
    boolean outOfMemory;
    boolean doubles;
    boolean hasDoubled;
    boolean failsNext;
    boolean refusesNext;
    private boolean lies;
    /** How many datagrams have come before an earlier one. */
    int overtaken;
    /** How often others had the entries of the send queue. */
    int lackedEntry;

    SrdEnd(String name, Random random, int credits, int peerCredits, int longest, int fragment) {
        this.name = name;
        this.random = random;
        this.longest = longest;
        int sendDepth = 1 + random.nextInt(6);
        int requests = sendDepth + Protocol.SEND_RESERVE;
        depth = 1 + random.nextInt(8);
        slots = new byte[sendDepth][];
        int count = SrdOrdering.receives(credits, longest, fragment);
        receives = new byte[count][];
        int buffersOfProtocol = credits + Credits.RESERVE;
        // No more than a wire has.
        int assembled = longest > fragment ? longest : 0;
        buffers = new byte[buffersOfProtocol][assembled];
        for (int i = 0; i < count; i++) {
            posted.add(i);
        }
        ordering = new SrdOrdering(this, requests, depth, fragment, buffersOfProtocol, count, assembled);
        protocol = new Protocol(
                name,
                this,
                new Credits(credits, peerCredits),
                sendDepth,
                longest,
                longest,
                new Silence(0, false),
                EndpointExceptions.OF_ENDS);
    }

    static void connect(SrdEnd left, SrdEnd right) {
        left.peer = right;
        right.peer = left;
    }

    private void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(name + ": " + what);
        }
    }

    // ---- The wire ----

    @Override
    public void fill(int slot, MemorySegment message) {
        slots[slot] = message.toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void beginBatch() {
        batched = 0;
    }

    @Override
    public int endBatch() {
        return batched;
    }

    @Override
    public int batchError() {
        return 0;
    }

    @Override
    public MemorySegment buffer(int slot) {
        throw new AssertionError();
    }

    @Override
    public void cut(int slot, long length) {
        throw new AssertionError();
    }

    @Override
    public ByteBuffer view(int slot) {
        throw new AssertionError();
    }

    @Override
    public ByteBuffer arrived(int buffer) {
        throw new AssertionError();
    }

    @Override
    public int postMessage(int slot, int frame, boolean signaled) {
        batched++;
        inOrder.add((long) slot);
        ordering.message(slot, slot, frame, slots[slot].length);
        return 0;
    }

    @Override
    public int postTransfer(
            int slot, Operation operation, MemorySlice local, RemoteMemory remote, long operand, long newValue) {
        inOrder.add((long) slot);
        Request request = new Request(ordering.nextPlace());
        request.address = (int) remote.address();
        request.length = (int) local.length();
        request.number = operand;
        transfers.put(request.post, request);
        ordering.transfer(slot, operation == Operation.WRITE, request.address, request.length);
        return 0;
    }

    @Override
    public int postControl(long id, int frame) {
        inOrder.add(id);
        ordering.message(id, -1, frame, 0);
        return 0;
    }

    @Override
    public int postProbe(long id) {
        inOrder.add(id);
        ordering.nothing(id);
        return 0;
    }

    @Override
    public int postReceive(int buffer) {
        returnReceive(buffer);
        return postReturned();
    }

    @Override
    public int returnReceive(int buffer) {
        ofProtocol--;
        ordering.release(buffer);
        return 0;
    }

    @Override
    public int postReturned() {
        posted.addAll(returned);
        returned.clear();
        return 0;
    }

    @Override
    public long word(int slot) {
        throw new AssertionError();
    }

    @Override
    public byte[] copy(int buffer, long length) {
        int receive = ordering.receiveOf(buffer);
        return Arrays.copyOf(receive >= 0 ? receives[receive] : buffers[buffer], (int) length);
    }

    @Override
    public void toError() {
        ordering.breakOff();
        broken = true;
        failures.addAll(onTheWay);
        onTheWay.clear();
        failures.addAll(arrivedThere);
        arrivedThere.clear();
    }

    @Override
    public void ended(String reason) {}

    // ---- The adapter ----

    private int underWay() {
        return onTheWay.size() + arrivedThere.size() + completions.size() + failures.size();
    }

    /** Whether there is an entry; if there is none, others have them. */
    private boolean takeEntry() {
        if (shared == null || underWay() == 0) {
            return true;
        }
        if (shared[0] == 0) {
            lackedEntry++;
            return false;
        }
        shared[0]--;
        sharedTaken++;
        return true;
    }

    private void giveEntries(int underWay) {
        while (sharedTaken > Math.max(0, underWay - 1)) {
            sharedTaken--;
            shared[0]++;
        }
    }

    private boolean accept(Request request) {
        if (!takeEntry()) {
            return false;
        }
        if (refusesNext) {
            refusesNext = false;
            giveEntries(underWay());
            ordering.refused("by the simulation");
            return false;
        }
        onTheWay.add(request);
        require(onTheWay.size() + arrivedThere.size() + completions.size() <= depth, "the send queue is overfull");
        return true;
    }

    @Override
    public boolean send(int post, int slot, long offset, int length, int immediate) {
        Request request = new Request(post);
        request.bytes = slot < 0 ? new byte[0] : Arrays.copyOfRange(slots[slot], (int) offset, (int) offset + length);
        request.immediate = immediate;
        return accept(request);
    }

    @Override
    public boolean transfer(int post, boolean writes) {
        Request request = transfers.get(post);
        request.writes = writes;
        return accept(request);
    }

    @Override
    public void copy(int receive, int length, int buffer, long offset) {
        System.arraycopy(receives[receive], 0, buffers[buffer], (int) offset, length);
    }

    @Override
    public void giveBack(int receive) {
        require(!posted.contains(receive) && !returned.contains(receive), "a receive is given back twice");
        returned.add(receive);
    }

    /** The peer's adapter does one of the requests. */
    void deliverOne() {
        if (onTheWay.isEmpty()) {
            return;
        }
        int index = random.nextInt(onTheWay.size());
        Request request = onTheWay.remove(index);
        if (failsNext) {
            failsNext = false;
            failures.add(request);
            return;
        }
        overtaken += index > 0 && request.bytes != null ? 1 : 0;
        if (request.bytes != null) {
            if (!peer.broken) {
                peer.arrive(request.immediate, request.bytes, lies || hasDoubled);
                if (doubles) {
                    doubles = false;
                    hasDoubled = peer.arrive(request.immediate, request.bytes, true);
                }
            }
        } else if (request.writes) {
            Arrays.fill(peer.memory, request.address, request.address + request.length, request.number);
            writesUnderWay.remove(request.number);
        } else {
            long[] least = leastOfReads.get(request.number);
            for (int i = 0; i < request.length; i++) {
                require(
                        peer.memory[request.address + i] >= least[i],
                        "a read finds write %d and not %d".formatted(peer.memory[request.address + i], least[i]));
            }
        }
        if (broken) {
            failures.add(request);
        } else {
            arrivedThere.add(request);
        }
    }

    /** Returns false if there is no receive, which only a peer's mistake may bring about. */
    private boolean arrive(int immediate, byte[] bytes, boolean mistaken) {
        Integer receive = posted.poll();
        require(receive != null || mistaken || protocol.state() != Protocol.State.OPEN, "a datagram finds no receive");
        if (receive == null) {
            return false;
        }
        receives[receive] = bytes;
        arrivals.add(new Arrival(receive, immediate, bytes.length));
        return true;
    }

    /** Completes one request of the adapter. */
    void completeOne() {
        if (!arrivedThere.isEmpty()) {
            completions.add(arrivedThere.remove(random.nextInt(arrivedThere.size())));
        }
    }

    /** From now on the peer gets something that an endpoint never sends. */
    void lie() {
        lies = true;
        byte[] bytes = new byte[random.nextInt(longest + 1)];
        if (!peer.broken) {
            peer.arrive(random.nextInt(), bytes, true);
        }
    }

    // ---- The program ----

    private MemorySegment message() {
        byte[] bytes = new byte[LEAST + random.nextInt(longest - LEAST + 1)];
        MemorySegment message = MemorySegment.ofArray(bytes);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, messages + 1);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES, writes);
        for (int i = LEAST; i < bytes.length; i++) {
            bytes[i] = (byte) (messages + 1 + i);
        }
        return message;
    }

    void act() {
        if (gone) {
            return;
        }
        try {
            switch (random.nextInt(closing ? 4 : 10)) {
                case 0, 1 -> poll();
                case 2 -> release();
                case 3 -> takeDone();
                case 4, 5 -> trySend();
                case 6 -> take();
                case 7, 8 -> transfer();
                default -> sendAsync();
            }
        } catch (VerbsException e) {
            require(protocol.state() != Protocol.State.OPEN, "open, and yet " + e);
        }
    }

    private void trySend() {
        if (random.nextBoolean()) {
            messages += protocol.trySend(message()) == Protocol.OK ? 1 : 0;
        } else {
            List<MemorySegment> several = new ArrayList<>();
            long before = messages;
            for (int i = random.nextInt(3); i >= 0; i--) {
                several.add(message());
                messages++;
            }
            messages = before;
            messages += Math.max(0, protocol.trySendAll(several));
        }
    }

    private void sendAsync() {
        // Before one that waits nothing may be numbered.
        if (protocol.isOpen() && protocol.hasFreeSlot() && protocol.credits().available() > 0) {
            Promise<Void> promise = new Promise<>(null);
            promises.add(promise);
            protocol.sendAsync(message(), promise);
            messages++;
        }
    }

    private void transfer() {
        int address = random.nextInt(CELLS);
        int length = 1 + random.nextInt(Math.min(6, CELLS - address));
        boolean write = random.nextBoolean();
        long number = write ? writes + 1 : ++ids + (1L << 40);
        if (!write) {
            leastOfReads.put(number, Arrays.copyOfRange(expected, address, address + length));
        } else {
            // Counted before it is posted, and taken back if it is not.
            writesUnderWay.add(number);
        }
        int code = protocol.isOpen()
                ? protocol.tryTransfer(
                        number,
                        write ? Operation.WRITE : Operation.READ,
                        LOCAL.slice(0, length),
                        new RemoteMemory(address, length, 1),
                        number,
                        0)
                : Protocol.QUEUE_FULL;
        if (write && code == Protocol.OK) {
            writes++;
            Arrays.fill(expected, address, address + length, number);
        } else if (write) {
            writesUnderWay.remove(number);
        }
    }

    private void poll() {
        try {
            while (!completions.isEmpty()) {
                ordering.completed(completions.remove().post);
                giveEntries(underWay());
            }
            while (!arrivals.isEmpty()) {
                Arrival arrival = arrivals.remove();
                ordering.arrived(arrival.receive, true, arrival.immediate, arrival.length);
            }
            ordering.deliver(events);
            ordering.report(events);
            while (!failures.isEmpty()) {
                ordering.failed(failures.peek().post, "failed", null, events);
                failures.remove();
                giveEntries(underWay());
            }
            ordering.report(events);
            ordering.post();
        } catch (OutOfMemoryError e) {
            require("of the simulation".equals(e.getMessage()), "out of memory indeed");
        } finally {
            protocol.settle();
        }
    }

    private void take() {
        int buffer = protocol.take();
        if (buffer >= 0) {
            check(copy(buffer, protocol.length(buffer)));
            held.add(buffer);
        }
    }

    private void check(byte[] bytes) {
        if (peer.lies) {
            return;
        }
        MemorySegment message = MemorySegment.ofArray(bytes);
        long number = message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        require(number == ++received, "received %d instead of %d".formatted(number, received));
        for (int i = LEAST; i < bytes.length; i++) {
            require(bytes[i] == (byte) (number + i), "message %d was changed at byte %d".formatted(number, i));
        }
        long before = message.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES);
        peer.writesUnderWay.forEach(
                write -> require(write > before, "message %d has overtaken write %d".formatted(number, write)));
    }

    private void release() {
        if (!held.isEmpty()) {
            protocol.release(held.remove(random.nextInt(held.size())));
        }
    }

    private void takeDone() {
        int slot = protocol.takeDone();
        if (slot >= 0) {
            protocol.releaseDone(slot);
        }
    }

    // ---- The end ----

    boolean isClosing() {
        return closing;
    }

    void beginClosing() {
        if (!gone && !closing) {
            closing = true;
            protocol.beginClosing(new IllegalStateException("closed"));
        }
    }

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
    }

    void abandon() {
        if (!gone) {
            beginClosing();
            gone = true;
            protocol.abandon(new IllegalStateException("closed"));
            toError();
            // A close waits for the ends of the requests.
            giveEntries(0);
        }
    }

    /** Delivers and completes everything that is under way, and the program reads. */
    void move() {
        outOfMemory = false;
        while (!onTheWay.isEmpty()) {
            deliverOne();
        }
        while (!arrivedThere.isEmpty()) {
            completeOne();
        }
        if (gone) {
            return;
        }
        poll();
        while (protocol.hasMessage()) {
            take();
            release();
        }
        while (!held.isEmpty()) {
            release();
        }
        while (protocol.slots().hasDone()) {
            takeDone();
        }
        protocol.settle();
    }

    boolean isIdle() {
        return protocol.isIdle() && inOrder.isEmpty() && underWay() == 0 && peer.received == messages;
    }

    void checkMemoryOfPeer() {
        require(Arrays.equals(peer.memory, expected), "the last write of a cell has not won");
    }

    /** What holds after each step. */
    void check() {
        if (protocol.isOpen() && !gone && !peer.lies && !peer.hasDoubled && !peer.doubles) {
            int messagesThere = protocol.messageCount() + held.size();
            require(ofProtocol == messagesThere, ofProtocol + " buffers for " + messagesThere + " messages");
        }
    }

    void checkReleased() {
        require(protocol.slots().isIdle() && protocol.isIdle(), "something is still under way");
        while (!protocol.decisions().isEmpty()) {
            protocol.decisions().take().handOver();
        }
        require(promises.stream().allMatch(Promise::isDone), "a future will never be complete");
    }

    @Override
    public String toString() {
        return "%s: %s, %d messages, %d writes, %d received, under way: %s"
                .formatted(name, protocol.state(), messages, writes, received, inOrder);
    }
}
