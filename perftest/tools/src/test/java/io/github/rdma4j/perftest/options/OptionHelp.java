// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.CommandRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which options the tools list when they are asked for --help, those in C and ours. */
final class OptionHelp {
    /** "  -a, --all  Run sizes…", "      --odp  Use…"; in ours perhaps with a second long name. */
    private static final Pattern LINE = Pattern.compile("\\s+((?:-\\w, )?--[\\w-]+(?:, --[\\w-]+)?).*");

    private OptionHelp() {}

    /** The tools that have an option, by its names as the page writes them: "-a, --all". */
    static Map<String, Set<Tool>> ofC(String folder) throws IOException, InterruptedException {
        Map<String, Set<Tool>> options = new TreeMap<>();
        for (Tool tool : Tool.values()) {
            Process process = new ProcessBuilder(folder + tool.command(), "--help")
                    .redirectErrorStream(true)
                    .start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            add(options, tool, text);
        }
        return options;
    }

    static Map<String, Set<Tool>> ofOurs() {
        Map<String, Set<Tool>> options = new TreeMap<>();
        for (Tool tool : Tool.values()) {
            add(options, tool, CommandRun.of(tool, "--help").out());
        }
        return options;
    }

    private static void add(Map<String, Set<Tool>> options, Tool tool, String text) {
        boolean found = false;
        for (String line : text.lines().toList()) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                options.computeIfAbsent(matcher.group(1), key -> EnumSet.noneOf(Tool.class))
                        .add(tool);
                found = true;
            }
        }
        if (!found) {
            throw new AssertionError(tool.command() + " --help lists no options:\n" + text);
        }
    }
}
