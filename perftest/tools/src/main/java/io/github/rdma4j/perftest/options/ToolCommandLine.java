// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of a tool: its options, its help, and its error messages. */
public final class ToolCommandLine {
    private final RunParameters parameters;
    private final CommandLine line;
    private boolean help;
    private boolean version;

    /** The command line of a tool, not read yet. */
    public ToolCommandLine(Tool tool) {
        parameters = new RunParameters(tool);
        CommandSpec spec = CommandSpec.create().name(tool.command());
        spec.usageMessage()
                .customSynopsis(
                        "%n  rdma4j " + tool.command() + "            start a server and wait for connection",
                        "  rdma4j " + tool.command() + " <host>     connect to server at <host>")
                .optionListHeading("%nOptions:%n")
                .width(120);
        OptionList options = new OptionList(tool, spec);
        parameters.declare(options);
        options.flag("-h", "--help").description("Show this help screen.").into(value -> help = value);
        options.flag("-V", "--version").description("Display version number.").into(value -> version = value);
        options.end();
        line = new CommandLine(spec);
        line.setOverwrittenOptionsAllowed(true);
        line.setAbbreviatedOptionsAllowed(true);
        // As in C, a value may look like an option.
        line.setAllowOptionsAsOptionParameters(true);
    }

    /**
     * Parses it.
     *
     * @throws IllegalParameterException when it is invalid
     */
    public void parse(List<String> arguments) {
        ParseResult result;
        try {
            result = Ranges.parse(line, GetoptArguments.canonical(line.getCommandSpec(), arguments));
        } catch (UnmatchedArgumentException failure) {
            throw new IllegalParameterException(unmatched(failure.getUnmatched()));
        } catch (ParameterException failure) {
            throw new IllegalParameterException(failure.getMessage());
        }
        for (OptionSpec option : result.matchedOptions()) {
            ToolOption<?> declared = ToolOption.of(option);
            if (declared.others() != null && !Objects.equals(option.getValue(), option.initialValue())) {
                refuseOrIgnore(option, declared);
            }
        }
        if (!wantsHelp() && !wantsVersion()) {
            parameters.check();
        }
    }

    /** An option that the C tool accepts and ignores is also accepted and ignored here. */
    private void refuseOrIgnore(OptionSpec option, ToolOption<?> declared) {
        if (!option.getValue().equals(declared.alwaysElsewhere())) {
            String sentence =
                    Ranges.name(option) + " is for " + declared.others().words();
            IllegalParameterException.when(!declared.isIgnoredElsewhere(), sentence);
            parameters.adjusting().when(true, sentence + " and has no effect here");
        }
        try {
            option.setValue(option.initialValue());
        } catch (Exception impossible) {
            throw new AssertionError(option.toString(), impossible);
        }
    }

    private static String unmatched(List<String> arguments) {
        String first = arguments.getFirst();
        return first.startsWith("-")
                ? RefusedOptions.explain(first)
                : "'" + first + "' is one argument too many: only the server's name or address is expected";
    }

    /** Returns whether the help is requested. */
    public boolean wantsHelp() {
        return help;
    }

    /** Returns whether the version is requested. */
    public boolean wantsVersion() {
        return version;
    }

    /** Prints the help. */
    public void usage(PrintStream out) {
        line.usage(out);
    }

    /** Returns the parsed parameters. */
    public RunParameters parameters() {
        return parameters;
    }
}
