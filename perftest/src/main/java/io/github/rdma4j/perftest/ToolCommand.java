// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.report.BuildInfo;
import io.github.rdma4j.perftest.report.ConsoleReport;
import io.github.rdma4j.perftest.report.JsonReport;
import io.github.rdma4j.perftest.run.IllegalParameterException;
import io.github.rdma4j.perftest.run.PerfTest;
import io.github.rdma4j.perftest.run.TestOutcome;
import io.github.rdma4j.perftest.run.TestParameters;
import io.github.rdma4j.perftest.run.Tool;
import io.github.rdma4j.perftest.wire.WireVersion;
import io.github.rdma4j.verbs.VerbsException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** One tool as a command: reads the options, runs the test, prints the report, and turns failures into lines and statuses. */
final class ToolCommand {
    /** The test was run. */
    static final int OK = 0;

    /** The test failed. */
    static final int FAILED = 1;

    /** The command line makes no sense. */
    static final int USAGE = 2;

    private static final List<String> BANDWIDTH_ONLY = List.of("-b", "-q", "-Q", "--report_gbits");

    private final Tool tool;
    private final PrintStream out;
    private final PrintStream err;
    private final ToolOptions options;
    private final CommandLine commandLine;

    ToolCommand(Tool tool, PrintStream out, PrintStream err) {
        this.tool = tool;
        this.out = out;
        this.err = err;
        this.options = new ToolOptions(tool);
        this.commandLine = commandLine();
    }

    private CommandLine commandLine() {
        // Picocli fills the defaults into the help text from here: they differ between tools.
        System.setProperty("rdma4j.default.iterations", Integer.toString(tool.defaultIterations()));
        System.setProperty("rdma4j.default.size", Long.toString(tool.defaultSize()));
        System.setProperty("rdma4j.default.depth", Integer.toString(tool.defaultTransmitDepth()));
        CommandLine line = new CommandLine(options);
        line.setCommandName(tool.command());
        line.setOverwrittenOptionsAllowed(true);
        line.setAbbreviatedOptionsAllowed(true);
        line.setUsageHelpWidth(120);
        line.getCommandSpec()
                .usageMessage()
                .customSynopsis(
                        "%n  " + tool.command() + "            start a server and wait for connection",
                        "  " + tool.command() + " <host>     connect to server at <host>")
                .optionListHeading("%nOptions:%n");
        if (tool.isLatency()) {
            for (String name : BANDWIDTH_ONLY) {
                OptionSpec shown = line.getCommandSpec().findOption(name);
                line.getCommandSpec().remove(shown);
                line.getCommandSpec().add(OptionSpec.builder(shown).hidden(true).build());
            }
        }
        return line;
    }

    /** Runs the command and returns the exit status. */
    int run(List<String> arguments) {
        TestParameters parameters;
        try {
            commandLine.parseArgs(arguments.toArray(String[]::new));
            if (options.wantsHelp()) {
                commandLine.usage(out);
                return OK;
            }
            if (options.wantsVersion()) {
                out.println("Version: " + WireVersion.OURS + " (rdma4j " + BuildInfo.version() + ")");
                return OK;
            }
            parameters = options.parameters();
            checkWritable(options.jsonFile());
        } catch (UnmatchedArgumentException failure) {
            return usage(unmatched(failure.getUnmatched()));
        } catch (ParameterException | IllegalParameterException failure) {
            return usage(failure.getMessage());
        }
        return run(parameters);
    }

    private String unmatched(List<String> arguments) {
        String first = arguments.getFirst();
        return first.startsWith("-")
                ? OptionsOfC.explain(first)
                : "'" + first + "' is one argument too many: only the server's name or address is expected";
    }

    private static void checkWritable(Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        boolean possible = Files.exists(file)
                ? Files.isRegularFile(file) && Files.isWritable(file)
                : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
        if (!possible) {
            throw new IllegalParameterException("--out_json_file: " + file + " cannot be written");
        }
    }

    private int run(TestParameters parameters) {
        ConsoleReport report = new ConsoleReport(out, Terminal.isInteractive() ? err : null);
        try {
            TestOutcome outcome = PerfTest.run(parameters, report);
            if (options.jsonFile() != null) {
                try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(options.jsonFile()))) {
                    JsonReport.write(outcome, file);
                }
            }
            return OK;
        } catch (IllegalParameterException failure) {
            report.interrupted();
            return usage(failure.getMessage());
        } catch (PerftestException failure) {
            report.interrupted();
            return failed(failure.getMessage(), failure.remedy());
        } catch (VerbsException failure) {
            report.interrupted();
            // Its message contains the remedy.
            return failed(failure.getMessage(), "");
        } catch (IOException failure) {
            return failed("the report could not be written to " + options.jsonFile() + ": " + failure.getMessage(), "");
        }
    }

    private int usage(String message) {
        err.println(tool.command() + ": " + message);
        err.println("Try '" + tool.command() + " --help'.");
        return USAGE;
    }

    private int failed(String message, String remedy) {
        err.println(tool.command() + ": " + message);
        if (!remedy.isEmpty()) {
            err.println("    " + remedy);
        }
        return FAILED;
    }
}
