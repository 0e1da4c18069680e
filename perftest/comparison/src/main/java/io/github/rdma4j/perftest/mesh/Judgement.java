// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.result.HostGpu;
import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import io.github.rdma4j.perftest.figures.HeatScale;
import io.github.rdma4j.perftest.mesh.MeshFinding.Kind;
import io.github.rdma4j.perftest.mesh.Outliers.Cell;
import io.github.rdma4j.perftest.mesh.Rounds.Pair;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Judges a mesh: names the hosts and links that stand out, and the missing ones. */
final class Judgement {
    /** A figure of a good host varies less than that. */
    private static final double FACTOR = 1.25;

    /** Other programs and a busy host also make a port send packets again. */
    private static final double LOSS_FACTOR = 10;

    /** As in doctor, fewer than one lost packet in a thousand messages has little effect. */
    private static final long MESSAGES_PER_LOSS = 1000;

    private static final String DOCTOR_PAIR =
            "run rdma4j doctor --serve on one of them and rdma4j doctor --peer on the other; look at cable, switch ports"
                    + " and routes between them";
    private static final String DOCTOR_HOST =
            "run rdma4j doctor on it, and compare its PCIe link, cable, CPU frequency and load with another host's";

    private static final String DOCTOR_GPU = "run rdma4j doctor --gpu there";

    private final MeshResult result;
    private final List<MeshFinding> findings = new ArrayList<>();

    private Judgement(MeshResult result) {
        this.result = result;
    }

    /** Returns the findings, the most severe ones first. */
    static List<MeshFinding> of(MeshResult result) {
        Judgement judgement = new Judgement(result);
        judgement.missing();
        judgement.failed();
        judgement.gpus();
        judgement.outliers();
        judgement.findings.sort(Comparator.comparing(MeshFinding::kind)
                .thenComparing(each -> each.ranks().getFirst()));
        return List.copyOf(judgement.findings);
    }

    /**
     * Returns the findings of a mesh in which links that stand out were measured again, alone. Their better figures can
     * only clear them: beside them, pairs that were measured at the same time as others would look slow.
     *
     * @param first the mesh before
     * @param confirmed the mesh afterwards
     */
    static List<MeshFinding> of(MeshResult first, MeshResult confirmed) {
        List<List<Integer>> known = of(first).stream().map(MeshFinding::ranks).toList();
        return of(confirmed).stream()
                .filter(each -> each.kind() == Kind.HOST_MISSING || known.contains(each.ranks()))
                .toList();
    }

    /** Returns the links that stand out by their figures, and are worth another measurement; at most one per host. */
    static List<Pair> suspects(MeshResult result) {
        return of(result).stream()
                .filter(each -> each.kind() == Kind.LINK_SLOW || each.kind() == Kind.LINK_LOSSY)
                .map(each -> new Pair(each.ranks().get(0), each.ranks().get(1)))
                .limit(result.hosts().size())
                .toList();
    }

    private String host(int rank) {
        return result.hosts().get(rank).name();
    }

    private String link(Pair pair) {
        return "link " + host(pair.a()) + "–" + host(pair.b());
    }

    private boolean isGone(int rank) {
        return result.hosts().get(rank).failure() != null;
    }

    private void missing() {
        for (int rank = 0; rank < result.hosts().size(); rank++) {
            if (isGone(rank)) {
                findings.add(new MeshFinding(
                        Kind.HOST_MISSING,
                        List.of(rank),
                        "host " + host(rank) + ": " + result.hosts().get(rank).failure(),
                        "look at what it printed, and whether it still runs"));
            }
        }
    }

