// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One legitimate client of a server that another process attacks ({@link Attack}). The client sends words and waits for
 * their echoes, first without and then with the attack, and must not become slower than five times. Other legitimate
 * clients must be able to connect during the attack.
 */
final class Crowd {
    private static final int TIMES = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long CALM_MILLIS = 2_000;
    /** The attack loads its classes first. */
    private static final long NEWCOMER_MILLIS = 1_000;

    private final InetSocketAddress server;
    private final Peer.Orders orders;
    private final List<String> complaints = new ArrayList<>();
    private final List<Long> connects = new ArrayList<>();
    private long words;

    Crowd(InetSocketAddress server, Peer.Orders orders) {
        this.server = server;
        this.orders = orders;
    }

    EndReport run() throws IOException, InterruptedException {
        long[] calm;
        long[] beset;
        String attacked;
        try (Endpoint good = connect()) {
            latencies(good, CALM_MILLIS / 2); // compiles
            calm = latencies(good, CALM_MILLIS);
            Process attack = attack();
            try {
                attacked = attack.inputReader().readLine(); // it has begun
                long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(orders.lengthMillis());
                long[] all = {};
                while (System.nanoTime() < until) {
                    long[] more = latencies(good, NEWCOMER_MILLIS);
                    all = Arrays.copyOf(all, all.length + more.length);
                    System.arraycopy(more, 0, all, all.length - more.length, more.length);
                    newcomer();
                }
                beset = all;
                attack.outputWriter().close(); // its end
                attacked = attack.inputReader().readLine();
                attack.waitFor(20, TimeUnit.SECONDS);
                if (attacked == null) {
                    complaints.add("the attack ended before its time");
                }
            } finally {
                attack.destroyForcibly();
            }
            Arrays.sort(beset);
            if (quantile(beset, 50) > TIMES * quantile(calm, 50)) {
                complaints.add("the good client took " + quantile(beset, 50) + " us and not " + quantile(calm, 50));
            }
            newcomer();
            echo(good, CrowdServer.LAST);
        } catch (VerbsException e) {
            return report(e.getClass().getSimpleName() + ": " + e.getMessage(), "");
        }
        return report(
                "",
                "%s; echo, us: alone %d, beset %d (99 %%: %d, %d); connect, ms: at most %d of %d"
                        .formatted(
                                attacked,
                                quantile(calm, 50),
                                quantile(beset, 50),
                                quantile(calm, 99),
                                quantile(beset, 99),
                                connects.stream()
                                        .mapToLong(Long::longValue)
                                        .max()
                                        .orElse(-1),
                                connects.size()));
    }

    private EndReport report(String failure, String remark) {
        return new EndReport(
                "machine 1",
                words,
                words,
                connects.size(),
                failure.isEmpty() && complaints.isEmpty(),
                failure,
                0,
                String.join("; ", complaints),
                "",
                List.of(),
                remark);
    }

    private Endpoint connect() {
        return Endpoint.connect(
                server, config -> CrowdServer.configure(config.transport(Transport.RDMA_OR_TCP)), PATIENCE);
    }

    /** Connects one more legitimate client. */
    private void newcomer() {
        long started = System.nanoTime();
        try (Endpoint endpoint = connect()) {
            connects.add((System.nanoTime() - started) / 1_000_000);
            echo(endpoint, new byte[] {1, 2, 3});
        } catch (VerbsException e) {
            complaints.add("another good client: " + e.getMessage());
        }
    }

    private void echo(Endpoint endpoint, byte[] word) {
        endpoint.send(word, PATIENCE);
        byte[] answer = endpoint.receive(PATIENCE).orElse(new byte[0]);
        if (!Arrays.equals(answer, word)) {
            complaints.add("an echo of " + answer.length + " bytes of " + word.length);
        }
        words++;
    }

    /** {@return how long each echo took, in microseconds, sorted} */
    private long[] latencies(Endpoint endpoint, long millis) {
        List<Long> times = new ArrayList<>();
        byte[] word = new byte[64];
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < until && complaints.isEmpty()) {
            long started = System.nanoTime();
            echo(endpoint, word);
            times.add((System.nanoTime() - started) / 1_000);
        }
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    private static long quantile(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(int) ((long) (sorted.length - 1) * percent / 100)];
    }

    /**
     * Starts the attack with low priority, so that the client keeps its CPU time on this machine: the server is the
     * target.
     */
    private Process attack() throws IOException {
        // Each of its connections needs a file descriptor, and there are more than a process may have by default.
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 30000; exec nice -n 19 \"$@\"", "sh"));
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                Attack.class.getName(),
                orders.load().name(),
                server.getAddress().getHostAddress(),
                Integer.toString(server.getPort()),
                Long.toString(orders.seed())));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
