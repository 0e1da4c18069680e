// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A server whose clients die, one process after the other ({@link Life}): every operation that was reported as done
 * must have taken effect, the ends of its connections must be reported, and nothing may be left. Used by one thread.
 */
final class Lives implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int PINGS = 10;
    /** The first process loads classes and opens files that stay open. It is not killed. */
    private static final int WARM_UP = 1;
    /** The fewest kills, even if the time is too short. */
    private static final int LEAST = 4;
    /** With fewer kills, the memory of a run is not meaningful. */
    private static final int MANY = 50;
    /** How much the heap, and all memory of this process, may grow in the second half. */
    private static final long HEAP_KIB = 2_048;

    private static final long RESIDENT_KIB = 8_192;

    private final Path lines;
    private final EndpointServer either;
    private final EndpointServer failover;
    private final List<Thread> acceptors = new ArrayList<>();
    private final Map<String, Integer> phases = new TreeMap<>();
    private final Map<String, Integer> reports = new TreeMap<>();
    private final List<Long> after = new ArrayList<>();
    private final Socket socket;
    private final BufferedReader answers;
    private final PrintStream orders;
    private long ahead;
    private long nearest = Long.MAX_VALUE;
    private long messages;
    private long transfers;
    private Map<String, Integer> before = Map.of();

    private volatile boolean over;
    // Guarded by this.
    private final List<String> complaints = new ArrayList<>();
    private List<Served> served = new ArrayList<>();

    /** An accepted connection, and what became of it in its thread. */
    private static final class Served {
        private final Endpoint endpoint;
        private final long seed;
        private final int connection;
        private final Thread thread = Thread.ofPlatform().unstarted(this::talk);
        // Read when the thread has ended.
        private Conversation conversation;
        private EndReport report;
        private long taken;
        private long closeMillis;
        private Exception failure;

        Served(Endpoint endpoint) {
            this.endpoint = endpoint;
            byte[] mark = endpoint.peerPrivateData();
            seed = Life.seed(mark);
            connection = Life.connection(mark);
        }

        private void talk() {
            long closing = System.nanoTime();
            try (endpoint) {
                conversation = new Conversation(1, endpoint, Life.orders(seed, connection), new Moves());
                report = conversation.run();
                taken = endpoint.counters().readByPeer();
                closing = System.nanoTime();
            } catch (RuntimeException | InterruptedException e) {
                failure = e;
            }
            closeMillis = (System.nanoTime() - closing) / 1_000_000;
        }

        /** {@return null, with a complaint, if it has none} */
        Death.Survivor survivor(long diedAt, List<String> wrong) {
            if (thread.isAlive() || report == null) {
                wrong.add("connection " + connection + ": "
                        + (thread.isAlive() ? "has not ended: " + List.of(thread.getStackTrace()) : failure));
                return null;
            }
            long failedAt = conversation.begun() + TimeUnit.MILLISECONDS.toNanos(report.failedAtMillis());
            return new Death.Survivor(
                    report,
                    Life.orders(seed, connection).seed() + 2,
                    conversation.memory(),
                    taken,
                    report.failure().isEmpty() ? -1 : (failedAt - diedAt) / 1_000_000,
                    closeMillis);
        }
    }

    /**
     * @param address of this machine
     * @param pool the address of a {@link LifePool}
     * @param lines a file that receives a line for each life
     */
    Lives(InetSocketAddress address, InetSocketAddress pool, Path lines) throws IOException {
        this.lines = lines;
        socket = new Socket(pool.getAddress(), pool.getPort());
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        orders = new PrintStream(socket.getOutputStream(), true);
        either = bind(address, Transport.RDMA_OR_TCP);
        failover = bind(address, Transport.RDMA_WITH_FAILOVER);
    }

    private static EndpointServer bind(InetSocketAddress address, Transport transport) {
        return EndpointServer.bind(address, config -> Life.configure(config, transport));
    }

    /**
     * Runs for this time.
     *
     * @param firstSeed of the first life; each has its own seed
     */
    EndReport run(long firstSeed, long lengthMillis) throws IOException, InterruptedException {
        accept(either);
        accept(failover);
        long begun = System.nanoTime();
        long until = begun + TimeUnit.MILLISECONDS.toNanos(lengthMillis);
        Map<String, Long> halfway = Map.of();
        int lives = 0;
        int counted = 0;
        for (; lives < WARM_UP + LEAST || System.nanoTime() < until; lives++) {
            synchronize();
            live(firstSeed + lives, lives < WARM_UP);
            if (halfway.isEmpty() && System.nanoTime() > begun + (until - begun) / 2) {
                halfway = memory();
                counted = lives;
            }
        }
        String memory = "";
        if (lives - counted >= MANY) {
            Map<String, Long> last = memory();
            memory = "; memory, KiB, at the half and at last: " + halfway + ", " + last;
            if (last.get("heap") > halfway.get("heap") + HEAP_KIB
                    || last.get("RSS") > halfway.get("RSS") + RESIDENT_KIB) {
                complain("grown behind " + counted + " lives" + memory);
            }
        }
        after.sort(null);
        String remark = "%d killed: %s; connections that it ended: %s; after, ms: median %d, 99 %% %d, longest %d%s"
                .formatted(lives - WARM_UP, phases, reports, quantile(50), quantile(99), quantile(100), memory);
        return new EndReport("machine 1", lives, messages, transfers, true, "", 0, complaints(), "", List.of(), remark);
    }

    private long quantile(int percent) {
        return after.isEmpty() ? -1 : after.get((after.size() - 1) * percent / 100);
    }

    private void accept(EndpointServer server) {
        acceptors.add(Thread.ofPlatform().start(() -> {
            while (!over) {
                try {
                    server.accept(LOOK).ifPresent(this::serve);
                } catch (VerbsException | IllegalStateException e) {
                    complain("accept threw " + e);
                    return;
                }
            }
        }));
    }

    private synchronized void complain(String text) {
        complaints.add(text);
    }

    /** {@return the first of them} */
    private synchronized String complaints() {
        return complaints.stream().limit(5).collect(Collectors.joining("; "));
    }

    private synchronized void serve(Endpoint endpoint) {
        Served one = new Served(endpoint);
        served.add(one);
        one.thread.start();
    }

    /** Measures how far the other machine's clock is ahead, from the fastest answer. */
    private void synchronize() throws IOException {
        for (int n = 0; n < PINGS; n++) {
            long asked = System.nanoTime();
            long answer = Long.parseLong(order(LifePool.TIME));
            long took = System.nanoTime() - asked;
            if (took < nearest) {
                nearest = took;
                ahead = answer - (asked + took / 2);
            }
        }
    }

    private String order(String line) throws IOException {
        orders.println(line);
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("machine 2 did not answer: " + line);
        }
        return answer;
    }

    private void live(long seed, boolean first) throws IOException, InterruptedException {
        synchronized (this) {
            served = new ArrayList<>();
        }
        String[] words = order(String.join(
                        "\t",
                        Long.toString(seed),
                        Integer.toString(either.address().getPort()),
                        Integer.toString(failover.address().getPort()),
                        Boolean.toString(first)))
                .split("\t", -1);
        long diedAt = Long.parseLong(words[0]) - ahead;
        List<String> wrong = new ArrayList<>();
        if (!words[1].equals(Integer.toString(128 + Life.SIGKILL))) {
            wrong.add("the process ended with " + words[1]);
        }
        if (!words[2].isEmpty()) {
            wrong.add("the process said " + words[2]);
        }
        if (!words[3].isEmpty()) {
            wrong.add("its kernel has left " + words[3]);
        }
        // When nothing is left, every pending client has been accepted.
        Map<String, Integer> left = first ? Map.of() : Leftovers.since(before, true);
        Map<Integer, Death.Survivor> survivors = survivors(seed, diedAt, wrong);
        if (!left.isEmpty()) {
            left = Leftovers.since(before, true);
        }
        if (!left.isEmpty()) {
            wrong.add("left: " + left);
        }
        if (first) {
            Thread.sleep(LOOK.toMillis());
            before = Leftovers.now(true);
        }
        List<Death> deaths = new ArrayList<>();
        for (int n = 0; n < Life.CONNECTIONS; n++) {
            Ledger.Page page = Ledger.Page.of(Arrays.copyOfRange(words, 4 + 4 * n, 8 + 4 * n));
            deaths.add(new Death(Life.transport(n), page, survivors.get(n)));
        }
        if (!first) {
            count(seed, deaths);
        }
        judge(seed, deaths, wrong);
    }

    /** {@return the ends of the connections by their numbers, each when it has ended} */
    private Map<Integer, Death.Survivor> survivors(long seed, long diedAt, List<String> wrong)
            throws InterruptedException {
        List<Served> all;
        synchronized (this) {
            all = List.copyOf(served);
        }
        Map<Integer, Death.Survivor> survivors = new TreeMap<>();
        for (Served one : all) {
            one.thread.join(Duration.ofMillis(Death.LIMIT_MILLIS));
            Death.Survivor survivor = one.survivor(diedAt, wrong);
            if (one.seed != seed || survivor != null && survivors.put(one.connection, survivor) != null) {
                wrong.add("connection " + one.connection + " of " + one.seed + " was accepted twice or late");
            }
        }
        return survivors;
    }

    /** For the table. */
    private void count(long seed, List<Death> deaths) {
        Ledger.Phase phase = deaths.get(Life.Plan.of(seed).watched()).dead().phase();
        phases.merge(phase.name().toLowerCase(Locale.ROOT), 1, Integer::sum);
        for (Death death : deaths) {
            if (death.survivor() != null) {
                messages += death.survivor().report().received();
                transfers +=
                        death.survivor().report().transfers() + death.dead().transfers();
            }
            if (death.isCutShort()) {
                reports.merge(death.transport() + " " + death.reported(), 1, Integer::sum);
            }
            if (death.isLost()) {
                after.add(death.survivor().afterMillis());
            }
        }
    }

    private void judge(long seed, List<Death> deaths, List<String> wrong) throws IOException {
        StringBuilder line = new StringBuilder("%d\t%s".formatted(seed, Life.Plan.of(seed)));
        for (Death death : deaths) {
            death.complaints().forEach(complaint -> wrong.add(death.transport() + ": " + complaint));
            if (death.dead().phase() != Ledger.Phase.BEFORE) {
                line.append('\t').append(death.line());
            }
        }
        if (!wrong.isEmpty()) {
            complain("life " + seed + ": " + wrong);
        }
        Files.writeString(lines, line + "\t" + wrong + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static Map<String, Long> memory() {
        System.gc();
        SoakSamples.trim();
        return Map.of(
                "heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10, "RSS", (long)
                        SoakSamples.kib("VmRSS"));
    }

    @Override
    public void close() throws IOException {
        over = true;
        for (Thread acceptor : acceptors) {
            try {
                acceptor.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        either.close();
        failover.close();
        socket.close();
    }
}