    private void failed() {
        List<PairResult> failed = result.pairs().stream()
                .filter(pair -> pair.failure() != null)
                .filter(pair -> !isGone(pair.pair().a()) && !isGone(pair.pair().b()))
                .collect(Collectors.toCollection(ArrayList::new));
        Map<Integer, List<PairResult>> ofHost = new TreeMap<>();
        for (PairResult each : failed) {
            for (int rank : List.of(each.pair().a(), each.pair().b())) {
                ofHost.computeIfAbsent(rank, _ -> new ArrayList<>()).add(each);
            }
        }
        List<Integer> byFailures = ofHost.keySet().stream()
                .sorted(Comparator.comparing((Integer rank) -> -ofHost.get(rank).size()))
                .toList();
        for (int rank : byFailures) {
            List<PairResult> own =
                    ofHost.get(rank).stream().filter(failed::contains).toList();
            long measured = result.pairs().stream()
                    .filter(pair -> pair.failure() == null)
                    .filter(pair -> pair.pair().a() == rank || pair.pair().b() == rank)
                    .count();
            if (measured == 0 && own.size() > 1) {
                findings.add(new MeshFinding(
                        Kind.HOST_UNREACHABLE,
                        List.of(rank),
                        "host " + host(rank) + ": none of its pairs could be measured: "
                                + own.getFirst().failure(),
                        DOCTOR_HOST));
                failed.removeAll(own);
            }
        }
        for (PairResult each : failed) {
            boolean lossy = isLossy(each) && each.lost() >= LOSS_FACTOR;
            findings.add(new MeshFinding(
                    lossy ? Kind.LINK_LOSSY : Kind.LINK_FAILED,
                    List.of(each.pair().a(), each.pair().b()),
                    link(each.pair())
                            + (lossy
                                    ? ": it loses packets: " + counters(each) + "; then a run failed: "
                                    : ": it could not be measured: ")
                            + each.failure(),
                    lossy ? CounterMeaning.LOSS.remedy() : DOCTOR_PAIR));
        }
    }

    /** Hosts without GPU memory, or whose adapter does not reach it, by the reason that they share. */
    private void gpus() {
        Map<String, List<Integer>> reasons = new LinkedHashMap<>();
        for (int rank = 0; rank < result.hosts().size(); rank++) {
            HostGpu gpu = result.hosts().get(rank).gpu();
            if (gpu != null && (!gpu.isUsable() || gpu.isStagedForLackOfBetter())) {
                String what = gpu.isUsable() ? "GPU memory is staged in host memory: " : "no GPU memory was measured: ";
                reasons.computeIfAbsent(what + gpu.reason(), _ -> new ArrayList<>())
                        .add(rank);
            }
        }
        reasons.forEach((reason, ranks) -> findings.add(new MeshFinding(
                Kind.HOST_GPU,
                ranks,
                (ranks.size() == 1 ? "host " : "hosts ")
                        + ranks.stream().map(this::host).collect(Collectors.joining(", ")) + ": " + reason,
                DOCTOR_GPU)));
    }

    private static boolean isLossy(PairResult pair) {
        return pair.lost() * MESSAGES_PER_LOSS > pair.messages();
    }

    /** What stands out in the figures, by the hosts that it is about. */
    private void outliers() {
        Outliers losses = new Outliers(losses(), LOSS_FACTOR);
        Map<Probe, Outliers> figures = new EnumMap<>(Probe.class);
        for (Probe probe : Probe.values()) {
            if (!probe.isBack()) {
                figures.put(probe, new Outliers(cells(probe.directions()), FACTOR));
            }
        }
        hosts(losses, figures);
        links(losses, figures);
    }

    /** Returns the cells of probes with one metric, as costs: of a bandwidth, its reciprocal. */
    private List<Cell> cells(Set<Probe> probes) {
        List<Cell> cells = new ArrayList<>();
        for (PairResult each : result.pairs()) {
            for (Probe probe : probes) {
                double best = each.best(probe);
                if (!Double.isNaN(best)) {
                    double badness = probe.metric().lowerIsBetter() ? best : 1 / best;
                    cells.add(
                            probe.isBack()
                                    ? new Cell(each.pair().b(), each.pair().a(), badness)
                                    : new Cell(each.pair().a(), each.pair().b(), badness));
                }
            }
        }
        return cells;
    }

    /** One more than the losses, so that links without loss have a median; few losses count as none. */
    private List<Cell> losses() {
        return result.pairs().stream()
                .filter(each -> each.failure() == null)
                .map(each -> new Cell(each.pair().a(), each.pair().b(), isLossy(each) ? each.lost() + 1.0 : 1.0))
                .toList();
    }

