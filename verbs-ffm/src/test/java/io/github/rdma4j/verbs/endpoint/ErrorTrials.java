// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.Faults;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Operation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs an operation of an endpoint again and again, each time with an error at the next place. Afterwards either
 * nothing has happened, and the operation can be repeated, or the connection is lost and reports the cause. Loaded by
 * {@link io.github.rdma4j.verbs.FaultyClasses}.
 */
final class ErrorTrials {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MORE = 10;
    private static final int BUFFERS = 4;
    private static final int AT_A_TIME = 8;
    private static final int MOST_WRONG = 3;
    /** Nothing is allocated for them in an operation, where it could meet an error of its own. */
    private static final List<String> TWO = List.of("op0", "op1");

    /** The operations to try. Each one can be repeated if nothing has happened. */
    enum Operation {
        TRY_SEND {
            @Override
            void run(ErrorTrials trial) {
                trial.sent(trial.left.trySend(trial.message("op")), "op");
            }
        },
        TRY_SEND_BUFFER {
            @Override
            void run(ErrorTrials trial) {
                trial.sent(trial.left.trySend(ByteBuffer.wrap(bytes("op"))), "op");
            }
        },
        TRY_SEND_IN_PLACE {
            @Override
            void run(ErrorTrials trial) {
                if (!trial.posted) {
                    trial.memory.segment().asSlice(0, 2).copyFrom(trial.message("op"));
                    trial.sent(trial.left.trySend(7, trial.memory.slice(0, 2)), "op");
                    trial.posted = true;
                }
                trial.awaitTransfer();
            }
        },
        TRY_SEND_ALL {
            @Override
            void run(ErrorTrials trial) {
                int sent = trial.left.trySendAll(List.of(trial.message("op0"), trial.message("op1")));
                for (int i = 0; i < sent; i++) {
                    trial.sent(Endpoint.OK, TWO.get(i));
                }
            }
        },
        SEND {
            @Override
            void run(ErrorTrials trial) {
                trial.sent(trial.left.send(trial.message("op"), PATIENCE) ? Endpoint.OK : 9, "op");
            }
        },
        SEND_ASYNC {
            @Override
            void run(ErrorTrials trial) {
                trial.join(() -> trial.left.sendAsync(trial.message("op")));
                trial.sent(Endpoint.OK, "op");
            }
        },
        CLAIM {
            @Override
            void run(ErrorTrials trial) {
                try (OutgoingMessage message = trial.left.claim(PATIENCE).orElseThrow()) {
                    message.segment().asSlice(0, 2).copyFrom(trial.message("op"));
                    message.send(2);
                }
                trial.sent(Endpoint.OK, "op");
            }
        },
        GIVE_BACK {
            @Override
            void run(ErrorTrials trial) {
                if (trial.claimed == null) {
                    trial.claimed = trial.left.claim(PATIENCE).orElseThrow();
                }
                trial.claimed.close();
            }
        },
        POLL {
            @Override
            void run(ErrorTrials trial) {
                while (trial.got.size() < trial.toCome.size()) {
                    trial.left.poll(trial::take);
                }
            }
        },
        RECEIVE {
            @Override
            void run(ErrorTrials trial) {
                while (trial.got.size() < trial.toCome.size()) {
                    trial.left.receive(PATIENCE).ifPresent(bytes -> trial.got.add(text(bytes)));
                }
            }
        },
        RECEIVE_HANDLER {
            @Override
            void run(ErrorTrials trial) {
                while (trial.got.size() < trial.toCome.size()) {
                    trial.left.receive(trial::take, PATIENCE);
                }
            }
        },
        RECEIVE_HELD {
            @Override
            void run(ErrorTrials trial) {
                while (trial.got.size() < trial.toCome.size()) {
                    if (trial.held == null) {
                        trial.held = trial.left.receiveHeld(PATIENCE).orElseThrow();
                        Faults.inHandler(() -> trial.heldText = text(trial.held.toBytes()));
                    }
                    trial.held.close();
                    trial.got.add(trial.heldText);
                    trial.held = null;
                }
            }
        },
        RECEIVE_ASYNC {
            @Override
            void run(ErrorTrials trial) {
                while (trial.got.size() < trial.toCome.size()) {
                    trial.got.add(text((byte[]) trial.join(trial.left::receiveAsync)));
                }
            }
        },
        TRY_WRITE {
            @Override
            void run(ErrorTrials trial) {
                if (!trial.posted) {
                    trial.require(
                            trial.left.transfers().tryWrite(7, trial.memory.slice(0, 64), trial.handle.slice(0, 64)));
                    trial.posted = true;
                }
                trial.awaitTransfer();
            }
        },
        TRY_READ {
            @Override
            void run(ErrorTrials trial) {
                if (!trial.posted) {
                    trial.require(
                            trial.left.transfers().tryRead(7, trial.memory.slice(0, 64), trial.handle.slice(0, 64)));
                    trial.posted = true;
                }
                trial.awaitTransfer();
            }
        },
        TRY_FETCH_AND_ADD {
            @Override
            void run(ErrorTrials trial) {
                if (!trial.posted) {
                    trial.require(trial.left.transfers().tryFetchAndAdd(7, trial.handle.slice(0, 8), 1));
                    trial.posted = true;
                }
                trial.awaitTransfer();
            }
        },
        WRITE {
            @Override
            void run(ErrorTrials trial) {
                trial.left.transfers().write(trial.memory.slice(0, 64), trial.handle.slice(0, 64), PATIENCE);
            }
        },
        READ_ASYNC {
            @Override
            void run(ErrorTrials trial) {
                trial.join(
                        () -> trial.left.transfers().readAsync(trial.memory.slice(0, 64), trial.handle.slice(0, 64)));
            }
        },
        FETCH_AND_ADD {
            @Override
            void run(ErrorTrials trial) {
                trial.original(trial.left.transfers().fetchAndAdd(trial.handle.slice(0, 8), 1, PATIENCE));
            }
        },
        SERVE {
            @Override
            void run(ErrorTrials trial) {
                while (trial.got.size() < trial.toCome.size()) {
                    trial.left.receive(trial::take, PATIENCE);
                }
                trial.original(trial.asked.join());
            }
        },
        EXPOSE {
            @Override
            void run(ErrorTrials trial) {
                try (ExposedMemory memory = trial.left.expose(4096, REMOTE_READ)) {
                    memory.handle();
                }
            }
        },
        GRANT {
            @Override
            void run(ErrorTrials trial) {
                try (GrantedMemory memory = trial.left.grant(4096, PATIENCE, REMOTE_READ)) {
                    memory.handle();
                }
            }
        },
        CLOSE {
            @Override
            void run(ErrorTrials trial) {
                trial.left.close();
            }
        };

