// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.compare.peer.RemoteServers;
import io.github.rdma4j.perftest.compare.peer.Request;
import io.github.rdma4j.perftest.compare.plan.CompareOptions;
import io.github.rdma4j.perftest.compare.plan.ComparePlan;
import io.github.rdma4j.perftest.compare.plan.Expectation;
import io.github.rdma4j.perftest.compare.plan.JsonTarget;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.compare.plan.TcpPath;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.print.CompareJson;
import io.github.rdma4j.perftest.compare.print.CompareReport;
import io.github.rdma4j.perftest.compare.print.Progress;
import io.github.rdma4j.perftest.compare.result.CompareResult;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.CClient;
import io.github.rdma4j.perftest.compare.runner.CRunner;
import io.github.rdma4j.perftest.compare.runner.CTools;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.compare.runner.JavaRunner;
import io.github.rdma4j.perftest.compare.runner.JavaServer;
import io.github.rdma4j.perftest.compare.runner.LocalServers;
import io.github.rdma4j.perftest.compare.runner.Runner;
import io.github.rdma4j.perftest.compare.runner.SearchPath;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.TcpJavaRunner;
import io.github.rdma4j.perftest.compare.runner.TcpTools;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.JsonOption;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.placement.NumaTopology;
import io.github.rdma4j.perftest.placement.SpinningEnds;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The command {@code compare}: runs Java's and C's tools in turn, and prints one table with both. docs/compare.md is
 * its manual.
 */
public final class CompareCommand {
    /** The name on the command line. */
    public static final String NAME = "compare";

    /** The summary in the list of commands. */
    public static final String TITLE = "Runs Java's and C's tools by turns, and compares them";

    private static final int OK = 0;

    private final CompareOptions options = new CompareOptions();
    private final PrintStream out;
    private final PrintStream err;
    private final Complaints complaints;

    /**
     * A signal also ends the child processes, and then the run fails. Only the first of the two handlers prints the
     * results.
     */
    private boolean kept;

