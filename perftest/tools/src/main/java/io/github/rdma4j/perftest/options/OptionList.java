// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Collects the options of a tool and declares them to picocli.
 *
 * <p>It uses picocli's builders instead of annotations: reading the annotations of a hundred fields at each start took
 * twice the time of an empty JVM.
 */
final class OptionList {
    private final Tool tool;
    private final CommandSpec spec;
    private final List<OptionSpec> hidden = new ArrayList<>();

    /** Options of {@code tool}, which go into {@code spec}. */
    OptionList(Tool tool, CommandSpec spec) {
        this.tool = tool;
        this.spec = spec;
    }

    /** The tool whose options they are. */
    Tool tool() {
        return tool;
    }

    /** An option without a value, which is false until it is given. */
    ToolOption<Boolean> flag(String... names) {
        return new ToolOption<Boolean>(this, boolean.class, names).initially(false);
    }

    /** An option with a whole number. */
    ToolOption<Integer> number(String... names) {
        return value(Integer.class, names);
    }

    /** An option with a value of a type that picocli supports, or that its converter creates. */
    <T> ToolOption<T> value(Class<T> type, String... names) {
        return new ToolOption<>(this, type, names);
    }

    /** An option with a list of words, separated by commas. */
    ToolOption<List<String>> words(String... names) {
        return new ToolOption<List<String>>(this, List.class, names).words().initially(List.of());
    }

    /** Adds the only positional argument, which is optional. */
    void argument(String label, String description, Consumer<String> field) {
        FieldBinding<String> binding = new FieldBinding<>(field);
        spec.add(PositionalParamSpec.builder()
                .type(String.class)
                .arity("0..1")
                .paramLabel(label)
                .description(description)
                .hidden(true)
                .getter(binding)
                .setter(binding)
                .build());
    }

    void add(OptionSpec option) {
        if (option.hidden()) {
            hidden.add(option);
        } else {
            spec.addOption(option);
        }
    }

    /**
     * Ends the list. Options that the tool does not have come last, also in a message that lists the expansions of an
     * abbreviation.
     */
    void end() {
        hidden.forEach(spec::addOption);
    }
}
