// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.allreduce.AllReduceCommand;
import io.github.rdma4j.perftest.check.CheckCommand;
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

/** The entry point: the first argument is the tool, the others are the tool's. */
public final class Main {
    private Main() {}

    /**
     * Runs a tool and ends the JVM with its exit status: 0 done, 1 the test failed, 2 the command line makes no sense.
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
        switch (first) {
            case CompareCommand.NAME -> {
                return CompareCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
            case ReportCommand.NAME -> {
                return ReportCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
            case DoctorCommand.NAME -> {
                return DoctorCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
            case WatchCommand.NAME -> {
                return WatchCommand.run(arguments.subList(1, arguments.size()), Terminal.isInteractive(), out, err);
            }
            case PredictCommand.NAME -> {
                return PredictCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
            case CheckCommand.NAME -> {
                return CheckCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
            case GdsCommand.NAME -> {
                return GdsCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
            case AllReduceCommand.NAME -> {
                return AllReduceCommand.run(arguments.subList(1, arguments.size()), Main.class, out, err);
            }
            case OrderedCommand.NAME -> {
                return OrderedCommand.run(arguments.subList(1, arguments.size()), out, err);
            }
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
        return Arrays.stream(Tool.values()).map(Tool::command).collect(Collectors.joining(", ")) + ", "
                + CompareCommand.NAME + ", " + ReportCommand.NAME + ", " + DoctorCommand.NAME + ", "
                + WatchCommand.NAME + ", " + PredictCommand.NAME + ", " + CheckCommand.NAME + ", " + GdsCommand.NAME
                + ", " + OrderedCommand.NAME + ", " + AllReduceCommand.NAME;
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
        out.printf("  %-17s %s%n", CompareCommand.NAME, CompareCommand.TITLE);
        out.printf("  %-17s %s%n", ReportCommand.NAME, ReportCommand.TITLE);
        out.printf("  %-17s %s%n", DoctorCommand.NAME, DoctorCommand.TITLE);
        out.printf("  %-17s %s%n", WatchCommand.NAME, WatchCommand.TITLE);
        out.printf("  %-17s %s%n", PredictCommand.NAME, PredictCommand.TITLE);
        out.printf("  %-17s %s%n", CheckCommand.NAME, CheckCommand.TITLE);
        out.printf("  %-17s %s%n", GdsCommand.NAME, GdsCommand.TITLE);
        out.printf("  %-17s %s%n", OrderedCommand.NAME, OrderedCommand.TITLE);
        out.printf("  %-17s %s%n", AllReduceCommand.NAME, AllReduceCommand.TITLE);
    }
}
