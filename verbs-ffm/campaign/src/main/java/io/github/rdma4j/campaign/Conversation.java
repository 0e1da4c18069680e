// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.ExposedMemory;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.TransferException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

/**
 * One end of a connection under load: three threads send, receive, and access the other end's memory, and check every
 * result. The first message of a direction is the handle of the memory, the last one contains the number of messages.
 */
final class Conversation {
    private static final Duration SOON = Duration.ofSeconds(1);
    /** Messages whose arrival is waited for at a time. */
    private static final int UNDER_WAY = 8;
    /** The initial bytes at the target of a read. */
    private static final byte UNTOUCHED = (byte) 0xa5;

    private final String side;
    private final Endpoint endpoint;
    private final Load load;
    private final long seed;
    private final long lengthMillis;
    private final long limitMillis;
    private final boolean mayWithhold;
    private final Moves moves;
    private final Ledger ledger;
    private final Content outgoing;
    private final Incoming incoming;
    private final long begun = System.nanoTime();
    private final CountDownLatch handleCame = new CountDownLatch(1);
    private final CountDownLatch transfersDone = new CountDownLatch(1);

    private volatile MemoryHandle remote;
    private volatile long sent;
    private volatile long transfers;
    private volatile int withheld;
    private volatile boolean allSent;
    private volatile boolean allCame;

    /** The final contents of this end's memory, which the other end has written. */
    private volatile byte[] memory = {};

    // Guarded by this.
    private String failure = "";
    private long failedAtMillis;
    private String wrong = "";

    /**
     * @param side 1 or 2
     * @param orders the same on both sides
     * @param moves the moves of the endpoint
     */
    Conversation(int side, Endpoint endpoint, Peer.Orders orders, Moves moves) {
        this(side, endpoint, orders, moves, Ledger.unread());
    }

    /** @param ledger of this end */
    Conversation(int side, Endpoint endpoint, Peer.Orders orders, Moves moves, Ledger ledger) {
        this.side = "machine " + side;
        this.endpoint = endpoint;
        this.load = orders.load();
        this.seed = orders.seed() + side;
        this.lengthMillis = orders.lengthMillis();
        this.limitMillis = orders.limitMillis();
        this.mayWithhold = orders.wire().withhold();
        this.moves = moves;
        this.ledger = ledger;
        outgoing = new Content(orders.seed() * 2 + side, endpoint.maxMessageSize());
        incoming = new Incoming(new Content(orders.seed() * 2 + 3 - side, endpoint.maxMessageSize()));
    }

