// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.Complaints;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Commands of which the first argument chooses one: subcommands of picocli. */
final class CommandGroup {
    private static final int OK = 0;
    private static final int WIDTH = 120;

    private final String name;
    private final List<Command> commands;

    /**
     * @param name what a user types before a command's name
     */
    CommandGroup(String name, List<Command> commands) {
        this.name = name;
        Command help = new Command("help", "Shows the options of a command", this::help);
        this.commands = Stream.concat(commands.stream(), Stream.of(help)).toList();
    }

    private int help(List<String> arguments, PrintStream out, PrintStream err) {
        return run(Stream.concat(arguments.stream(), Stream.of("--help")).toList(), out, err);
    }

    /** Runs the command that the first argument names, and returns its exit status. */
    int run(List<String> arguments, PrintStream out, PrintStream err) {
        Complaints complaints = new Complaints(name, name + " --help", err);
        List<String> others = new ArrayList<>();
        CommandLine line = new CommandLine(spec(others)).setExpandAtFiles(false).setStopAtUnmatched(true);
        ParseResult result = line.parseArgs(arguments.toArray(String[]::new));
        if (result.isUsageHelpRequested()) {
            line.usage(out);
            return OK;
        }
        if (result.isVersionHelpRequested()) {
            out.println(BuildInfo.describe());
            return OK;
        }
        if (!result.unmatched().isEmpty()) {
            String first = result.unmatched().getFirst();
            return complaints.usage("there is no " + (first.startsWith("-") ? "option" : "command") + " '" + first
                    + "'; the commands are " + names());
        }
        if (!result.hasSubcommand()) {
            return complaints.usage("which command? One of " + names());
        }
        Command command = (Command) result.subcommand().commandSpec().userObject();
        return command.body().run(others, out, err);
    }

    private String names() {
        return commands.stream().map(Command::name).collect(Collectors.joining(", "));
    }

    /**
     * @param others receives the arguments after the command's name: the command has a parser of its own
     */
    private CommandSpec spec(List<String> others) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().width(WIDTH).synopsisSubcommandLabel("COMMAND").commandListHeading("%nCommands:%n");
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help screen.")
                .build());
        spec.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Display version number.")
                .build());
        for (Command command : commands) {
            CommandSpec member = CommandSpec.wrapWithoutInspection(command);
            member.usageMessage().description(command.title());
            member.preprocessor((stack, _, _, _) -> {
                while (!stack.isEmpty()) {
                    others.add(stack.pop());
                }
                return true;
            });
            spec.addSubcommand(command.name(), member);
        }
        return spec;
    }
}
