// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Parses arguments like getopt_long(3), which the C tools use: abbreviated long options, a value after {@code =} or as
 * the next argument whatever its first character is, clusters of short options, options after the host, and {@code --}.
 * An unknown option is left to picocli, which refuses it or expands an abbreviation of an option that only our tools
 * have.
 */
final class GetoptArguments {
    private static final String LONG = "--";

    private final CommandSpec spec;
    private final Iterator<String> rest;
    private final List<String> options = new ArrayList<>();
    private final List<String> operands = new ArrayList<>();

    private GetoptArguments(CommandSpec spec, List<String> arguments) {
        this.spec = spec;
        this.rest = arguments.iterator();
    }

    /**
     * Returns equivalent arguments with each option by its full name, its value after {@code =}, and the host at the
     * end.
     */
    static List<String> canonical(CommandSpec spec, List<String> arguments) {
        return new GetoptArguments(spec, arguments).read();
    }

    private List<String> read() {
        while (rest.hasNext()) {
            String argument = rest.next();
            if (argument.equals(LONG)) {
                rest.forEachRemaining(operands::add);
            } else if (argument.startsWith(LONG)) {
                readLong(argument);
            } else if (argument.startsWith("-") && argument.length() > 1) {
                readCluster(argument);
            } else {
                operands.add(argument);
            }
        }
        if (!operands.isEmpty()) {
            options.add(LONG);
            options.addAll(operands);
        }
        return options;
    }

    private void readLong(String argument) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        OptionSpec option = spec.findOption(name);
        if (option == null) {
            String full = LongNames.expand(name.substring(LONG.length()));
            option = full == null ? null : spec.findOption(LONG + full);
            name = full == null ? name : LONG + full;
        }
        if (option == null) {
            options.add(name + (equals < 0 ? "" : argument.substring(equals)));
        } else if (equals < 0) {
            add(option, name, null);
        } else {
            IllegalParameterException.when(!takesValue(option), name + " takes no value: leave out what follows '='");
            add(option, name, argument.substring(equals + 1));
        }
    }

    private void readCluster(String argument) {
        for (int i = 1; i < argument.length(); i++) {
            String name = "-" + argument.charAt(i);
            OptionSpec option = spec.findOption(name);
            if (option == null) {
                options.add(name);
            } else if (takesValue(option)) {
                String value = argument.substring(i + 1);
                add(option, name, value.isEmpty() ? null : value.startsWith("=") ? value.substring(1) : value);
                return;
            } else {
                add(option, name, null);
            }
        }
    }

    /** @param value null if none is attached to the option */
    private void add(OptionSpec option, String name, String value) {
        if (!takesValue(option)) {
            options.add(name);
            return;
        }
        String given = value == null && rest.hasNext() ? rest.next() : value;
        IllegalParameterException.when(
                given != null && given.isEmpty(),
                name + " has no value: leave it out, or give the value that was meant");
        options.add(given == null ? name : option.longestName() + "=" + given);
    }

    private static boolean takesValue(OptionSpec option) {
        return option.arity().max() > 0;
    }
}
