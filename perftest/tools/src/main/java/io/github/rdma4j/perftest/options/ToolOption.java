// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option of a tool: picocli's declaration and our additions. {@link #into} ends its declaration.
 *
 * @param <T> the type of its value
 */
final class ToolOption<T> {
    private final OptionList list;
    private final OptionSpec.Builder builder;
    private Range range;
    private List<ToolSet> onlyFor = List.of();
    private boolean ignoredElsewhere;
    private T alwaysElsewhere;

    ToolOption(OptionList list, Class<?> type, String... names) {
        this.list = list;
        this.builder = OptionSpec.builder(names).type(type).userObject(this);
    }

    /** The declaration of picocli's option; null when it was not declared by this class. */
    static ToolOption<?> of(ArgSpec option) {
        return option.userObject() instanceof ToolOption<?> declared ? declared : null;
    }

    /** The name of its value in the help. */
    ToolOption<T> label(String label) {
        builder.paramLabel(label);
        return this;
    }

    /** Sets its line in the help, in which picocli replaces variables. */
    ToolOption<T> description(String description) {
        builder.description(description);
        return this;
    }

    /** Sets the converter from text to a value. */
    ToolOption<T> converter(ITypeConverter<T> converter) {
        builder.converters(converter);
        return this;
    }

    /** Accepts several words, separated by commas. */
    ToolOption<T> words() {
        builder.auxiliaryTypes(String.class).splitRegex(",");
        return this;
    }

    /** Sets the range that is valid on any device. */
    ToolOption<T> within(long least, long most) {
        range = new Range(least, most, false);
        return this;
    }

    /** Restricts the values {@link #within} its range to powers of two. */
    ToolOption<T> powersOfTwo() {
        range = new Range(range.least(), range.most(), true);
        return this;
    }

    /** Restricts it to the tools in all of these sets. Other tools do not show it, and refuse it. */
    ToolOption<T> onlyFor(ToolSet... sets) {
        onlyFor = List.of(sets);
        return this;
    }

    /** Lets the other tools accept the option and ignore it, as the C tools do. */
    ToolOption<T> ignoredElsewhere() {
        ignoredElsewhere = true;
        return this;
    }

    /** Lets the other tools accept this value of the option, which is the only one they have, as the C tools do. */
    ToolOption<T> alwaysElsewhere(T value) {
        alwaysElsewhere = value;
        return this;
    }

    /** Sets the initial value of the option; without it, null. */
    ToolOption<T> initially(T value) {
        builder.initialValue(value);
        return this;
    }

    /** Adds it to the command. {@code field} receives its value when the command line is parsed. */
    void into(Consumer<T> field) {
        FieldBinding<T> binding = new FieldBinding<>(field);
        list.add(
                builder.getter(binding).setter(binding).hidden(others() != null).build());
    }

    /** Returns its range; null for all values. */
    Range range() {
        return range;
    }

    /** Returns the set of tools with the option if its own tool is not in the set; otherwise null. */
    ToolSet others() {
        for (ToolSet set : onlyFor) {
            if (!set.contains(list.tool())) {
                return set;
            }
        }
        return null;
    }

    /** The value that a tool has in any case which has not the option; null for none. */
    T alwaysElsewhere() {
        return alwaysElsewhere;
    }

    /** Returns whether a tool that does not have the option ignores it. */
    boolean isIgnoredElsewhere() {
        return ignoredElsewhere;
    }
}
