// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One side of a stream channel that exists only here: its words, its streams, and a wire on which requests stay in
 * order. Streams do one operation on memory at a time, as a device does.
 */
final class OrderedSide implements OrderedProtocol.Words, OrderedProtocol.Wire {
    /** The requests that were posted to the adapter. */
    private record Posted(int slot, long value) {}

    /** An operation of a stream: false if it has to wait. */
    interface Step {
        boolean tryDo();
    }

    /** A stream, with what it has still to do. */
    static final class Stream {
        final Deque<Step> steps = new ArrayDeque<>();
        /** The slots that it has started, in its order. */
        final List<Integer> started = new ArrayList<>();

        boolean isDone() {
            return steps.isEmpty();
        }

        boolean tryStep() {
            if (steps.isEmpty() || !steps.peek().tryDo()) {
                return false;
            }
            steps.remove();
            return true;
        }
    }

    final String name;
    final OrderedProtocol protocol;
    final List<Stream> streams = new ArrayList<>();
    /** The slots in the order in which they were posted. */
    final List<Integer> posts = new ArrayList<>();
    /** By slot: what the adapter reads, and the tag that it goes with, or -1. */
    final long[] sources;

    private final int[] tags;
    /** The memory that the peer's adapter writes, by the peer's slot. */
    final long[] targets;

    private final int[] words;
    private final Deque<Posted> onTheWire = new ArrayDeque<>();
    private int doorbell = OrderedProtocol.FREE;
    private boolean ended;
    private boolean silent;
    private boolean interrupted;
    boolean error;
    int flushes;

    /** By the peer's slot: what was written after the last flush, and must not be read. */
    private final boolean[] unflushed;

    OrderedSide peer;
    /** False if the queue is full; throws if the wire cannot post. */
    BooleanSupplier posting = () -> true;

    BooleanSupplier fails = () -> false;
    BooleanSupplier overflows = () -> false;
    BooleanSupplier losesNotice = () -> false;
    BooleanSupplier bellRings = () -> false;

    OrderedSide(String name, int capacity, long limitNanos) {
        this.name = name;
        words = new int[capacity];
        sources = new long[capacity];
        targets = new long[capacity];
        tags = new int[capacity];
        unflushed = new boolean[capacity];
        protocol = new OrderedProtocol(this, this, capacity, limitNanos, 0);
    }

    int addWrite(int tag) {
        int slot = protocol.addWrite();
        tags[slot] = tag;
        return slot;
    }

    // ---- what streams are given ----

    void write(Stream stream, int slot, long value) {
        stream.steps.add(() -> {
            sources[slot] = value;
            return true;
        });
    }

    void start(Stream stream, int slot) {
        stream.steps.add(() -> (words[slot] & OrderedProtocol.READY) != 0);
        stream.steps.add(() -> doorbell == OrderedProtocol.FREE);
        stream.steps.add(() -> {
            words[slot] = OrderedProtocol.REQUESTED;
            stream.started.add(slot);
            return true;
        });
        stream.steps.add(() -> {
            doorbell = slot + 1;
            return true;
        });
    }

    void await(Stream stream, int slot) {
        stream.steps.add(() -> (words[slot] & OrderedProtocol.READY) != 0);
    }

    /**
     * Checks the memory after a wait for an arrival: all data is there, unless the channel has failed and the kernels
     * can see the failure.
     */
    void expect(Stream stream, int slot, int arrival, long value) {
        stream.steps.add(() -> {
            if (protocol.failure() == null) {
                assertThat(targets[slot])
                        .as("%s, slot %d of the peer", name, slot)
                        .isEqualTo(value);
                assertThat(unflushed[slot]).as("%s, read without a flush", name).isFalse();
            } else if ((words[arrival] & OrderedProtocol.FAILED) != 0) {
                assertThat(error).isTrue();
            }
            return true;
        });
    }

    // ---- what the adapter does ----

    /** The oldest request reaches the peer, and its completion comes. */
    boolean deliver(long now) {
        Posted request = silent ? null : onTheWire.poll();
        if (request == null) {
            return false;
        }
        GpuTransferException cause = null;
        if (ended || peer.ended || fails.getAsBoolean()) {
            cause = new GpuTransferException("lost");
        } else {
            assertThat(sources[request.slot]).as("changed under the adapter").isEqualTo(request.value);
            assertThat(words[request.slot]).as("the stream goes on").isEqualTo(OrderedProtocol.REQUESTED);
            peer.targets[request.slot] = request.value;
            peer.unflushed[request.slot] = true;
            if (tags[request.slot] >= 0 && !losesNotice.getAsBoolean()) {
                peer.dispatch(now, () -> peer.protocol.arrived(tags[request.slot], now));
            }
        }
        GpuTransferException result = cause;
        dispatch(now, () -> protocol.completed(request.slot, result, now));
        return true;
    }

    /** From now on the adapter does nothing and reports nothing. */
    void silence() {
        silent = true;
    }

    // ---- what the proxy does ----

    /** Looks, and gives up after an error. */
    boolean look(long now) {
        try {
            if (interrupted) {
                giveUp(now);
            }
            return protocol.advance(now);
        } catch (StackOverflowError e) {
            interrupted = true;
            return true;
        }
    }

    private void giveUp(long now) {
        protocol.breakDown(new GpuTransferException("interrupted"), now);
        interrupted = false;
    }

    /** Passes a completion to the protocol, again after an error. */
    private void dispatch(long now, Runnable completion) {
        while (true) {
            try {
                if (interrupted) {
                    giveUp(now);
                }
                completion.run();
                return;
            } catch (StackOverflowError e) {
                interrupted = true;
            }
        }
    }

    // ---- what the protocol sees ----

    private void call() {
        if (overflows.getAsBoolean()) {
            throw new StackOverflowError();
        }
    }

    @Override
    public int doorbell() {
        call();
        return doorbell;
    }

    /** Streams may do something between the look at the words and this. */
    @Override
    public boolean freeDoorbell(int seen) {
        call();
        while (bellRings.getAsBoolean()) {
            streams.forEach(Stream::tryStep);
        }
        if (doorbell != seen) {
            return false;
        }
        doorbell = OrderedProtocol.FREE;
        return true;
    }

    @Override
    public int word(int slot) {
        call();
        return words[slot];
    }

    @Override
    public void setWord(int slot, int value) {
        call();
        words[slot] = value;
    }

    @Override
    public void setError() {
        call();
        error = true;
    }

    @Override
    public boolean tryPost(int slot) {
        call();
        boolean posted = posting.getAsBoolean();
        if (posted) {
            posts.add(slot);
            onTheWire.add(new Posted(slot, sources[slot]));
        }
        return posted;
    }

    @Override
    public void end(GpuTransferException cause) {
        call();
        ended = true;
    }

    @Override
    public void flush() {
        call();
        flushes++;
        Arrays.fill(unflushed, false);
    }

    @Override
    public String describe(int slot) {
        return name + " " + slot;
    }
}