        abstract void run(ErrorTrials trial);

        boolean receives() {
            return name().startsWith("RECEIVE") || this == POLL;
        }
    }

    private final Operation operation;
    private final Ends ends;
    private final Endpoint left;
    private final Endpoint right;
    private final ExposedMemory exposed;
    private final ExposedMemory own;
    private final MemoryHandle handle;
    private final MemoryRegion memory;
    private CompletableFuture<Long> asked;
    private boolean posted;
    /** Kept for the repetition: an error may come after the report. */
    private boolean transferReported;

    private HeldMessage held;
    private String heldText;
    /** The future that the program waits for, once it has it. */
    private CompletableFuture<?> future;
    /** The message that the program gives back. A close that an error has kept from beginning is repeated. */
    private OutgoingMessage claimed;

    /** The messages that were sent and have not failed. */
    private final List<String> sent = new ArrayList<>();
    /** The messages that the left side should receive, and below the ones that it has received. */
    private final List<String> toCome = new ArrayList<>();

    private final List<String> got = new ArrayList<>();
    private final List<String> peerGot = Collections.synchronizedList(new ArrayList<>());
    private volatile Throwable peerEnd;
    private final Thread peer;

    private ErrorTrials(Operation operation, Ends ends) {
        this.operation = operation;
        this.ends = ends;
        left = ends.left();
        right = ends.right();
        exposed = right.expose(4096, REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC);
        own = left.expose(4096, REMOTE_ATOMIC);
        handle = exposed.handle();
        memory = left.allocateMemory(4096);
        peer = new Thread(this::playPeer);
        peer.setDaemon(true);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private String text(Message message) {
        byte[] bytes = new byte[(int) message.length()];
        message.copyTo(ByteBuffer.wrap(bytes));
        return text(bytes);
    }

    private MemorySegment message(String text) {
        return MemorySegment.ofArray(bytes(text));
    }

    private void sent(int code, String text) {
        require(code);
        sent.add(text);
    }

    /** The value of a future, which is asked for again only after a failure. */
    private Object join(Supplier<CompletableFuture<?>> asking) {
        if (future == null || future.isCompletedExceptionally()) {
            future = asking.get();
        }
        Object value = future.join();
        future = null;
        return value;
    }

    private void require(int code) {
        if (code != Endpoint.OK) {
            throw new IllegalStateException("code " + code);
        }
    }

    private void take(Message message) {
        Faults.inHandler(() -> got.add(text(message)));
    }

    private void original(long value) {
        if (value != 0) {
            throw new IllegalStateException("added twice: " + value);
        }
    }

    private void awaitTransfer() {
        while (!transferReported) {
            left.transfers()
                    .awaitTransfers(
                            (id, value, failure) -> {
                                transferReported = true;
                                if (failure != null) {
                                    throw failure;
                                }
                            },
                            PATIENCE);
        }
    }

    private void playPeer() {
        try {
            while (true) {
                right.receive(message -> peerGot.add(text(message)), PATIENCE);
            }
        } catch (Throwable e) {
            peerEnd = e instanceof ClosedByPeerException ? null : e;
        }
    }

    private void prepare() {
        sent(left.trySend(message("first")), "first");
        if (operation.receives()) {
            for (int i = 0; i < 2; i++) {
                right.send(message("in" + i), PATIENCE);
                toCome.add("in" + i);
            }
        }
        if (operation == Operation.SERVE) {
            asked = right.transfers().fetchAndAddAsync(own.handle().slice(0, 8), 1);
            asked.thenRun(() -> right.send(message("served"), PATIENCE));
            toCome.add("served");
        }
        peer.start();
    }

    /** Returns the mistake that remains afterwards, or null. */
    private String verify(Throwable thrown) throws Exception {
        try {
            if (thrown != null) {
                check(thrown);
                if (operation == Operation.CLOSE) {
                    left.close();
                    return null;
                }
                repeat();
            }
            if (operation == Operation.CLOSE) {
                return null;
            }
            for (int i = 0; i < MORE; i++) {
                left.send(message("more" + i), PATIENCE);
                sent.add("more" + i);
                right.send(message("back" + i), PATIENCE);
                toCome.add("back" + i);
                left.receive(PATIENCE).ifPresent(bytes -> got.add(text(bytes)));
            }
            left.transfers().write(memory.slice(0, 64), handle.slice(64, 64), PATIENCE);
            left.sendAsync(message("last")).join();
            sent.add("last");
        } catch (Throwable e) {
            Throwable why = e instanceof CompletionException ? e.getCause() : e;
            if (!(why instanceof ConnectionLostException lost)) {
                return "not the end of the connection: " + stack(why);
            }
            return verifyLoss(lost);
        }
        return verifyGoesOn();
    }

    /** A future that the program already has may also report the error. */
    private void repeat() {
        try {
            operation.run(this);
        } catch (CompletionException e) {
            if (!isOfTest(e.getCause())) {
                throw e;
            }
            future = null;
            operation.run(this);
        }
    }

    private static void check(Throwable thrown) {
        Throwable why = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        if (!isOfTest(why) && !(why instanceof ConnectionLostException)) {
            throw new IllegalStateException("something else was thrown", thrown);
        }
    }

    private static boolean isOfTest(Throwable thrown) {
        return thrown instanceof Error && "of this test".equals(thrown.getMessage());
    }

    private static String stack(Throwable thrown) {
        StringWriter writer = new StringWriter();
        thrown.printStackTrace(new PrintWriter(writer));
        return writer.toString();
    }

    private String verifyLoss(ConnectionLostException lost) throws Exception {
        if (!isOfTest(lost.getCause())) {
            return "the cause is not the error: " + stack(lost);
        }
        left.close();
        peer.join(PATIENCE.toMillis());
        if (!(peerEnd instanceof ConnectionLostException)
                || peerEnd.getMessage().contains("does not keep to")) {
            return "the peer ended with: " + (peerEnd == null ? "nothing" : stack(peerEnd));
        }
        List<String> all = new ArrayList<>(sent);
        return isPrefix(peerGot, all) && isPrefix(got, toCome) ? null : "messages: " + messages();
    }

    /** The operation's own may have arrived though it has failed. */
    private boolean isPrefix(List<String> some, List<String> all) {
        int i = 0;
        for (String one : some) {
            boolean own = one.startsWith("op");
            if (i < all.size() && all.get(i).equals(one)) {
                i++;
            } else if (!own) {
                return false;
            }
        }
        return new HashSet<>(some).size() == some.size();
    }

    private String messages() {
        return "sent %s, arrived %s; to come %s, got %s".formatted(sent, peerGot, toCome, got);
    }

    private String verifyGoesOn() throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (peerGot.size() < sent.size() || !isInOrder()) {
            left.poll(this::take);
            if (System.nanoTime() > end) {
                return "not in order: %s, credits %d and %d, %s"
                        .formatted(
                                messages(),
                                left.protocol.credits().available(),
                                right.protocol.credits().available(),
                                left.protocol.slots().isIdle());
            }
        }
        if (!got.equals(toCome) || !List.copyOf(peerGot).equals(sent)) {
            return "messages: " + messages();
        }
        left.close();
        peer.join(PATIENCE.toMillis());
        return peerEnd == null ? null : "the peer ended with: " + stack(peerEnd);
    }

