// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.peer.RemoteServers;
import io.github.rdma4j.perftest.compare.peer.Rendezvous;
import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.runner.ServerProgram;
import io.github.rdma4j.perftest.compare.runner.Serving;
import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import io.github.rdma4j.perftest.doctor.pair.CounterGrowth;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.mesh.MeshResult.Host;
import io.github.rdma4j.perftest.mesh.Rounds.Pair;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.talk.PeerLostException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Measures all pairs, as rank 0. It has a result at any time, also while it runs. */
final class MeshSession implements AutoCloseable {
    /** A round's line names its pairs only if they are few. */
    private static final int NAMED_PAIRS = 4;

    private final Job job;
    private final MeshPlan plan;
    private final MeshProgress progress;
    private final Instant started = Instant.now();
    private final long begin = System.nanoTime();
    private final List<Host> hosts = new ArrayList<>();
    private final List<RemoteServers> servers = new ArrayList<>();
    private final List<PairResult> pairs = new ArrayList<>();

    MeshSession(Job job, MeshPlan plan, MeshProgress progress) {
        this.job = job;
        this.plan = plan;
        this.progress = progress;
        job.hosts().forEach(name -> hosts.add(new Host(name, "it has not arrived yet")));
    }

    /**
     * Waits for the hosts. Those that do not arrive are left out.
     *
     * @throws PerftestException when fewer than two hosts can take part
     */
    void meet(Rendezvous rendezvous) {
        int ranks = job.hosts().size();
        progress.step("waiting for " + ranks + " hosts on TCP port " + rendezvous.port());
        Rendezvous.Arrival[] arrivals =
                rendezvous.await(plan.arrival(), here -> progress.step(here + " of " + ranks + " hosts have arrived"));
        synchronized (this) {
            for (int rank = 0; rank < ranks; rank++) {
                Host host = host(rank, arrivals[rank]);
                hosts.set(rank, host);
                servers.add(arrivals[rank] == null ? null : arrivals[rank].servers());
                if (host.failure() != null) {
                    progress.line(host.name() + ": " + host.failure() + "; the others go on without it");
                } else if (host.gpu() != null && !host.hasGpu()) {
                    progress.line(host.name() + ": no GPU memory: " + host.gpu().reason());
                }
            }
        }
        List<Integer> present = result(RunState.COMPLETE).present();
        if (present.size() < 2) {
            // Of those that have arrived, each has a line with its reason.
            throw new RunFailedException(
                    present.size() + " of " + ranks + " hosts can take part; a mesh needs two",
                    Arrays.asList(arrivals).contains(null)
                            ? "start the command on all hosts, see that they reach %s, and give --arrival more time"
                                    .formatted(job.server())
                            : "");
        }
    }

    private Host host(int rank, Rendezvous.Arrival arrival) {
        String listed = job.hosts().get(rank);
        if (arrival == null) {
            return new Host(listed, "it did not arrive within " + plan.arrival().toSeconds() + " s");
        }
        String name = listed.startsWith("rank ") && !arrival.host().isEmpty() ? arrival.host() : listed;
        if (arrival.servers() == null) {
            return new Host(name, arrival.failure());
        }
        RemoteServers remote = arrival.servers();
        return new Host(
                name,
                remote.host(),
                remote.machine().environment().device(),
                null,
                plan.gpu().isEmpty() ? null : remote.machine().gpu());
    }

