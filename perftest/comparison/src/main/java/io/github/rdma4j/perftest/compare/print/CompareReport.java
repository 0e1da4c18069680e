// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import io.github.rdma4j.perftest.compare.plan.ComparePlan;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Round;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.result.Verdict;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.wire.WireVersion;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints a comparison as it proceeds: conditions, the tools' usual tables round by round, and the comparison. */
public final class CompareReport {
    /** The settings, by their names in the banner, that must be equal for the figures to be comparable. */
    private static final List<String> COMPARED =
            List.of("Number of qps", "TX depth", "CQ Moderation", "Mtu", "GID index", "Max inline data");

    private final PrintStream out;
    private final Progress progress;
    private final Map<Tool, String> headings = new EnumMap<>(Tool.class);
    private Tool lastTool;
    private String shortage = "";

    /**
     * @param out receives the text, flushed line by line
     * @param progress receives each step
     */
    public CompareReport(PrintStream out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Prints that a slow step starts, other than a run. */
    public void step(String what) {
        progress.step(what);
    }

    /**
     * Prints that a run starts.
     *
     * @param phase the description of the run
     */
    public void step(String phase, Implementation implementation, RunOrder order) {
        progress.step(String.format(
                Locale.ROOT,
                "%s: %s, %s, %d bytes",
                phase,
                implementation.title(),
                implementation.isTcp() ? order.kind().title() : order.tool().command(),
                order.size()));
    }

    /**
     * Prints the plan and the conditions.
     *
     * @param tcp how plain TCP is run; null without it
     * @param tcpPrograms a description of its C programs; null without it
     */
    public void begin(ComparePlan plan, Conditions conditions, TcpSetting tcp, String tcpPrograms) {
        line(
                "rdma4j compare: Java and C in turn%s, %s, %s",
                plan.tcp() == TcpMode.NONE ? "" : ", and plain TCP",
                conditions.server() == null
                        ? "both ends on this machine"
                        : "clients here, servers on " + conditions.server().title(),
                plural(plan.rounds(), "round"));
        conditions(plan, conditions);
        Environment machine = conditions.environment();
        line(" clocks  Java: %s; C: the CPU's cycle counter", machine.clock());
        if (tcp != null) {
            line(
                    " TCP     %s, one connection, TCP_NODELAY; latency: %s, bandwidth: blocking",
                    path(tcp, conditions.server()), tcp.spin() ? "spinning" : "blocking");
            line(" TCP C   %s", tcpPrograms);
        }
        if (!plan.warmUp()) {
            line(" warning: --no-warm-up, Java's figures are of code not yet compiled");
        }
        if (plan.rounds() < MedianInterval.LEAST_FIGURES) {
            line(
                    " warning: with fewer than %d rounds nothing says how far chance moves the ratios",
                    MedianInterval.LEAST_FIGURES);
        }
    }

    /** Prints that there are fewer CPUs than spinning ends, and repeats it in the conclusion. */
    public void shortOfCpus(String sentence) {
        shortage = sentence;
        line(" warning: %s", sentence);
    }

    private void conditions(ComparePlan plan, Conditions conditions) {
        Environment machine = conditions.environment();
        ServerMachine server = conditions.server();
        if (server == null) {
            line(" device  %s", device(plan, machine));
            line(" machine %s", machine(machine));
        } else {
            line(" here    %s; %s", device(plan, machine), machine(machine));
            line(" there   %s; %s", device(plan, server.environment()), machine(server.environment()));
            if (!machine.jvm().equals(server.environment().jvm())) {
                line(
                        " Java    there: %s%s",
                        server.environment().jvm(), flags(server.environment().jvmFlags()));
            }
        }
        line(
                " Java    rdma4j %s, wire version %s; %s%s",
                machine.rdma4j(), WireVersion.OURS, machine.jvm(), flags(machine.jvmFlags()));
        line(" C       perftest, wire version %s, in %s", machine.cVersion(), conditions.cFolder());
        if (server != null) {
            String there = server.environment().cVersion();
            line(" C there perftest, wire version %s, in %s", there, server.cFolder());
            if (!there.equals(machine.cVersion())) {
                line(
                        " warning: C's tools are of wire version %s here and %s there: another C on either end",
                        machine.cVersion(), there);
            }
        }
    }

    private static String device(ComparePlan plan, Environment machine) {
        return String.format(
                Locale.ROOT,
                "%s port %d (%s), GID index %d, MTU %d",
                machine.device(),
                machine.devicePort(),
                machine.softwareDevice() ? "a software device" : "firmware " + machine.firmware(),
                machine.gidIndex(),
                plan.mtu() > 0 ? plan.mtu() : machine.activeMtu());
    }

    private static String machine(Environment machine) {
        return String.format(
                Locale.ROOT,
                "%s, %s, %s",
                machine.kernel(),
                machine.architecture(),
                plural(machine.processors(), "CPU"));
    }

    /** Describes the path of plain TCP. */
    private static String path(TcpSetting tcp, ServerMachine server) {
        String name = tcp.path().networkInterface();
        if (server == null) {
            return tcp.path().address() + " of " + name;
        }
        return "to " + tcp.path().address() + (name == null ? "" : " by " + name);
    }

    private static String flags(List<String> flags) {
        return flags.isEmpty() ? "" : ", " + String.join(" ", flags);
    }

    private static String plural(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    /**
     * Prints the end of a case's warm-up.
     *
     * @param order the order of the runs
     * @param last the last run; all later tables have its heading
     * @param runs the number of runs
     * @param seconds their duration
     */
    public void warmedUp(RunOrder order, Measurement last, int runs, double seconds) {
        boolean tcp = last.implementation().isTcp();
        if (!tcp) {
            headings.putIfAbsent(order.tool(), last.output().heading());
        }
        line(
                " warm-up of Java, not counted: %s, %d bytes, %d messages: %s, %.1f s",
                tcp ? order.kind().title() : order.tool().command(),
                order.size(),
                order.iterations(),
                plural(runs, "run"),
                seconds);
    }

    /** Prints that a round starts. */
    public void round(int number, int rounds) {
        lastTool = null;
        line("");
        line(
                "round %d of %d, %s first",
                number, rounds, Implementation.turns(number).getFirst().title());
    }

    /** Prints that no further round starts. */
    public void roundsEnd(int rounds, int planned, int seconds) {
        line("");
        line("ended after %d of %d rounds: the %d s of --rounds-within are over", rounds, planned, seconds);
    }

    /** Prints the row of a run. */
    public void measured(RunOrder order, Measurement measurement) {
        headings.putIfAbsent(order.tool(), measurement.output().heading());
        String heading = headings.get(order.tool());
        if (order.tool() != lastTool) {
            lastTool = order.tool();
            line("%s", lastTool.command());
            line("         %s", heading);
        }
        line("%-8s %s", measurement.implementation().title(), row(measurement, heading));
    }

    /** Returns the row under a heading: the printed row, if there is one. */
    private static String row(Measurement measurement, String heading) {
        String printed = measurement.output().row();
        return printed.isEmpty() ? TableRow.of(heading, measurement.output().figures()) : printed;
    }

    /** Warns if Java and C ran with different settings. */
    public void settings(RunOrder order, Round round) {
        for (String name : COMPARED) {
            String java = round.of(Implementation.JAVA).output().settings().get(name);
            String c = round.of(Implementation.C).output().settings().get(name);
            if (java != null && c != null && !java.equals(c)) {
                line(
                        "warning: %s, %d bytes: %s is %s in Java, %s in C",
                        order.tool().command(), order.size(), name, java, c);
            }
        }
    }

    /** Prints the comparison, and which expectations were met. */
    public void end(CompareResult result) {
        line("");
        tables(result);
        if (result.conditions().software() && result.conditions().server() != null) {
            line("A software device took part: only Java's ratios to C mean anything, not the figures.");
        } else if (result.conditions().software()) {
            line(
                    "%s is a software device: only Java's ratios to C mean anything, not the figures.",
                    result.conditions().device());
        }
        if (!shortage.isEmpty()) {
            line("No ratio above says anything about RDMA or TCP: %s", shortage);
        }
        for (Verdict verdict : result.verdicts()) {
            line("expected %s: %s, %s", verdict.expectation().text(), ratio(verdict), verdict.met() ? "met" : "MISSED");
        }
        line("%.0f s in all", result.seconds());
    }

    /** Returns the ratio with its interval, if it has one. */
    private static String ratio(Verdict verdict) {
        String ratio = String.format(Locale.ROOT, "%.3f", verdict.ratio());
        MedianInterval median = verdict.row().ratio();
        return verdict.expectation().best() || !median.isBounded()
                ? ratio
                : ratio + " (" + ComparisonTable.interval(median) + ")";
    }

    /** Prints the results before a failure; no expectation can be judged by them. */
    public void broken(CompareResult result) {
        line("");
        line("broken off; what was measured before:");
        tables(result);
    }

    private void tables(CompareResult result) {
        out.print(ComparisonTable.of(result.cases()));
        line("");
        out.print(TcpTable.of(result.cases(), result.conditions()));
    }

    /** Prints the path of the JSON document. */
    public void written(Path file) {
        line("written: %s", file);
    }

    /** Prints that a run has no usable figure and is repeated. */
    public void repeats(String reason) {
        line("warning: %s; the run is repeated", reason);
    }

    private void line(String pattern, Object... values) {
        out.println(
                values.length == 0
                        ? pattern
                        : String.format(Locale.ROOT, pattern, values).stripTrailing());
        out.flush();
        progress.printed();
    }
}