    private CompareCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
        complaints = new Complaints(NAME, "rdma4j compare --help", err);
    }

    /**
     * Runs the command.
     *
     * @param arguments after the command's name
     * @param out standard output
     * @param err standard error
     * @return the exit status: 0 for success; 1 if a run failed or an expectation was missed; 2 for a wrong command
     *     line
     */
    public static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (ServeCommand.isMeant(arguments)) {
            return ServeCommand.run(arguments, out, err);
        }
        return new CompareCommand(out, err).run(arguments);
    }

    private int run(List<String> arguments) {
        CommandLine line = new CommandLine(options).setOverwrittenOptionsAllowed(true);
        ComparePlan plan;
        try {
            Ranges.parse(line, arguments);
            plan = options.plan();
            // After the checks: scripts/quickstart uses it to find out whether the other options are valid.
            if (options.wantsHelp()) {
                line.usage(out);
                return OK;
            }
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return complaints.usage(failure);
        }
        try (Progress progress = new Progress(err, NAME).start()) {
            CompareReport report = report(progress);
            CompareResult result = compare(plan, report);
            report.end(result);
            write(result, report);
            return verdict(result);
        } catch (Broken failure) {
            return broken(failure);
        } catch (IllegalParameterException failure) {
            return complaints.usage(failure);
        } catch (PerftestException failure) {
            return InterruptHook.isJvmEnding() ? Complaints.FAILED : complaints.failed(failure);
        } catch (VerbsException failure) {
            // Its message contains the remedy.
            return complaints.failed(failure.getMessage());
        } catch (IOException failure) {
            return complaints.unwritten(failure);
        }
    }

    private CompareReport report(Progress progress) {
        return new CompareReport(options.json().isOutput() ? err : out, progress);
    }

    /** Returns the TCP port of the next run. */
    private static int nextPort(ComparePlan plan, IntSupplier free) {
        return plan.port() > 0 ? plan.port() : free.getAsInt();
    }

    /** Connects to the other machine if it runs the servers; otherwise returns null. */
    private RemoteServers connect(ComparePlan plan) {
        return options.peer()
                .map(address -> RemoteServers.connect(address, new Request(plan.tools(), plan.tcp())))
                .orElse(null);
    }

    private CompareResult compare(ComparePlan plan, CompareReport report) {
        CTools tools = CTools.find(plan.tools(), SearchPath.of(plan.cFolder()));
        try (ChildProcesses children = new ChildProcesses();
                RemoteServers remote = connect(plan)) {
            try {
                return compare(plan, report, tools, children, remote);
            } catch (Broken failure) {
                abort(remote, failure.result.failure());
                throw failure;
            } catch (PerftestException | VerbsException failure) {
                abort(remote, failure.getMessage());
                throw failure;
            }
        }
    }

    private static void abort(RemoteServers remote, String reason) {
        if (remote != null) {
            remote.abort(reason);
        }
    }

    private CompareResult compare(
            ComparePlan plan, CompareReport report, CTools tools, ChildProcesses children, RemoteServers remote) {
        Instant started = Instant.now();
        long begin = System.nanoTime();
        if (remote != null) {
            tools.checkFamily(remote.localAddress(), children);
        }
        tools.checkConnection(plan.connection(), children);
        Conditions conditions = conditions(plan, tools, children, remote);
        ServerMachine other = conditions.server();
        TcpSetting tcp = tcpSetting(plan, conditions, remote);
        TcpTools tcpTools =
                tcp == null ? null : TcpTools.find(SearchPath.ofThisProcess()).fitFor(tcp.path(), children);
        report.begin(plan, conditions, tcp, tcpTools == null ? null : tcpTools.describe(other));
        String shortage = SpinningEnds.shortage(2, NumaTopology.ofThisMachine().usableCpus());
        if (remote == null && !shortage.isEmpty()) {
            err.println(NAME + ": warning: " + shortage);
            report.shortOfCpus(shortage);
        }
        List<RunOrder> orders = orders(plan, conditions).stream()
                .map(order -> order.overIpv6(remote != null && remote.isIpv6()))
                .toList();
        report.step("starting the JVM of the other end");
        // If the servers are on another machine, this one has none, and guards C's clients.
        try (JavaServer java = JavaServer.start(children, Duration.ofSeconds(plan.timeoutSeconds()))) {
            ServerEnd end = remote != null ? remote : new LocalServers(java, tools, tcpTools, tcp, children, java);
            CClient clients = new CClient(end, children, java);
            Map<Implementation, List<Runner>> runners = new EnumMap<>(Implementation.class);
            runners.put(Implementation.JAVA, List.of(new JavaRunner(end)));
            runners.put(Implementation.C, List.of(new CRunner(tools, clients)));
            if (tcp != null) {
                runners.put(Implementation.TCP_JAVA, List.of(new TcpJavaRunner(end, tcp)));
                runners.put(Implementation.TCP_C, tcpTools.alsoOn(other).runners(tcp, clients));
            }
            CompareSession session =
                    new CompareSession(runners, () -> nextPort(plan, end::freePort), end::busy, report);
            BiFunction<RunState, String, CompareResult> soFar = (state, failure) -> new CompareResult(
                    started,
                    (System.nanoTime() - begin) / 1e9,
                    conditions,
                    plan,
                    tcp,
                    session.measured(),
                    state,
                    failure);
            try (InterruptHook _ = new InterruptHook(() -> {
                abort(remote, InterruptHook.REASON);
                keep(soFar.apply(RunState.INTERRUPTED, InterruptHook.REASON));
            })) {
                measure(session, plan, orders, soFar);
            }
            return soFar.apply(RunState.COMPLETE, null);
        }
    }

    private static void measure(
            CompareSession session,
            ComparePlan plan,
            List<RunOrder> orders,
            BiFunction<RunState, String, CompareResult> soFar) {
        try {
            if (plan.warmUp()) {
                session.warmUp(orders);
            }
            session.measureSurroundings(orders);
            session.run(orders, plan.rounds(), plan.roundsWithinSeconds());
        } catch (PerftestException | VerbsException failure) {
            // Checked while the hook is registered: the hook prints the partial results on a signal.
            CompareResult result = InterruptHook.isDueToSignal()
                    ? soFar.apply(RunState.INTERRUPTED, InterruptHook.REASON)
                    : soFar.apply(RunState.FAILED, failure.getMessage());
            throw new Broken(failure, result);
        }
    }

    /**
     * @param remote the other machine; null if the servers are on this one
     */
    private static Conditions conditions(
            ComparePlan plan, CTools tools, ChildProcesses children, RemoteServers remote) {
        Conditions here = Conditions.read(
                plan.device(),
                plan.devicePort(),
                plan.gidIndex(),
                remote == null ? null : remote.localAddress(),
                tools.version(children),
                tools.folder());
        return remote == null ? here : here.with(remote.machine());
    }

    private static List<RunOrder> orders(ComparePlan plan, Conditions conditions) {
        return plan.cases().stream()
                .map(test -> plan.order(test, conditions.device(), conditions.gidIndex(), conditions.software()))
                .toList();
    }

    /** Thrown when a comparison fails; carries the results so far. */
    private static final class Broken extends RuntimeException {
        private final transient CompareResult result;

        private Broken(RuntimeException cause, CompareResult result) {
            super(cause);
            this.result = result;
        }
    }

    private int broken(Broken failure) {
        if (failure.result.state() == RunState.INTERRUPTED) {
            return Complaints.FAILED;
        }
        String remedy = failure.getCause() instanceof PerftestException known ? known.remedy() : "";
        int status = complaints.failed(failure.getCause().getMessage(), remedy);
        keep(failure.result);
        return status;
    }

    /**
     * Prints and writes the results so far. On a signal, the JVM ends when the hook's thread returns from this method.
     */
    private synchronized void keep(CompareResult result) {
        if (result.cases().isEmpty() || kept) {
            return;
        }
        kept = true;
        CompareReport report = report(new Progress(err, NAME));
        report.broken(result);
        try {
            write(result, report);
        } catch (IOException failure) {
            complaints.unwritten(failure);
        }
    }

    /**
     * Returns how to run plain TCP; null to leave it out. If both sides spin on one CPU, each waits for the other's
     * time slice; on two machines, each side has its own CPU.
     */
    private static TcpSetting tcpSetting(ComparePlan plan, Conditions conditions, RemoteServers remote) {
        if (plan.tcp() == TcpMode.NONE) {
            return null;
        }
        if (remote != null) {
            return new TcpSetting(TcpPath.to(remote.host(), remote.localAddress()), plan.tcp() == TcpMode.SPIN);
        }
        TcpPath path = TcpPath.of(conditions.device(), plan.devicePort(), conditions.gidIndex());
        return new TcpSetting(
                path, plan.tcp() == TcpMode.SPIN && conditions.environment().processors() > 1);
    }

    private void write(CompareResult result, CompareReport report) throws IOException {
        JsonTarget target = options.json();
        if (target.isOutput()) {
            CompareJson.write(result, out);
        } else if (target.file() != null) {
            JsonOption.write(target.file(), file -> CompareJson.write(result, file));
            report.written(target.file());
        }
    }

    private int verdict(CompareResult result) {
        List<Expectation> missed = result.missed();
        return missed.isEmpty()
                ? OK
                : complaints.failed("not as expected: "
                        + String.join(
                                ", ", missed.stream().map(Expectation::text).toList()));
    }
}
