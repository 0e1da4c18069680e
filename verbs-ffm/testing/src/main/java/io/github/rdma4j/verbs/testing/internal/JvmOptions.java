// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.testing.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** Options of this JVM that the one in the guest gets as well. */
final class JvmOptions {
    private static final List<String> OPTIONS = List.of(
            "--add-opens=", "--add-exports=", "--add-reads=", "--enable-preview", "-ea", "-da", "-esa", "-dsa", "-Xss");

    // Properties of a JVM, of its machine, and of whoever started it.
    private static final List<String> NOT_OURS = List.of(
            "java.",
            "jdk.",
            "sun.",
            "os.",
            "user.",
            "file.",
            "path.",
            "line.",
            "native.",
            "stdout.",
            "stderr.",
            "stdin.",
            "awt.",
            "surefire.",
            "basedir",
            "localRepository",
            "idea.",
            "intellij.",
            "org.gradle.",
            "maven.",
            "com.sun.management.",
            "rdma4j.softroce");

    private JvmOptions() {}

    /** Options, with this JVM's own system properties among them. */
    static List<String> of(List<String> arguments, Properties properties) {
        List<String> options = new ArrayList<>();
        for (String argument : arguments) {
            // A package opened to a module by name is of no use where all is on the class path.
            if (OPTIONS.stream().anyMatch(argument::startsWith)) {
                options.add(
                        argument.startsWith("--add-")
                                ? argument.substring(0, argument.lastIndexOf('=') + 1) + "ALL-UNNAMED"
                                : argument);
            }
        }
        Map<String, String> sorted = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> sorted.put(name, properties.getProperty(name)));
        sorted.forEach((name, value) -> {
            if (NOT_OURS.stream().noneMatch(name::startsWith)) {
                options.add("-D" + name + "=" + value);
            }
        });
        return options;
    }

    /** A word of an argument file of the java launcher. */
    static String quote(String word) {
        return '"'
                + word.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                + '"';
    }
}
