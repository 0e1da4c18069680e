// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.compare.peer.CompareServer;
import io.github.rdma4j.perftest.compare.peer.Request;
import io.github.rdma4j.perftest.compare.peer.ServedMachine;
import io.github.rdma4j.perftest.compare.plan.ServeOptions;
import io.github.rdma4j.perftest.compare.plan.TcpMode;
import io.github.rdma4j.perftest.compare.plan.TcpPath;
import io.github.rdma4j.perftest.compare.plan.TcpSetting;
import io.github.rdma4j.perftest.compare.result.Conditions;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.CTools;
import io.github.rdma4j.perftest.compare.runner.ChildProcesses;
import io.github.rdma4j.perftest.compare.runner.JavaServer;
import io.github.rdma4j.perftest.compare.runner.LocalServers;
import io.github.rdma4j.perftest.compare.runner.SearchPath;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.TcpTools;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.verbs.VerbsException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code compare --serve}: runs the servers of one comparison for another machine. */
final class ServeCommand {
    private static final int OK = 0;

    private static final Duration JVM_START = Duration.ofSeconds(60);

    private final ServeOptions options = new ServeOptions();
    private final PrintStream out;
    private final PrintStream err;
    private final Complaints complaints;

    private ServeCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
        complaints = new Complaints(CompareCommand.NAME, "rdma4j compare --serve --help", err);
    }

    /** Returns whether the arguments of {@code compare} request it. */
    static boolean isMeant(List<String> arguments) {
        return arguments.contains(ServeOptions.NAME);
    }

    /** Runs the command and returns an exit status as {@link CompareCommand#run} does. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return new ServeCommand(out, err).run(arguments);
    }

    private int run(List<String> arguments) {
        CommandLine line = new CommandLine(options).setOverwrittenOptionsAllowed(true);
        try {
            Ranges.parse(line, arguments);
            options.check();
            if (options.wantsHelp()) {
                line.usage(out);
                return OK;
            }
        } catch (UnmatchedArgumentException failure) {
            return complaints.usage(failure.getUnmatched().getFirst()
                    + " is not for --serve: give what is compared, and how, to --peer on the other machine");
        } catch (ParameterException | IllegalParameterException | InvalidPathException failure) {
            return complaints.usage(failure);
        }
        try {
            new CompareServer(this::prepare, text -> err.println(CompareCommand.NAME + ": " + text))
                    .serve(options.port(), options.patience());
            return OK;
        } catch (PerftestException failure) {
            return InterruptHook.isJvmEnding() ? Complaints.FAILED : complaints.failed(failure);
        } catch (VerbsException failure) {
            // Its message contains the remedy.
            return complaints.failed(failure.getMessage());
        }
    }

    private ServedMachine prepare(Request request, InetAddress address) {
        CTools tools = CTools.find(request.tools(), SearchPath.of(options.cFolder()));
        ChildProcesses children = new ChildProcesses();
        try {
            tools.checkFamily(address, children);
            TcpPath path = TcpPath.to(address.getHostAddress(), address);
            TcpTools tcpTools = TcpTools.find(SearchPath.ofThisProcess()).fitFor(path, children);
            Conditions conditions = Conditions.read(
                    options.ownPort().device(),
                    options.ownPort().devicePort(),
                    options.ownPort().gidIndex(),
                    address,
                    tools.version(children),
                    tools.folder());
            ServerMachine description = new ServerMachine(
                    address.getHostAddress(),
                    Environment.hostName(),
                    conditions.environment(),
                    conditions.cFolder(),
                    tcpTools.sockperf() != null,
                    tcpTools.iperf() != null);
            JavaServer java = JavaServer.start(children, JVM_START);
            TcpSetting tcp = request.tcp() == TcpMode.NONE ? null : new TcpSetting(path, request.tcp() == TcpMode.SPIN);
            return new Served(
                    description, new LocalServers(java, tools, tcpTools, tcp, children, java), java, children);
        } catch (RuntimeException | Error failure) {
            children.close();
            throw failure;
        }
    }

    private record Served(ServerMachine describe, ServerEnd servers, JavaServer java, ChildProcesses children)
            implements ServedMachine {
        @Override
        public void close() {
            java.close();
            children.close();
        }
    }
}
