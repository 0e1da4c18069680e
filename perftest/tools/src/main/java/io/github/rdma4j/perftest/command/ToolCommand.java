// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.command;

import io.github.rdma4j.perftest.document.ResultKeeper;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.environment.Terminal;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.ToolCommandLine;
import io.github.rdma4j.perftest.placement.NumaTopology;
import io.github.rdma4j.perftest.placement.SpinningEnds;
import io.github.rdma4j.perftest.print.ConsoleReport;
import io.github.rdma4j.perftest.print.Limits;
import io.github.rdma4j.perftest.result.LimitListener;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.RunListeners;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.run.ToolRun;
import io.github.rdma4j.perftest.wire.WireVersion;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One tool as a command: reads the options, runs the test, prints the report, and converts failures to messages and
 * exit statuses.
 */
public final class ToolCommand {
    /** The test has run. */
    public static final int OK = 0;

    private final Tool tool;
    private final Function<Consumer<String>, LimitListener> limits;
    private final PrintStream out;
    private final PrintStream err;
    private final Complaints complaints;

    /**
     * @param limits creates the comparison of a test with its limit, which prints lines with the consumer
     * @param out standard output
     * @param err standard error
     */
    public ToolCommand(Tool tool, Function<Consumer<String>, LimitListener> limits, PrintStream out, PrintStream err) {
        this.tool = tool;
        this.limits = limits;
        this.out = out;
        this.err = err;
        complaints = new Complaints(tool.command(), "rdma4j " + tool.command() + " --help", err);
    }

    /** Runs the command and returns the exit status. */
    public int run(List<String> arguments) {
        ToolCommandLine line = new ToolCommandLine(tool);
        try {
            line.parse(arguments);
        } catch (IllegalParameterException failure) {
            return complaints.usage(failure.getMessage());
        }
        if (line.wantsHelp()) {
            line.usage(out);
            return OK;
        }
        if (line.wantsVersion()) {
            out.println("Version: " + WireVersion.OURS + " (rdma4j " + BuildInfo.version() + ")");
            return OK;
        }
        return run(line.parameters());
    }

    private int run(RunParameters parameters) {
        ConsoleReport report = new ConsoleReport(
                out, Terminal.isInteractive() ? err : null, parameters.figures().output());
        LimitListener share = limits.apply(this::note);
        ResultKeeper keeper = new ResultKeeper(share::limit);
        // Read them before the test binds this thread to some of them.
        double cpus = NumaTopology.ofThisMachine().usableCpus();
        // Before the console's listener, so that everything that was printed is also in the results.
        RunListener listener =
                new RunListeners(keeper, new RunListeners(new Notes(cpus), new RunListeners(report, share)));
        parameters.adjustments().forEach(listener::note);
        try (InterruptHook _ = new InterruptHook(() -> {
            report.silence();
            keep(keeper, RunState.INTERRUPTED, InterruptHook.REASON);
        })) {
            RunOutcome outcome = ToolRun.run(parameters, listener);
            keeper.complete(outcome);
            String missed = Limits.missed(outcome.results(), parameters);
            return missed.isEmpty() ? OK : complaints.failed(missed);
        } catch (IllegalArgumentException failure) {
            // The library has refused a value.
            report.interrupted();
            return complaints.usage(failure.getMessage());
        } catch (PerftestException failure) {
            report.interrupted();
            int status = complaints.failed(failure);
            keep(keeper, failure.peerLost() ? RunState.PEER_LOST : RunState.FAILED, failure.getMessage());
            return status;
        } catch (VerbsException failure) {
            report.interrupted();
            // Its message contains the remedy.
            int status = complaints.failed(failure.getMessage());
            keep(keeper, RunState.FAILED, failure.getMessage());
            return status;
        } catch (IOException failure) {
            return complaints.failed(failure.getMessage());
        }
    }

    /**
     * Prints lines that are not part of the report to standard error, so that programs that read the report do not see
     * them.
     */
    private final class Notes implements RunListener {
        private final double cpus;

        /**
         * @param cpus that this process can keep busy
         */
        private Notes(double cpus) {
            this.cpus = cpus;
        }

        @Override
        public void note(String line) {
            ToolCommand.this.note(line);
        }

        @Override
        public void agreed(RunInfo info) {
            String shortage = SpinningEnds.shortage(spinningEnds(info.parameters()), cpus);
            if (!shortage.isEmpty()) {
                note(shortage);
            }
            if (info.gpu() != null && !info.parameters().figures().details()) {
                note("the path to the GPU's memory is " + info.gpu().describePath() + " (more: --details)");
            }
        }

        @Override
        public void result(SizeResult result) {
            if (result.pace() != null && !result.pace().kept()) {
                note(result.pace().shortfall());
            }
        }
    }

    /**
     * Returns the number of ends of a test that spin on this machine: this end, and a local peer that does more than
     * serve.
     */
    private static int spinningEnds(RunParameters parameters) {
        if (parameters.queues().events()) {
            return 0;
        }
        boolean peerSpins = parameters.usesReceives()
                || parameters.workload().bidirectional()
                || parameters.tool() == Tool.WRITE_LATENCY;
        return peerSpins
                        && !parameters.isServer()
                        && isThisMachine(parameters.peer().server())
                ? 2
                : 1;
    }

    private static boolean isThisMachine(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException _) {
            return false;
        }
    }

    private void note(String line) {
        err.println(tool.command() + ": note: " + line);
    }

    private void keep(ResultKeeper keeper, RunState state, String failure) {
        try {
            if (keeper.broken(state, failure)) {
                err.println("    what was measured until then is in the files that were asked for");
            }
        } catch (IOException unwritten) {
            complaints.failed(unwritten.getMessage());
        }
    }
}