    private void hosts(Outliers losses, Map<Probe, Outliers> figures) {
        Map<Integer, List<String>> slow = new TreeMap<>();
        Map<Integer, Set<Outliers.Side>> sides = new TreeMap<>();
        Set<Integer> slowInHostMemory = new TreeSet<>();
        figures.forEach((probe, outliers) -> outliers.hosts().forEach(each -> {
            slow.computeIfAbsent(each.rank(), _ -> new ArrayList<>()).add(figures(probe, each.median(), each.others()));
            sides.computeIfAbsent(each.rank(), _ -> EnumSet.noneOf(Outliers.Side.class))
                    .add(probe.tool().isLatency() ? Outliers.Side.BOTH : each.side());
            if (!probe.isGpu()) {
                slowInHostMemory.add(each.rank());
            }
        }));
        slow.forEach((rank, words) -> findings.add(new MeshFinding(
                Kind.HOST_SLOW,
                List.of(rank),
                "host " + host(rank) + ": "
                        + switch (sides.get(rank).size() > 1
                                ? Outliers.Side.BOTH
                                : sides.get(rank).iterator().next()) {
                            case BOTH -> "all its pairs are slow";
                            case SENDS -> "all that it sends is slow";
                            case RECEIVES -> "all that it receives is slow";
                        }
                        + ": " + String.join("; ", words),
                slowInHostMemory.contains(rank) ? DOCTOR_HOST : DOCTOR_GPU)));
        losses.hosts()
                .forEach(each -> findings.add(new MeshFinding(
                        Kind.HOST_LOSSY,
                        List.of(each.rank()),
                        "host " + host(each.rank()) + ": all its pairs lose packets",
                        CounterMeaning.LOSS.remedy())));
    }

    private void links(Outliers losses, Map<Probe, Outliers> figures) {
        Map<Pair, List<String>> slow = new LinkedHashMap<>();
        figures.forEach((probe, outliers) -> {
            Map<Pair, List<Outliers.Link>> directions = new LinkedHashMap<>();
            outliers.links()
                    .forEach(each -> directions
                            .computeIfAbsent(pair(each), _ -> new ArrayList<>())
                            .add(each));
            directions.forEach((pair, ways) ->
                    slow.computeIfAbsent(pair, _ -> new ArrayList<>()).add(words(probe, ways)));
        });
        TreeSet<Pair> lossy = new TreeSet<>(Comparator.comparing(Pair::a).thenComparing(Pair::b));
        losses.links().forEach(each -> lossy.add(pair(each)));
        for (Pair pair : lossy) {
            findings.add(new MeshFinding(
                    Kind.LINK_LOSSY,
                    List.of(pair.a(), pair.b()),
                    link(pair) + ": it loses packets: " + counters(result(pair))
                            + slow.getOrDefault(pair, List.of()).stream()
                                    .map(words -> "; " + words)
                                    .collect(Collectors.joining()),
                    CounterMeaning.LOSS.remedy()));
            slow.remove(pair);
        }
        // The failure names the link already.
        slow.keySet().removeIf(pair -> result(pair).failure() != null);
        slow.forEach((pair, words) -> findings.add(new MeshFinding(
                Kind.LINK_SLOW,
                List.of(pair.a(), pair.b()),
                link(pair) + ": " + String.join("; ", words),
                DOCTOR_PAIR)));
    }

    private PairResult result(Pair pair) {
        return result.pairs().stream()
                .filter(each -> each.pair().equals(pair))
                .findFirst()
                .orElseThrow();
    }

    private static String counters(PairResult pair) {
        return new TreeMap<>(pair.losses())
                        .entrySet().stream()
                                .map(each -> String.format(Locale.ROOT, "%s +%,d", each.getKey(), each.getValue()))
                                .collect(Collectors.joining(", "))
                + String.format(Locale.ROOT, ", in %,d messages", pair.messages());
    }

    private static Pair pair(Outliers.Link link) {
        return Pair.of(link.cell().from(), link.cell().to());
    }

    private String words(Probe probe, List<Outliers.Link> ways) {
        Outliers.Link worst = ways.stream()
                .max(Comparator.comparing(way -> way.cell().badness()))
                .orElseThrow();
        String figures = figures(probe, worst.cell().badness(), worst.others());
        if (probe.tool().isLatency()) {
            return figures;
        }
        return figures
                + (ways.size() > 1
                        ? ", in both directions"
                        : ", from " + host(worst.cell().from()) + " to "
                                + host(worst.cell().to()));
    }

    private static String figures(Probe probe, double badness, double others) {
        boolean lower = probe.metric().lowerIsBetter();
        String unit = lower ? "usec" : "MiB/s";
        return "%s %s %s, median of the others %s"
                .formatted(
                        probe.key(),
                        HeatScale.number(lower ? badness : 1 / badness),
                        unit,
                        HeatScale.number(lower ? others : 1 / others));
    }
}
