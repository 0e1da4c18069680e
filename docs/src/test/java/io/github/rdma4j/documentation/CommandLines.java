// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.Program;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.ToolCommandLine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds mistakes in command lines, as far as they are about this project. */
final class CommandLines {
    /** Programs of other projects. Only arguments that name files of this project are checked. */
    private static final Set<String> KNOWN = Set.of(
            "apt-get",
            "cargo",
            "cd",
            "chmod",
            "cp",
            "dnf",
            "git",
            "ibv_devices",
            "ibv_devinfo",
            "java",
            "jcmd",
            "jfr",
            "jq",
            "modprobe",
            "mvn",
            "pdsh",
            "rdma",
            "sleep",
            "srun",
            "tar",
            "tc",
            "test",
            "ulimit",
            "wait");
    /** Commands that run the rest of the line. */
    private static final Set<String> PREFIXES = Set.of("sudo", "time");

    /** With it, compare has other options. */
    private static final List<String> OTHER_COMPARISONS = List.of("--serve");

    /** Each has options of its own. */
    private static final Map<String, Set<String>> SUBCOMMANDS = Map.of(
            "scripts/bench", Set.of("cuda", "instructions", "netty", "start", "tcp", "verbs"),
            "scripts/evidence", Set.of("adapter", "gpu"),
            "scripts/softroce", Set.of("image", "on", "wire"));

