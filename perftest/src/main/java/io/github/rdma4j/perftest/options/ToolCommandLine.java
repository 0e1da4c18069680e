// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line of a tool: its options, its help, and the sentences with which it refuses what makes no sense. */
public final class ToolCommandLine {
    @Command
    private static final class Options {
        @Mixin
        private final TestParameters parameters;

        @Option(
                names = {"-h", "--help"},
                description = "Show this help screen.")
        private boolean help;

        @Option(
                names = {"-V", "--version"},
                description = "Display version number.")
        private boolean version;

        private Options(Tool tool) {
            parameters = new TestParameters(tool);
        }
    }

    private final Tool tool;
    private final Options options;
    private final CommandLine line;

    /** The command line of a tool, not read yet. */
    public ToolCommandLine(Tool tool) {
        this.tool = tool;
        this.options = new Options(tool);
        // Picocli fills the defaults into the help text from here: they differ between tools.
        System.setProperty("rdma4j.default.iterations", Integer.toString(tool.defaultIterations()));
        System.setProperty("rdma4j.default.size", Long.toString(tool.defaultSize()));
        System.setProperty("rdma4j.default.depth", Integer.toString(tool.defaultTransmitDepth()));
        line = new CommandLine(options);
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
        hideWhatIsForOthers();
    }

    private void hideWhatIsForOthers() {
        for (OptionSpec option : List.copyOf(line.getCommandSpec().options())) {
            if (notFor(option) != null) {
                line.getCommandSpec().remove(option);
                line.getCommandSpec()
                        .add(OptionSpec.builder(option).hidden(true).build());
            }
        }
    }

    /** The set of tools which has the option, when this tool is not in it; else null. */
    private ToolSet notFor(OptionSpec option) {
        OnlyFor only = Ranges.annotation(option, OnlyFor.class);
        if (only != null) {
            for (ToolSet set : only.value()) {
                if (!set.contains(tool)) {
                    return set;
                }
            }
        }
        return null;
    }

    /**
     * Reads it.
     *
     * @throws IllegalParameterException when it makes no sense
     */
    public void parse(List<String> arguments) {
        ParseResult result;
        try {
            result = Ranges.parse(line, arguments);
        } catch (UnmatchedArgumentException failure) {
            throw new IllegalParameterException(unmatched(failure.getUnmatched()));
        } catch (ParameterException failure) {
            throw new IllegalParameterException(failure.getMessage());
        }
        for (OptionSpec option : result.matchedOptions()) {
            ToolSet others = notFor(option);
            if (others != null && !Objects.equals(option.getValue(), option.initialValue())) {
                refuseOrIgnore(option, others);
            }
        }
        if (!wantsHelp() && !wantsVersion()) {
            options.parameters.check();
        }
    }

    /** What the tool of C takes, though nothing follows from it there either, is taken here, too. */
    private void refuseOrIgnore(OptionSpec option, ToolSet others) {
        String sentence = Ranges.name(option) + " is for " + others.words();
        OnlyFor only = Ranges.annotation(option, OnlyFor.class);
        IllegalParameterException.when(only == null || !only.ignoredElsewhere(), sentence);
        options.parameters.adjusting().when(true, sentence + " and has no effect here");
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

    /** Whether the help is asked for. */
    public boolean wantsHelp() {
        return options.help;
    }

    /** Whether the version is asked for. */
    public boolean wantsVersion() {
        return options.version;
    }

    /** Prints the help. */
    public void usage(PrintStream out) {
        line.usage(out);
    }

    /** What was read. */
    public TestParameters parameters() {
        return options.parameters;
    }
}
