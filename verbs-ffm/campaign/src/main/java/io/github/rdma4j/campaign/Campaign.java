// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Runs scenarios in a random order with a seed, until the time has passed and each has been run.
 *
 * <p>Arguments: {@code run FILE SEED SECONDS [SCENARIO|LOAD]…} on both machines, adds a line to FILE for each run;
 * {@code list} and {@code list deadly} print the names of scenarios; {@code table FILE} prints the table, and its exit
 * status is 1 if a run failed. {@code ends FILE SEED SECONDS} runs the scenarios that need no privileges with two
 * processes of one machine: peers that are killed and stopped. It does not change the wire. It runs each fault at
 * most once, and begins none after SECONDS except the first.
 *
 * <p>Both processes find the secret of their orders in {@code RDMA4J_SECRET}.
 */
final class Campaign {
    private static final int EARLIEST_FAULT = 700;
    static final int LATEST_FAULT = 2_000;

    private final Path file;
    private final long seed;
    /** Whether the wire and its devices are ours to spoil. */
    private final boolean ownsWire;

    private final Remote remote;

    private final int machine = Integer.parseInt(System.getenv().getOrDefault("RDMA4J_MACHINE", "0"));

    private Campaign(Path file, long seed, boolean ownsWire) throws IOException {
        this.file = file;
        this.seed = seed;
        this.ownsWire = ownsWire;
        remote = new Remote(agent(ownsWire, System.getenv("RDMA4J_ADDRESS_2")), secret());
    }

    /** {@return where machine 2 listens for orders: if it is this machine, no other one can connect} */
    static InetSocketAddress agent(boolean ownsWire, String address2) throws IOException {
        return new InetSocketAddress(
                ownsWire ? InetAddress.getByName(address2) : InetAddress.getLoopbackAddress(), Agent.PORT);
    }

    private static String secret() {
        String secret = System.getenv("RDMA4J_SECRET");
        if (secret == null || secret.isBlank()) {
            throw new IllegalStateException("RDMA4J_SECRET is not set");
        }
        return secret;
    }

    public static void main(String... arguments) throws Exception {
        switch (arguments[0]) {
            case "list" ->
                Scenarios.all().stream()
                        .filter(scenario -> isDeadly(scenario) == (arguments.length > 1))
                        .forEach(scenario -> System.out.println(scenario.name()));
            case "table" -> {
                List<Run> runs = Table.read(Path.of(arguments[1]));
                System.out.print(Table.of(runs));
                System.exit(runs.stream().anyMatch(Run::failed) ? 1 : 0);
            }
            default -> {
                Campaign campaign =
                        new Campaign(Path.of(arguments[1]), Long.parseLong(arguments[2]), !arguments[0].equals("ends"));
                if (campaign.machine == 2) {
                    try (Agent agent =
                            new Agent(agent(campaign.ownsWire, System.getenv("RDMA4J_ADDRESS_2")), secret())) {
                        agent.serve();
                    }
                } else {
                    campaign.run(
                            Long.parseLong(arguments[3]), List.of(arguments).subList(4, arguments.length));
                }
                System.exit(0); // whatever a run has left
            }
        }
    }

    private static boolean isDeadly(Scenario scenario) {
        return scenario.fault().kind() == Fault.Kind.DEADLY;
    }

    /** {@return whether the scenario or its load is named} */
    private static boolean isWanted(Scenario scenario, List<String> names) {
        return names.contains(scenario.name())
                || !isDeadly(scenario)
                        && (names.isEmpty() || names.contains(scenario.load().label()));
    }