    private static final String IMAGE = "rdma4j/softroce";
    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_]\\w*=(.*)", Pattern.DOTALL);
    private static final Pattern OUR_FILE =
            Pattern.compile("(?:\\.\\./)?((?:docs|scripts|perftest|verbs-ffm|cuda-ffm|gpudirect)/.*)");
    private static final Pattern OUR_CLASS = Pattern.compile("io\\.github\\.rdma4j(\\.\\w+)+");
    /** "  --cpus N", "  --host, --vm", "  -d, --device=<device>". */
    private static final Pattern HELP = Pattern.compile("\\s+((?:--?[\\w-]+(?:, )?)+)(\\[?[ =]\\S+)?(\\s.*)?");

    private static final Map<String, Map<String, Boolean>> OPTIONS = new HashMap<>();

    private final List<String> faults = new ArrayList<>();

    private CommandLines() {}

    /** One sentence for each fault of a script. */
    static List<String> faults(String script) {
        CommandLines lines = new CommandLines();
        lines.script(script);
        return lines.faults;
    }

    /** The options that a script of ours lists with --help, and whether they take a value. */
    static Map<String, Boolean> options(String script) {
        return OPTIONS.computeIfAbsent(script, CommandLines::readHelp);
    }

    private void script(String script) {
        ShellWords.commands(script).forEach(this::command);
    }

    private void command(List<String> words) {
        String program = words.getFirst();
        List<String> rest = words.subList(1, words.size());
        Matcher assignment = ASSIGNMENT.matcher(program);
        if (assignment.matches()) {
            if (rest.isEmpty()) {
                script(assignment.group(1));
            } else {
                // A variable for one command.
                command(rest);
            }
            return;
        }
        if (PREFIXES.contains(program)) {
            command(rest);
        } else if (program.matches("(.*/)?bin/rdma4j|rdma4j|scripts/rdma4j")) {
            tool(rest);
        } else if (program.startsWith("ib_")) {
            tool(words);
        } else if (program.matches("(\\.\\./|rdma4j/)?scripts/.*")) {
            ourScript(program.substring(program.indexOf("scripts/")), rest);
        } else if (program.equals("bash") && rest.size() > 1 && rest.getFirst().equals("-c")) {
            script(rest.get(1));
        } else if (program.equals("docker") && rest.contains(IMAGE)) {
            // The arguments after the image's name go to scripts/softroce.
            ourScript("scripts/softroce", rest.subList(rest.indexOf(IMAGE) + 1, rest.size()));
        } else if (KNOWN.contains(program) || program.equals("docker") || program.matches("\\$[A-Z]|[A-Z]+")) {
            rest.forEach(this::word);
        } else {
            faults.add(program + ": no program that the tests know");
        }
    }

    private void word(String word) {
        Matcher file = OUR_FILE.matcher(word);
        if (file.matches()
                && !file.group(1).contains("/target/")
                && !Files.exists(Pages.root().resolve(file.group(1)))) {
            faults.add(word + ": no such file");
        }
        if (OUR_CLASS.matcher(word).matches() && !isOurClass(word)) {
            faults.add(word + ": no such class");
        }
    }

    private static boolean isOurClass(String name) {
        String file = name.replace('.', '/') + ".java";
        return Stream.of(
                        "verbs-ffm",
                        "cuda-ffm",
                        "gpudirect",
                        "perftest",
                        "perftest/tools",
                        "perftest/diagnosis",
                        "perftest/comparison")
                .flatMap(module -> Stream.of(module + "/src/main/java/", module + "/src/test/java/"))
                .anyMatch(folder -> Files.exists(Pages.root().resolve(folder + file)));
    }

    /** A script's own options end with the first word that is none: what follows is a command for softroce. */
    private void ourScript(String script, List<String> words) {
        Set<String> subcommands = SUBCOMMANDS.getOrDefault(script, Set.of());
        String first = words.isEmpty() ? "" : words.getFirst();
        if (!Files.isExecutable(Pages.root().resolve(script))) {
            faults.add(script + ": no such script");
        } else if (subcommands.contains(first)) {
            arguments(script + " " + first, words.subList(1, words.size()));
        } else if (first.matches("\\w.*") && !subcommands.isEmpty() && !script.equals("scripts/softroce")) {
            faults.add(script + ": there is no " + first);
        } else {
            arguments(script, words);
        }
    }

    private void arguments(String script, List<String> words) {
        int i = 0;
        while (i < words.size() && words.get(i).matches("--?\\w.*")) {
            String option = words.get(i).split("=")[0];
            Boolean takesValue = options(script).get(option);
            if (takesValue == null) {
                faults.add(script + " has no option " + option);
                return;
            }
            i += takesValue && !words.get(i).contains("=") ? 2 : 1;
        }
        List<String> rest = words.subList(Math.min(i, words.size()), words.size());
        // An optional part, as usage lines write it.
        boolean command = script.equals("scripts/softroce")
                && !rest.isEmpty()
                && !rest.getFirst().startsWith("[");
        if (command) {
            command(rest);
        } else {
            rest.forEach(this::word);
        }
    }

    private void tool(List<String> words) {
        if (words.isEmpty()) {
            // A sentence about the launcher.
            return;
        }
        var tool = Tool.ofCommand(words.getFirst());
        if (tool.isPresent()) {
            try {
                new ToolCommandLine(tool.get()).parse(words.subList(1, words.size()));
            } catch (IllegalParameterException failure) {
                faults.add(String.join(" ", words) + ": " + failure.getMessage());
            }
            return;
        }
        List<String> asked =
                new ArrayList<>(words.subList(0, words.getFirst().equals("gpu") && words.size() > 1 ? 2 : 1));
        OTHER_COMPARISONS.stream().filter(words::contains).forEach(asked::add);
        asked.add("--help");
        CommandRun help = Program.run(asked);
        if (help.status() != 0) {
            faults.add(String.join(" ", words) + ": " + help.err());
            return;
        }
        Set<String> options = optionsOf(help.out()).keySet();
        words.stream()
                .filter(word -> word.startsWith("-"))
                .map(word -> word.split("=")[0])
                .filter(option -> !options.contains(option) && !asked.contains(option))
                .forEach(option -> faults.add(words.getFirst() + " has no option " + option));
    }

    private static Map<String, Boolean> readHelp(String script) {
        List<String> words = new ArrayList<>(List.of(script.split(" ")));
        Path file = Pages.root().resolve(words.getFirst());
        // Not all scripts have a help: one without options would begin its work.
        if (!Pages.text(file).contains("--help")) {
            return Map.of();
        }
        words.set(0, file.toString());
        words.add("--help");
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            return optionsOf(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Map<String, Boolean> optionsOf(String help) {
        Map<String, Boolean> options = new HashMap<>();
        for (String line : help.split("\n")) {
            // Two spaces stand between an option and what it does.
            Matcher matcher = HELP.matcher(line.replaceAll("(\\S) {2,}.*", "$1"));
            if (matcher.matches()) {
                for (String name : matcher.group(1).split(", ")) {
                    options.put(name, matcher.group(2) != null);
                }
            }
        }
        return options;
    }
}
