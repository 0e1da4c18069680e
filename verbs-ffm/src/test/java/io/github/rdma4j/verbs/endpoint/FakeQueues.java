// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/**
 * The queue pair and the completion queue of a {@link FakeTransport}, and its half of the wire: what was posted reaches
 * the peer by {@link #deliver}, is acknowledged by {@link #acknowledge}, and then waits to be polled. A simulation
 * takes each of these steps when it likes; without one all are taken by the post.
 */
public final class FakeQueues {
    /** A posted send request. */
    record Request(
            long id,
            boolean signaled,
            boolean message,
            boolean framed,
            int frame,
            byte[] bytes,
            Operation operation,
            long operand,
            long newValue) {}

    /** An acknowledgement of a request that has reached the peer. */
    private record Acknowledgement(long id, boolean signaled) {}

    /**
     * A completion.
     *
     * @param places the number of send slots that it frees: its own, and the unsignaled ones before it
     */
    record Event(long id, boolean success, boolean framed, int frame, long length, int places) {}

    private final FakeTransport transport;
    private final FakeBell bell;
    private final Object wire;
    private final boolean automatic;
    private final int slots;
    private final Deque<Request> sendQueue = new ArrayDeque<>();
    private final Deque<Integer> receives = new ArrayDeque<>();
    /** Receive buffers that the adapter gets when {@link #postReturned} asks for it, and no earlier. */
    private final Deque<Integer> returned = new ArrayDeque<>();

    private final BitSet posted = new BitSet();
    private final Deque<Acknowledgement> acknowledgements = new ArrayDeque<>();
    private final Deque<Event> events = new ArrayDeque<>();
    /** Slots of finished requests that the next completion will free. */
    private int slotsToFree;
    /** The occupied slots of the send queue: requests that were posted and whose completion was not polled. */
    private int underWay;
    /** The number of completions of posted requests. */
    int ends;

    FakeQueues(FakeTransport transport, FakeBell bell, Object wire, boolean automatic, int slots, int buffers) {
        this.transport = transport;
        this.bell = bell;
        this.wire = wire;
        this.automatic = automatic;
        this.slots = slots;
        for (int i = 0; i < buffers; i++) {
            receives.add(i);
            posted.set(i);
        }
    }

    /** Sends what no endpoint would. */
    void lie(boolean framed, int frame, int length) {
        post(new Request(-1, true, true, framed, frame, new byte[length], null, 0, 0));
    }

    int post(Request request) {
        transport.beforePost.run();
        synchronized (wire) {
            if (request.id != -1 && ++underWay > slots + Protocol.SEND_RESERVE) {
                throw new AssertionError("the send queue is full");
            }
            sendQueue.add(request);
            if (transport.broken) {
                flush();
            } else if (automatic) {
                deliverAll();
            }
            return 0;
        }
    }

    public void deliverAll() {
        synchronized (wire) {
            boolean more = true;
            while (more) {
                more = deliver() | acknowledge();
            }
        }
    }

    /** The oldest thing that was posted reaches the peer; false if there is none, or the wire is cut. */
    public boolean deliver() {
        synchronized (wire) {
            Request request = sendQueue.peek();
            FakeTransport peer = transport.peer();
            if (transport.cut || transport.broken || request == null) {
                return false;
            }
            if (peer.broken || peer.closed) {
                transport.toError();
                return false;
            }
            if (request.message) {
                Integer buffer = peer.queues.receives.peek();
                if (buffer == null) {
                    if (transport.lying || peer.lying) {
                        return false;
                    }
                    throw new AssertionError("a message meets no receive buffer");
                }
                peer.queues.receives.remove();
                peer.queues.posted.clear(buffer);
                peer.put(buffer, request.bytes);
                if (request.bytes.length > 0) {
                    peer.tamper.accept(request.bytes);
                }
                peer.queues.add(new Event(
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
        FakeTransport peer = transport.peer();
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
        transport.setWord((int) request.id, before);
    }

    /** The oldest thing that has reached the peer completes; false if there is none. */
    public boolean acknowledge() {
        synchronized (wire) {
            if (transport.cut || acknowledgements.isEmpty()) {
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
        slotsToFree++;
        if (what.signaled) {
            end(what.id, true);
        }
    }

    private void end(long id, boolean success) {
        ends++;
        add(new Event(id, success, false, 0, 0, slotsToFree));
        slotsToFree = 0;
    }

    private void add(Event event) {
        events.add(event);
        bell.ring(!event.success || isReceive(event));
    }

    int postReceive(int buffer) {
        synchronized (wire) {
            if (posted.get(buffer)) {
                throw new AssertionError("buffer " + buffer + " is posted twice");
            }
            posted.set(buffer);
            receives.add(buffer);
            if (automatic && !transport.peer().closed) {
                transport.peer().queues.deliverAll();
            }
            return 0;
        }
    }

    void returnReceive(int buffer) {
        synchronized (wire) {
            returned.add(buffer);
        }
    }

    int postReturned() {
        synchronized (wire) {
            int errno = 0;
            while (!returned.isEmpty() && errno == 0) {
                errno = transport.postReceive(returned.remove());
            }
            return errno;
        }
    }

    /** Returns the oldest event that was not taken, or null. */
    Event first() {
        synchronized (wire) {
            return events.peek();
        }
    }

    /** The first was dealt with. */
    void taken(Event event) {
        synchronized (wire) {
            events.remove();
            underWay -= event.places;
        }
    }

    /** Everything that is under way ends without success. */
    void flush() {
        if (transport.neverFlushes) {
            return;
        }
        acknowledgements.forEach(this::done);
        acknowledgements.clear();
        sendQueue.stream().filter(request -> request.id != -1).forEach(request -> {
            slotsToFree++;
            end(request.id, false);
        });
        sendQueue.clear();
        receives.forEach(buffer -> add(new Event(Protocol.RECEIVE | buffer, false, false, 0, 0, 0)));
        receives.clear();
    }

    /** Removes the device. Events that were not polled and requests under way are lost. */
    public void remove() {
        synchronized (wire) {
            transport.broken = true;
            events.clear();
            acknowledgements.clear();
            sendQueue.clear();
            transport.lost = "the device was removed";
        }
    }

    /** Returns the number of credits on their way to the peer. */
    int creditsOnTheWay() {
        int count = 0;
        for (Request request : sendQueue) {
            count += request.message ? Frame.credits(request.frame) : 0;
        }
        for (Event event : transport.peer().queues.events) {
            count += isReceive(event) ? Frame.credits(event.frame) : 0;
        }
        return count;
    }

    /** Returns the number of the program's messages on their way to the peer. */
    int messagesOnTheWay() {
        int count = 0;
        for (Request request : sendQueue) {
            count += request.message && Frame.kind(request.frame) == Frame.MESSAGE ? 1 : 0;
        }
        for (Event event : transport.peer().queues.events) {
            count += isReceive(event) && Frame.kind(event.frame) == Frame.MESSAGE ? 1 : 0;
        }
        return count;
    }

    private static boolean isReceive(Event event) {
        return event.success && (event.id & Protocol.RECEIVE) != 0;
    }

    /** How many receive buffers the adapter has, or will have, or has filled without being asked yet. */
    int buffers() {
        int count = receives.size() + returned.size();
        for (Event event : events) {
            count += (event.id & Protocol.RECEIVE) != 0 ? 1 : 0;
        }
        return count;
    }
}