    /** @param names of scenarios and loads; all, if there are none */
    private void run(long seconds, List<String> names) throws IOException, InterruptedException {
        Leftovers.openJars();
        if (ownsWire) {
            Stage.openOnce(InetAddress.getByName(System.getenv("RDMA4J_ADDRESS_1")));
        }
        List<Scenario> scenarios = Stream.concat(
                        Scenarios.all().stream(), Scenarios.soak(names, TimeUnit.SECONDS.toMillis(seconds)).stream())
                .filter(scenario -> isWanted(scenario, names))
                .map(scenario -> names.size() == 1 && scenario.load() == Load.LIVES
                        ? scenario.lasting(TimeUnit.SECONDS.toMillis(seconds))
                        : scenario)
                .filter(scenario -> ownsWire || scenario.fitsOneMachine())
                .toList();
        if (scenarios.isEmpty()) {
            throw new IllegalArgumentException("no scenario of " + names);
        }
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long runSeed = seed;
        Set<Load> warm = EnumSet.noneOf(Load.class);
        do {
            List<Scenario> order = new ArrayList<>(scenarios);
            Collections.shuffle(order, new Random(runSeed));
            for (Scenario scenario : order) {
                Load load = scenario.load().warmUp();
                if (load.needsWarmUp() && warm.add(load)) {
                    run(Scenarios.faultless(load), 0, true);
                }
                Run run = run(scenario, runSeed++, false);
                Files.writeString(file, run.line() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                System.out.println(run.scenario() + ", seed " + run.seed() + ": " + run.outcome() + ", "
                        + run.messages() + " messages, " + run.transfers() + " transfers"
                        + (run.afterMillis() < 0 ? "" : ", after " + run.afterMillis() + " ms: " + run.reported())
                        + (run.complaints().isEmpty() ? "" : ": " + run.complaints()));
                if (isDeadly(scenario)) {
                    return;
                }
                if (!ownsWire && System.nanoTime() >= until) {
                    break;
                }
            }
        } while (ownsWire && System.nanoTime() < until && !scenarios.getFirst().lastsAsLongAsAsked());
        remote.end();
    }

    private Run run(Scenario scenario, long runSeed, boolean first) throws IOException, InterruptedException {
        Fault fault = scenario.fault();
        long faultAt =
                fault.kind() == Fault.Kind.THROUGHOUT ? 0 : new Random(runSeed).nextInt(EARLIEST_FAULT, LATEST_FAULT);
        List<Step> here =
                fault.steps().stream().filter(step -> step.place().isHere()).toList();
        List<Step> there =
                fault.steps().stream().filter(step -> step.place().isThere()).toList();
        Peer.Orders orders = new Peer.Orders(
                scenario.load(),
                runSeed,
                scenario.lengthMillis(),
                scenario.limitMillis(),
                scenario.silenceMillis(),
                fault.wire());
        int port = remote.start(orders);
        Map<String, Integer> before = Leftovers.now(ownsWire);
        List<String> complaints = new ArrayList<>();
        List<EndReport> survivors = new ArrayList<>();
        try (Shell shell = new Shell()) {
            if (fault.kind() == Fault.Kind.THROUGHOUT && !here.isEmpty()) {
                remote.shell(there.getFirst().command());
                Shell.run(here.getFirst().command(), 0);
            }
            InetSocketAddress server = new InetSocketAddress(System.getenv("RDMA4J_ADDRESS_2"), port);
            Runnable begin = () -> {
                if (fault.kind() != Fault.Kind.THROUGHOUT) {
                    remote.schedule(there, faultAt);
                    shell.schedule(here, faultAt, 0);
                }
            };
            survivors.add(scenario.load() == Load.LIVES ? live(orders, server) : talk(orders, server, begin));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            complaints.add("machine 1: " + e);
        }
        if (ownsWire) {
            Shell.run(Fault.RESTORE, 0);
        }
        if (fault.kind() != Fault.Kind.DEADLY) {
            String report = remote.report(scenario.limitMillis());
            if (ownsWire) {
                remote.shell(Fault.RENEW);
            }
            if (!fault.endsPeer()) {
                if (report.startsWith("0\tmachine 2")) {
                    survivors.add(EndReport.ofLine(report.substring(2)));
                } else {
                    complaints.add("machine 2: " + report);
                }
            }
        }
        complaints.addAll(scenario.oracle().complaints(faultAt, survivors));
        if (scenario.load().isRaw()) {
            complaints.addAll(Oracle.lostSilently(scenario.load(), survivors));
        }
        Map<String, Integer> left = first ? Map.of() : Leftovers.since(before, ownsWire);
        if (!left.isEmpty()) {
            complaints.add("left: " + left);
        }
        return summary(scenario, runSeed, faultAt, survivors, left, complaints);
    }

    private EndReport live(Peer.Orders orders, InetSocketAddress pool) throws IOException, InterruptedException {
        InetSocketAddress here = new InetSocketAddress(System.getenv("RDMA4J_ADDRESS_1"), 0);
        try (Lives lives = new Lives(here, pool, file.resolveSibling("lives"))) {
            return lives.run(orders.seed(), orders.lengthMillis());
        }
    }

    /** @param begin called when the clock of the report starts */
    private EndReport talk(Peer.Orders orders, InetSocketAddress server, Runnable begin) throws Exception {
        if (orders.load() == Load.CONNECTING) {
            begin.run();
            return new Connects(orders.lengthMillis()).client(server);
        }
        if (orders.load().isRaw()) {
            return RawEnd.client(server, orders, begin);
        }
        if (orders.load().isAlone()) {
            return Alone.run(orders);
        }
        if (orders.load() == Load.SOAK) {
            return Soak.play(server, orders);
        }
        if (orders.load().isMalice()) {
            return new Crowd(server, orders).run();
        }
        if (orders.load().isCm()) {
            begin.run();
            return new CmAttempts(server, orders, remote).run();
        }
        if (orders.load().isNetty()) {
            return NettyEnd.client(server, orders, begin);
        }
        Moves moves = new Moves();
        try (Endpoint endpoint = Endpoint.connect(
                server,
                config -> Peer.configure(config, orders.load(), orders.silenceMillis(), moves),
                Duration.ofMinutes(1))) {
            Peer.awaitBeginning(endpoint, orders.load());
            begin.run();
            return new Conversation(1, endpoint, orders, moves).run();
        }
    }

    private static Run summary(
            Scenario scenario,
            long seed,
            long faultAt,
            List<EndReport> ends,
            Map<String, Integer> left,
            List<String> complaints) {
        boolean isLost = ends.stream().anyMatch(end -> !end.failure().isEmpty());
        LongStream after = isLost
                ? ends.stream().filter(end -> !end.failure().isEmpty()).mapToLong(EndReport::failedAtMillis)
                : ends.stream().flatMapToLong(end -> Moves.toTcp(end.moves(), faultAt).stream());
        OptionalLong last = after.max();
        return new Run(
                scenario.name(),
                seed,
                complaints.isEmpty() ? isLost ? "lost" : "arrived" : "failed",
                reported(ends, last.isPresent()),
                last.isPresent() ? last.getAsLong() - faultAt : -1,
                ends.stream().mapToLong(EndReport::received).sum(),
                ends.stream().mapToLong(EndReport::transfers).sum(),
                left.values().stream().mapToInt(Integer::intValue).sum(),
                String.join("; ", complaints));
    }

    private static String reported(List<EndReport> ends, boolean happened) {
        return ends.stream()
                .map(EndReport::failure)
                .filter(failure -> !failure.isEmpty())
                .findFirst()
                .map(Campaign::reason)
                .or(() -> ends.stream()
                        .map(EndReport::remark)
                        .filter(remark -> !remark.isEmpty())
                        .findFirst())
                .orElse(happened ? "moved to TCP" : "");
    }

    /**
     * Returns the reason in an exception's message: without the operation, and without numbers that differ each time.
     */
    static String reason(String failure) {
        return failure.replaceAll("(?s)^(\\w+): .*? failed: (the connection is lost: )?", "$1: ")
                .replaceAll("(?s)([;(\n]|\\. \\p{Lu}).*", "")
                .replaceAll("0x[0-9a-f]+|\\d{3,}", "N")
                .replace("|", "/")
                .strip();
    }
}