    /** Runs until all messages are exchanged, or all threads got an exception. */
    EndReport run() throws InterruptedException {
        Map<String, Thread> threads = new LinkedHashMap<>();
        String hung = "";
        try (ExposedMemory mine = endpoint.expose(Work.MEMORY, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
                MemoryRegion local = endpoint.allocateMemory(2 * Work.LARGEST)) {
            start(threads, "sender", () -> send(mine.handle()));
            start(threads, "receiver", this::receive);
            start(threads, "transfers", () -> transfer(local));
            for (Thread thread : threads.values()) {
                thread.join(Duration.ofMillis(Math.max(1, limitMillis - elapsed())));
            }
            hung = hanging(threads);
            if (!hung.isEmpty()) {
                endpoint.abort();
                for (Thread thread : threads.values()) {
                    thread.join(Duration.ofSeconds(10));
                }
            }
            memory = mine.segment().toArray(JAVA_BYTE);
        } catch (VerbsException | IllegalStateException e) {
            fail(e); // the memory of an endpoint that was lost before all began
        }
        synchronized (this) {
            boolean whole = allSent && allCame && failure.isEmpty();
            return new EndReport(
                    side,
                    sent,
                    incoming.received(),
                    transfers,
                    whole,
                    failure,
                    failedAtMillis,
                    wrong,
                    hung,
                    moves.since(begun),
                    withheld == 0 ? "" : withheld + " reads reported as done, and not delivered");
        }
    }

    byte[] memory() {
        return memory;
    }

    /** {@return when the clock of the report started, as {@link System#nanoTime} had it} */
    long begun() {
        return begun;
    }

    long elapsed() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    private void start(Map<String, Thread> threads, String name, Runnable work) {
        Runnable guarded = () -> {
            try {
                work.run();
            } catch (Throwable e) { // whatever it is, it is what this run came to
                fail(e);
            } finally {
                handleCame.countDown();
                if (name.equals("transfers")) {
                    transfersDone.countDown();
                }
            }
        };
        threads.put(name, Thread.ofPlatform().name(name).start(guarded));
    }

    private static String hanging(Map<String, Thread> threads) {
        List<String> hanging = new ArrayList<>();
        threads.forEach((name, thread) -> {
            if (thread.isAlive()) {
                hanging.add(name + " at "
                        + Arrays.stream(thread.getStackTrace())
                                .limit(12)
                                .map(StackTraceElement::toString)
                                .toList());
            }
        });
        return String.join("; ", hanging);
    }

    private synchronized void fail(Throwable e) {
        if (e instanceof Wrong) {
            if (wrong.isEmpty()) {
                wrong = e.getMessage();
            }
            endpoint.abort();
            return;
        }
        if (!wrong.isEmpty()) {
            return; // the end of what went wrong
        }
        failure = e.getClass().getSimpleName() + ": " + e.getMessage();
        failedAtMillis = elapsed();
    }

    private boolean isTime() {
        return elapsed() >= lengthMillis;
    }

    private void send(MemoryHandle mine) {
        send(mine.toBytes());
        Queue<CompletableFuture<Void>> underWay = new ArrayDeque<>();
        while (load.isBusy() && !isTime()) {
            byte[] message = outgoing.message(sent + 1);
            if (load == Load.LIVES) {
                underWay.add(endpoint.sendAsync(message));
                acknowledge(underWay, UNDER_WAY);
            } else {
                send(message);
            }
            sent++;
        }
        acknowledge(underWay, 0);
        ledger.phase(Ledger.Phase.CLOSING);
        awaitQuietly(transfersDone);
        while (!load.isBusy() && !isTime() && !isOver()) {
            pause();
        }
        send(Content.last(sent));
        allSent = true;
    }

    /** Waits until at most this many requests are pending. */
    private void acknowledge(Queue<CompletableFuture<Void>> underWay, int most) {
        while (underWay.size() > most) {
            try {
                underWay.remove().join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
            ledger.acknowledged();
        }
    }

    /** {@return whether another thread got the end of the connection} */
    private synchronized boolean isOver() {
        return !failure.isEmpty() || !wrong.isEmpty();
    }

    /**
     * Tries again if the message could not be sent within a second: the endpoint throws an exception when the
     * connection is lost.
     */
    private void send(byte[] message) {
        boolean accepted = false;
        while (!accepted) {
            accepted = endpoint.send(message, SOON);
        }
    }

    private void receive() {
        remote = MemoryHandle.fromBytes(next());
        ledger.phase(Ledger.Phase.LOAD);
        handleCame.countDown();
        while (true) {
            if (incoming.take(next())) {
                allCame = true;
                return;
            }
        }
    }

    private byte[] next() {
        Optional<byte[]> message = Optional.empty();
        while (message.isEmpty()) {
            message = endpoint.receive(SOON);
        }
        ledger.received();
        return message.get();
    }

    /**
     * Writes, adds and reads in the other end's memory, which no other thread writes: the expected contents are known.
     */
    private void transfer(MemoryRegion local) {
        awaitQuietly(handleCame);
        if (!load.isBusy() || remote == null) {
            return;
        }
        SplittableRandom random = new SplittableRandom(seed);
        byte[] expected = new byte[Work.MEMORY];
        byte[] before = new byte[Work.MEMORY];
        MemorySegment out = local.segment().asSlice(0, Work.LARGEST);
        MemorySegment in = local.segment().asSlice(Work.LARGEST, Work.LARGEST);
        Duration limit = Duration.ofMillis(limitMillis);
        long sum = 0;
        while (!isTime()) {
            Work work = Work.next(random);
            int length = work.bytes().length;
            MemorySegment.copy(work.bytes(), 0, out, JAVA_BYTE, 0, length);
            endpoint.transfers().write(local.slice(0, length), remote.slice(work.offset(), length), limit);
            transferred();
            System.arraycopy(expected, 0, before, 0, Work.MEMORY);
            System.arraycopy(work.bytes(), 0, expected, work.offset(), length);
            sum = add(sum, work.addend(), limit);
            transferred();
            length = work.readLength();
            in.fill(UNTOUCHED);
            endpoint.transfers()
                    .read(local.slice(Work.LARGEST, length), remote.slice(work.readOffset(), length), limit);
            byte[] found = in.asSlice(0, length).toArray(JAVA_BYTE);
            judge(Misread.of(found, work.readOffset(), expected, before, UNTOUCHED), work.readOffset());
            transferred();
        }
    }

    private void transferred() {
        transfers++;
        ledger.transferred();
    }

    private void judge(Misread misread, int offset) {
        if (misread == null) {
            return;
        }
        String text = "transfer %d after %d ms: read at offset %d: %s".formatted(transfers, elapsed(), offset, misread);
        if (!mayWithhold || !misread.isUndelivered()) {
            throw new Wrong(text);
        }
        withheld++;
        System.err.println(side + ", seed " + seed + ": " + text);
    }

    /** {@return the sum after the addition} */
    private long add(long sum, long addend, Duration limit) {
        MemoryHandle word = remote.slice(0, Long.BYTES);
        while (true) {
            try {
                long before = endpoint.transfers().fetchAndAdd(word, addend, limit);
                if (before != sum) {
                    throw new Wrong("a sum of " + sum + " was " + before);
                }
                return sum + addend;
            } catch (TransferException e) {
                if (load != Load.FAILOVER && load != Load.LIVES) {
                    throw e;
                }
            }
            // The connection moved meanwhile, and the program must find out whether the operation took effect.
            long now = endpoint.transfers().getLong(word, 0, limit);
            if (now != sum && now != sum + addend) {
                throw new Wrong("a sum of " + sum + ", and " + addend + " perhaps, was " + now);
            }
            if (now != sum) {
                return now;
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