    /** Measures all pairs of the hosts that have arrived. */
    void measure() {
        List<List<Pair>> rounds = Rounds.of(result(RunState.COMPLETE).present());
        boolean software = software();
        long first = System.nanoTime();
        for (int i = 0; i < rounds.size(); i++) {
            List<Pair> round = rounds.get(i);
            String title = "round " + (i + 1) + " of " + rounds.size();
            progress.step(title);
            long start = System.nanoTime();
            measure(round, software);
            long took = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            long left = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - first) / (i + 1) * (rounds.size() - i - 1);
            progress.line(title + ": " + names(round) + ", " + took + " s"
                    + (i + 1 < rounds.size() ? "; about " + left + " s left" : ""));
        }
    }

    /**
     * Measures pairs once more, one after the other while all others are idle: their best runs then count, and chance
     * and congestion no longer look like a bad link.
     */
    void confirm(List<Pair> suspects) {
        for (Pair pair : suspects) {
            String title = name(pair) + " stands out";
            progress.step(title + ": measuring it again");
            PairResult again = measure(pair, software());
            synchronized (this) {
                pairs.replaceAll(each -> each.pair().equals(pair) ? each.with(again) : each);
            }
            progress.line(title + ", and was measured again");
        }
    }

    private boolean software() {
        return servers.stream()
                .anyMatch(each -> each != null && each.machine().environment().softwareDevice());
    }

    private String names(List<Pair> round) {
        return round.size() > NAMED_PAIRS
                ? round.size() + " pairs"
                : round.stream().map(this::name).collect(Collectors.joining(", "));
    }

    private String name(Pair pair) {
        return hosts.get(pair.a()).name() + "–" + hosts.get(pair.b()).name();
    }

    /** Measures the pairs of a round at the same time. */
    private void measure(List<Pair> round, boolean software) {
        List<Thread> threads = round.stream()
                .map(pair -> Thread.ofPlatform()
                        .daemon()
                        .name("rdma4j-mesh-" + pair.a() + "-" + pair.b())
                        .start(() -> keep(measure(pair, software))))
                .toList();
        try {
            for (Thread thread : threads) {
                // Each order of a pair has a timeout.
                thread.join();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new RunFailedException("interrupted while pairs were measured", "");
        }
    }

    private synchronized void keep(PairResult result) {
        pairs.add(result);
        if (result.failure() != null) {
            progress.line(name(result.pair()) + ": " + result.failure());
        }
    }

    private PairResult measure(Pair pair, boolean software) {
        Map<Probe, List<Double>> figures = new EnumMap<>(Probe.class);
        Map<String, Long> losses = new TreeMap<>();
        long messages = 0;
        String failure = null;
        try {
            Map<String, Long> beforeA = counters(pair.a());
            Map<String, Long> beforeB = counters(pair.b());
            try {
                for (Probe probe : probes(pair)) {
                    for (int i = 0; i < plan.repeats(); i++) {
                        RunOrder order = order(pair, probe, software);
                        figures.computeIfAbsent(probe, _ -> new ArrayList<>()).add(run(pair, probe, order));
                        messages += order.messages();
                    }
                }
            } catch (PerftestException reason) {
                failure = reason.getMessage();
            }
            losses.putAll(CounterGrowth.between(beforeA, counters(pair.a())));
            CounterGrowth.between(beforeB, counters(pair.b()))
                    .forEach((name, count) -> losses.merge(name, count, Long::sum));
        } catch (PerftestException lost) {
            failure = failure == null ? lost.getMessage() : failure;
        }
        return new PairResult(pair, figures, losses, messages, failure);
    }

    private List<Probe> probes(Pair pair) {
        boolean gpus = hosts.get(pair.a()).hasGpu() && hosts.get(pair.b()).hasGpu();
        return Arrays.stream(Probe.values())
                .filter(probe -> gpus || !probe.isGpu())
                .toList();
    }

    private RemoteServers remote(int rank) {
        String failure = hosts.get(rank).failure();
        if (failure != null) {
            throw new RunFailedException(hosts.get(rank).name() + " has gone: " + failure, "");
        }
        return servers.get(rank);
    }

    /** Returns the counters of a host's port that mean lost packets; finds out whether the host is still there. */
    private Map<String, Long> counters(int rank) {
        try {
            return remote(rank).counters().entrySet().stream()
                    .filter(counter -> CounterMeaning.of(counter.getKey())
                            .filter(CounterMeaning.LOSS::equals)
                            .isPresent())
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        } catch (PeerLostException failure) {
            lose(rank, failure.getMessage());
            throw failure;
        }
    }

    private synchronized void lose(int rank, String reason) {
        Host host = hosts.get(rank);
        if (host.failure() == null) {
            hosts.set(rank, new Host(host.name(), host.address(), host.device(), reason, host.gpu()));
            progress.line(host.name() + ": " + reason + "; the others go on without it");
        }
    }

    private RunOrder order(Pair pair, Probe probe, boolean software) {
        int server = probe.isBack() ? pair.a() : pair.b();
        return plan.order(probe, software, remote(server).freePort(), false);
    }

    /** Runs a test, and returns its figure. */
    private double run(Pair pair, Probe probe, RunOrder order) {
        int client = probe.isBack() ? pair.b() : pair.a();
        int server = probe.isBack() ? pair.a() : pair.b();
        InetAddress address = address(server, client);
        RunOrder run = order.overIpv6(address instanceof Inet6Address);
        Deadline deadline = Deadline.in(Duration.ofSeconds(plan.timeoutSeconds()));
        try (Serving serving = remote(server).serve(ServerProgram.JAVA, run, deadline)) {
            double figure;
            try {
                figure = figure(client, probe, remote(client).measure(run, address.getHostAddress()));
            } catch (PerftestException failure) {
                String complaint = serving.complaint();
                throw complaint.isEmpty()
                        ? failure
                        : new RunFailedException(failure.getMessage() + "; its server: " + complaint, failure.remedy());
            }
            serving.finish(Deadline.in(Duration.ofSeconds(plan.timeoutSeconds())));
            return figure;
        }
    }

    private double figure(int client, Probe probe, Map<Metric, Double> figures) {
        Double figure = figures.get(probe.metric());
        if (figure == null) {
            throw new RunFailedException(
                    hosts.get(client).name() + " has sent no " + probe.metric().key() + " of "
                            + probe.tool().command(),
                    "run " + probe.tool().command() + " between the two hosts, and read what it prints");
        }
        return figure;
    }

    /** Returns the address by which one host reaches another one. */
    private InetAddress address(int of, int from) {
        // Rank 0 has connected to itself: only the others know its address.
        return of == 0 ? servers.get(from).localAddress() : servers.get(of).remoteAddress();
    }

    /** Returns what has been measured so far. */
    synchronized MeshResult result(RunState state) {
        Environment environment = servers.isEmpty() || servers.getFirst() == null
                ? null
                : servers.getFirst().machine().environment();
        return new MeshResult(
                started, (System.nanoTime() - begin) / 1e9, job.launcher(), environment, plan, hosts, pairs, state);
    }

    /** Ends the commands of the hosts. */
    @Override
    public void close() {
        servers.stream().filter(each -> each != null).forEach(RemoteServers::close);
    }

    /** Reports to the hosts that the mesh is incomplete. */
    void abort(String reason) {
        servers.stream().filter(each -> each != null).forEach(each -> each.abort(reason));
    }
}
