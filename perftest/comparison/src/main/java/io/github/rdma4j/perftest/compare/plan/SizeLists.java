// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Parses the tools and sizes to run: {@code --tools LIST}, and any number of {@code --sizes [TOOL=]LIST}. */
final class SizeLists {
    private static final String ALL = "all";

    /** The operands of the atomic operations have no other size. */
    private static final List<Long> ATOMIC_SIZES = List.of(8L);

    private static final List<Long> LATENCY_SIZES = List.of(2L);
    private static final List<Long> BANDWIDTH_SIZES = List.of(4096L, 65536L);

    private SizeLists() {}

    /**
     * Parses a list of tools, or "all".
     *
     * @throws IllegalParameterException when a name is unknown or repeated, or the list is empty
     */
    static List<Tool> tools(String text) {
        if (text.strip().equals(ALL)) {
            return List.of(Tool.values());
        }
        List<Tool> tools = new ArrayList<>();
        for (String name : text.split(",", -1)) {
            Tool tool = tool("--tools", name.strip());
            if (tools.contains(tool)) {
                throw new IllegalParameterException("--tools: " + tool.command() + " is there twice");
            }
            tools.add(tool);
        }
        return tools;
    }

    /** Returns the tool with a name in the value of an option. */
    static Tool tool(String option, String name) {
        return Tool.ofCommand(name)
                .orElseThrow(() -> new IllegalParameterException(option + ": there is no tool '" + name
                        + "'; there are "
                        + String.join(
                                ", ",
                                Arrays.stream(Tool.values()).map(Tool::command).toList())));
    }

    /**
     * Returns the rows of the comparison.
     *
     * @param tools the chosen tools
     * @param texts values of --sizes: a list with a tool's name applies to this tool, and one without to all others
     *     that support its sizes
     * @throws IllegalParameterException when one is invalid, or for a tool that is not selected
     */
    static List<CompareCase> cases(List<Tool> tools, List<String> texts) {
        Map<Tool, List<Long>> named = new EnumMap<>(Tool.class);
        List<Long> common = null;
        for (String text : texts) {
            int equals = text.indexOf('=');
            List<Long> sizes = sizes(text.substring(equals + 1));
            if (equals < 0) {
                refuse(common != null, "--sizes: two lists without a tool's name");
                common = sizes;
            } else {
                Tool tool = tool("--sizes", text.substring(0, equals).strip());
                refuse(!tools.contains(tool), "--sizes: " + tool.command() + " is not among the --tools");
                refuse(named.put(tool, sizes) != null, "--sizes: two lists for " + tool.command());
                refuse(
                        tool.verb() == Verb.ATOMIC && !sizes.equals(ATOMIC_SIZES),
                        "--sizes: the operands of " + tool.command() + " have 8 bytes");
            }
        }
        List<CompareCase> cases = new ArrayList<>();
        for (Tool tool : tools) {
            List<Long> others = common != null && tool.verb() != Verb.ATOMIC ? common : defaults(tool);
            named.getOrDefault(tool, others).forEach(size -> cases.add(new CompareCase(tool, size)));
        }
        return cases;
    }

    private static List<Long> defaults(Tool tool) {
        if (tool.verb() == Verb.ATOMIC) {
            return ATOMIC_SIZES;
        }
        return tool.isLatency() ? LATENCY_SIZES : BANDWIDTH_SIZES;
    }

    private static List<Long> sizes(String text) {
        List<Long> sizes = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            long size = Ranges.messageSize("--sizes", word.strip());
            refuse(sizes.contains(size), "--sizes: " + size + " is there twice");
            sizes.add(size);
        }
        return sizes;
    }

    private static void refuse(boolean condition, String message) {
        if (condition) {
            throw new IllegalParameterException(message);
        }
    }
}