    /** Everything has ended, and each credit is here or owed by the other side. */
    private boolean isInOrder() {
        return left.protocol.slots().isIdle()
                && left.protocol.slots().claimed() == 0
                && left.protocol.credits().available()
                                + right.protocol.credits().owed()
                        == BUFFERS
                && right.protocol.credits().available()
                                + left.protocol.credits().owed()
                        == BUFFERS;
    }

    /** A trial whose outcome is being looked at. */
    private record Checked(String place, ErrorTrials trial, Future<String> outcome) {
        String wrong() throws InterruptedException {
            try {
                String wrong = outcome.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
                return wrong == null ? null : place + wrong;
            } catch (TimeoutException e) {
                return place + "hangs";
            } catch (ExecutionException e) {
                return place + stack(e.getCause());
            }
        }
    }

    /**
     * Tries an error at each place of one operation.
     *
     * @param transport {@code TCP}, {@code RDMA}, {@code GROUP}, {@code FAILOVER} while RDMA carries it, or {@code
     *     FAILOVER_TO_TCP}
     * @param operationName of {@link Operation}
     * @param step 1 for each place, more for some
     * @param tried receives the number of places
     * @return what was wrong; nothing if all was right
     */
    static List<String> sweep(String transport, String operationName, Faults.Kind kind, int step, int[] tried)
            throws InterruptedException {
        Operation operation = Operation.valueOf(operationName);
        List<String> wrong = new ArrayList<>();
        ArrayDeque<Checked> checked = new ArrayDeque<>();
        try (ExecutorService others = Executors.newCachedThreadPool(
                        Thread.ofPlatform().daemon().factory());
                Pairs pairs = new Pairs(transport)) {
            // All classes are there afterwards.
            try (Ends ends = pairs.open()) {
                ErrorTrials first = new ErrorTrials(operation, ends);
                first.prepare();
                operation.run(first);
            }
            boolean more = true;
            for (int n = 1; more && wrong.size() < MOST_WRONG; n += step) {
                ErrorTrials trial = new ErrorTrials(operation, pairs.open());
                trial.prepare();
                Throwable thrown = null;
                Error fault;
                Faults.arm(kind, n);
                try {
                    operation.run(trial);
                } catch (Throwable e) {
                    thrown = e;
                } finally {
                    fault = Faults.disarm();
                }
                more = fault != null;
                if (more) {
                    tried[0]++;
                }
                Throwable outcome = thrown;
                String place = "%s over %s, %s %d: thrown %s\nfault %s\n"
                        .formatted(operation, transport, kind, n, thrown, fault == null ? "" : stack(fault));
                checked.add(new Checked(place, trial, others.submit(() -> trial.verify(outcome))));
                while (checked.size() > (more ? AT_A_TIME : 0)) {
                    Checked oldest = checked.remove();
                    String failure = oldest.wrong();
                    if (failure != null) {
                        wrong.add(failure);
                    }
                    oldest.trial.ends.close();
                }
            }
            return wrong;
        }
    }

