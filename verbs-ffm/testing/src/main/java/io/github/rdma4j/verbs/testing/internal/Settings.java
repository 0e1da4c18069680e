// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import io.github.rdma4j.verbs.testing.SoftRoceContainer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The system properties that {@code SoftRoce} documents. */
final class Settings {
    private static final String PREFIX = "rdma4j.softroce";

    private Settings() {}

    static String mode() {
        String mode = System.getProperty(PREFIX);
        if (mode == null) {
            mode = System.getenv("RDMA4J_SOFTROCE");
        }
        return mode == null || mode.isBlank() ? "auto" : mode.strip();
    }

    static String image() {
        return text("image").orElse(SoftRoceContainer.IMAGE);
    }

    static Optional<Integer> cpus() {
        return number("cpus");
    }

    static Optional<Integer> memory() {
        return number("memory");
    }

    static Duration testTimeout() {
        return Duration.ofSeconds(number("testTimeout").orElse(120));
    }

    static Duration classTimeout() {
        return Duration.ofSeconds(number("classTimeout").orElse(1800));
    }

    static Optional<Pattern> classes() {
        return text("classes").map(expression -> {
            try {
                return Pattern.compile(expression);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException(PREFIX + ".classes is no regular expression: " + e.getMessage(), e);
            }
        });
    }

    static List<String> jvm() {
        return text("jvm").map(options -> List.of(options.split("\\s+"))).orElse(List.of());
    }

    static List<String> environment() {
        return text("environment")
                .map(names -> List.of(names.split("\\s*,\\s*")))
                .orElse(List.of());
    }

    /** bind, copy or auto. */
    static String transfer() {
        String transfer = text("transfer").orElse("auto");
        if (!List.of("auto", "bind", "copy").contains(transfer)) {
            throw new IllegalArgumentException(
                    PREFIX + ".transfer is \"" + transfer + "\"; it can be auto, bind or copy");
        }
        return transfer;
    }

    private static Optional<String> text(String name) {
        return Optional.ofNullable(System.getProperty(PREFIX + "." + name))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    private static Optional<Integer> number(String name) {
        return text(name).map(value -> {
            try {
                int number = Integer.parseInt(value);
                if (number > 0) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Refused below, with the value.
            }
            throw new IllegalArgumentException(PREFIX + "." + name + " is \"" + value + "\", not a number above 0");
        });
    }
}
