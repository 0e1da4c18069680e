// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Set;

/** The options that the C tools have and we have not, so that their users are told so and not that they do not exist. */
final class OptionsOfC {
    private static final String SHORT = "";

    private static final Set<String> LONG = Set.of("connectionless", "flows", "flows_burst", "send_with_imm");

    private OptionsOfC() {}

    /** Why an option was not understood. */
    static String explain(String argument) {
        String option = argument.startsWith("--") || argument.length() < 2
                ? argument.replaceFirst("=.*$", "")
                : argument.substring(0, 2);
        String reason = RefusedOptions.reason(option);
        if (reason != null) {
            return "option '" + argument + "' of the C tools is refused: " + reason;
        }
        String name = option.replaceFirst("^-+", "");
        boolean known =
                argument.startsWith("--") ? LONG.contains(name) : !name.isEmpty() && SHORT.indexOf(name.charAt(0)) >= 0;
        return known
                ? "option '" + argument + "' of the C tools is not supported yet"
                : "unknown option '" + argument + "'";
    }
}