    /** Where connections come from: one server for each transport. */
    private static final class Pairs implements AutoCloseable {
        private final EndpointServer server;
        private final Consumer<EndpointConfig> ofClients;
        private final boolean awaitsRdma;

        Pairs(String transport) {
            boolean grouped = transport.equals("GROUP");
            EndpointGroup clients = grouped ? EndpointGroup.open(4 * AT_A_TIME) : null;
            EndpointGroup accepted = grouped ? EndpointGroup.open(4 * AT_A_TIME) : null;
            awaitsRdma = transport.equals("FAILOVER");
            Transport way = switch (transport) {
                case "TCP" -> Transport.TCP;
                case "FAILOVER", "FAILOVER_TO_TCP" -> Transport.RDMA_WITH_FAILOVER;
                default -> Transport.RDMA;
            };
            boolean loopback = transport.endsWith("TCP");
            ofClients = config -> small(config, way, clients);
            server = EndpointServer.bind(
                    loopback ? TcpPair.ANY_PORT : CmTestNet.ipv4(), config -> small(config, way, accepted));
        }

        private static void small(EndpointConfig config, Transport transport, EndpointGroup group) {
            config.receiveBuffers(BUFFERS)
                    .sendDepth(4)
                    .maxMessageSize(200)
                    .spinLimit(Duration.ZERO)
                    .transport(transport);
            if (group != null) {
                config.group(group);
            }
        }

        Ends open() {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            Endpoint client = Endpoint.connect(server.address(), ofClients, PATIENCE);
            Endpoint atServer = accepted.join();
            if (awaitsRdma) {
                EndpointPair.awaitRdma(client, atServer);
            }
            return new Ends() {
                @Override
                public Endpoint left() {
                    return client;
                }

                @Override
                public Endpoint right() {
                    return atServer;
                }

                @Override
                public void close() {
                    client.abort();
                    atServer.abort();
                }
            };
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
