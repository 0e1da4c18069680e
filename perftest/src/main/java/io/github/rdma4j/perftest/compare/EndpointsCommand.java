// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.compare.endpoints.EchoPlace;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsOptions;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsPlan;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsResult;
import io.github.rdma4j.perftest.compare.endpoints.EndpointsSession;
import io.github.rdma4j.perftest.compare.endpoints.ServerProcess;
import io.github.rdma4j.perftest.compare.plan.JsonTarget;
import io.github.rdma4j.perftest.compare.print.EndpointsJson;
import io.github.rdma4j.perftest.compare.print.EndpointsReport;
import io.github.rdma4j.perftest.compare.print.Progress;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command {@code compare --endpoints}: measures endpoints and TCP in turn. docs/compare.md#endpoints is its manual.
 */
final class EndpointsCommand {
    private static final int OK = 0;

    /** A JVM may need long to start on an emulated machine. */
    private static final Duration LONGEST_ORDER = Duration.ofSeconds(60);

    private final EndpointsOptions options = new EndpointsOptions();
    private final PrintStream out;
    private final PrintStream err;
    private final Complaints complaints;

    /**
     * A signal also ends the child processes, and then the run fails. Only the first of the two handlers prints the
     * results.
     */
    private boolean kept;

    private EndpointsCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
        complaints = new Complaints(CompareCommand.NAME, "rdma4j compare --endpoints --help", err);
    }

    /** Returns whether the arguments of {@code compare} ask for it. */
    static boolean isMeant(List<String> arguments) {
        return arguments.contains(EndpointsOptions.NAME);
    }

    /** Runs the command and returns an exit status as {@link CompareCommand#run} does. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return new EndpointsCommand(out, err).run(arguments);
    }

    private int run(List<String> arguments) {
        CommandLine line = new CommandLine(options).setOverwrittenOptionsAllowed(true);
        EndpointsPlan plan;
        JsonTarget target;
        try {
            Ranges.parse(line, arguments);
            plan = options.plan();
            if (options.wantsHelp()) {
                line.usage(out);
                return OK;
            }
            target = options.json();
            target.check();
        } catch (UnmatchedArgumentException failure) {
            String first = failure.getUnmatched().getFirst();
            return first.startsWith("--peer")
                    ? complaints.usage("--peer is not for --endpoints, whose two ends are on this machine:"
                            + " leave one of them out")
                    : complaints.usage(failure);
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return complaints.usage(failure);
        }
        return compare(plan, target);
    }

    private int compare(EndpointsPlan plan, JsonTarget target) {
        Instant started = Instant.now();
        long begin = System.nanoTime();
        try (Progress progress = new Progress(err, CompareCommand.NAME).start();
                ChildProcesses children = new ChildProcesses()) {
            EndpointsReport report = new EndpointsReport(target.isOutput() ? err : out, progress);
            EchoPlace place = EchoPlace.find(plan);
            report.begin(plan, place);
            try (ServerProcess server = ServerProcess.start(children, LONGEST_ORDER)) {
                EndpointsSession session = new EndpointsSession(server, place.address(), plan, report);
                SoFar soFar = (state, failure) -> new EndpointsResult(
                        started, (System.nanoTime() - begin) / 1e9, place, plan, session.results(), state, failure);
                try (InterruptHook _ = new InterruptHook(
                        () -> keep(soFar.result(RunState.INTERRUPTED, InterruptHook.REASON), target, report))) {
                    if (!measure(session, server, soFar, target, report)) {
                        return Complaints.FAILED;
                    }
                }
                EndpointsResult result = soFar.result(RunState.COMPLETE, null);
                report.end(result);
                write(result, target, report);
                return OK;
            }
        } catch (PerftestException failure) {
            return complaints.failed(failure);
        } catch (VerbsException failure) {
            // Its message contains the remedy.
            return complaints.failed(failure.getMessage());
        } catch (IOException failure) {
            return complaints.unwritten(failure);
        }
    }

    /**
     * Returns whether the measurement is complete. If not, this method or the signal hook prints the partial results.
     */
    private boolean measure(
            EndpointsSession session, ServerProcess server, SoFar soFar, JsonTarget target, EndpointsReport report) {
        try {
            session.run();
            return true;
        } catch (PerftestException | VerbsException failure) {
            if (!InterruptHook.isDueToSignal()) {
                String complaint = server.complaint();
                complaints.failed(
                        failure.getMessage() + (complaint.isEmpty() ? "" : "; the server: " + complaint),
                        failure instanceof PerftestException known ? known.remedy() : "");
                keep(soFar.result(RunState.FAILED, failure.getMessage()), target, report);
            }
            return false;
        }
    }

    /** Makes the result so far. */
    private interface SoFar {
        EndpointsResult result(RunState state, String failure);
    }

    /**
     * Prints and writes the results so far. On a signal, the JVM ends when the hook's thread returns from this method.
     */
    private synchronized void keep(EndpointsResult result, JsonTarget target, EndpointsReport report) {
        if (result.results().isEmpty() || kept) {
            return;
        }
        kept = true;
        report.broken(result);
        try {
            write(result, target, report);
        } catch (IOException failure) {
            complaints.unwritten(failure);
        }
    }

    private void write(EndpointsResult result, JsonTarget target, EndpointsReport report) throws IOException {
        if (target.isOutput()) {
            EndpointsJson.write(result, out);
        } else if (target.file() != null) {
            try (OutputStream file = target.open()) {
                EndpointsJson.write(result, file);
            }
            report.written(target.file());
        }
    }
}
