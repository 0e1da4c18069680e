// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.allreduce.AllReduceCommand;
import io.github.rdma4j.perftest.compare.CompareCommand;
import io.github.rdma4j.perftest.doctor.DoctorCommand;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.Complaints;
import io.github.rdma4j.perftest.gds.GdsCommand;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.ordered.OrderedCommand;
import io.github.rdma4j.perftest.page.ReportCommand;
import io.github.rdma4j.perftest.predict.PredictCommand;
import io.github.rdma4j.perftest.watch.WatchCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The entry point: the first argument is the tool, and the others belong to the tool. */
public final class Main {
    /** A command that is not one of the eight tools. */
    private record Command(String name, String title, Body body) {
        /** Lambdas, not method references, which would load all commands, and with them CUDA, for each of them. */
        static final List<Command> ALL = List.of(
                new Command(
                        CompareCommand.NAME,
                        CompareCommand.TITLE,
                        (arguments, out, err) -> CompareCommand.run(arguments, out, err)),
                new Command(
                        ReportCommand.NAME,
                        ReportCommand.TITLE,
                        (arguments, out, err) -> ReportCommand.run(arguments, out, err)),
                new Command(
                        DoctorCommand.NAME,
                        DoctorCommand.TITLE,
                        (arguments, out, err) -> DoctorCommand.run(arguments, out, err)),
                new Command(
                        WatchCommand.NAME,
                        WatchCommand.TITLE,
                        (arguments, out, err) -> WatchCommand.run(arguments, Terminal.isInteractive(), out, err)),
                new Command(
                        PredictCommand.NAME,
                        PredictCommand.TITLE,
                        (arguments, out, err) -> PredictCommand.run(arguments, out, err)),
                new Command(
                        GdsCommand.NAME,
                        GdsCommand.TITLE,
                        (arguments, out, err) -> GdsCommand.run(arguments, out, err)),
                new Command(
                        OrderedCommand.NAME,
                        OrderedCommand.TITLE,
                        (arguments, out, err) -> OrderedCommand.run(arguments, out, err)),
                new Command(
                        AllReduceCommand.NAME,
                        AllReduceCommand.TITLE,
                        (arguments, out, err) -> AllReduceCommand.run(arguments, Main.class, out, err)));
    }

    @FunctionalInterface
    private interface Body {
        int run(List<String> arguments, PrintStream out, PrintStream err);
    }

    private Main() {}

    /**
     * Runs a tool and ends the JVM with its exit status: 0 done, 1 the test failed, 2 wrong command line.
     */
    public static void main(String[] arguments) {
        int status = run(List.of(arguments), System.out, System.err);
        System.exit(StandardOutput.status(
                status, System.out, new FileOutputStream(FileDescriptor.out), Terminal.isPipe(), System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        String first = arguments.isEmpty() ? "" : arguments.getFirst();
        Optional<Tool> tool = Tool.ofCommand(first);
        if (tool.isPresent()) {
            return new ToolCommand(tool.get(), out, err).run(arguments.subList(1, arguments.size()));
        }
        Optional<Command> command =
                Command.ALL.stream().filter(each -> each.name().equals(first)).findFirst();
        if (command.isPresent()) {
            return command.get().body().run(arguments.subList(1, arguments.size()), out, err);
        }
        switch (first) {
            case "-h", "--help" -> {
                help(out);
                return ToolCommand.OK;
            }
            case "-V", "--version" -> {
                out.println(BuildInfo.describe());
                return ToolCommand.OK;
            }
            default -> {
                return new Complaints("rdma4j", "rdma4j --help", err)
                        .usage(
                                first.isEmpty()
                                        ? "which tool? One of " + tools()
                                        : "there is no tool '" + first + "'; there are " + tools());
            }
        }
    }

    private static String tools() {
        return Stream.concat(
                        Arrays.stream(Tool.values()).map(Tool::command),
                        Command.ALL.stream().map(Command::name))
                .collect(Collectors.joining(", "));
    }

    private static void help(PrintStream out) {
        out.println("Usage:");
        out.println("  rdma4j TOOL [OPTIONS]            start a server and wait for connection");
        out.println("  rdma4j TOOL [OPTIONS] <host>     connect to server at <host>");
        out.println("  rdma4j TOOL --help               the tool's options");
        out.println();
        out.println("Tools:");
        for (Tool tool : Tool.values()) {
            out.printf("  %-17s %s%n", tool.command(), tool.title());
        }
        for (Command command : Command.ALL) {
            out.printf("  %-17s %s%n", command.name(), command.title());
        }
    }
}
