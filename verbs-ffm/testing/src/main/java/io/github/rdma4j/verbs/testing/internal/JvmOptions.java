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
    // Not --add-modules: there all modules are on the class path, where the JVM would not find them by name.
    private static final List<String> OPTIONS = List.of(
            "--add-opens=", "--add-exports=", "--add-reads=", "--enable-preview", "-ea", "-da", "-esa", "-dsa", "-Xss");

    // Properties of this machine and of the program that started this JVM. A dot at the end stands for any name that
    // begins so.
    private static final List<String> OF_THIS_JVM = List.of(
            "java.home",
            "java.io.tmpdir",
            "java.library.path",
            "jdk.module.",
            "user.dir",
            "surefire.",
            "basedir",
            "localRepository",
            "idea.",
            "intellij.",
            "org.gradle.",
            "maven.",
            "com.sun.management.",
            "rdma4j.softroce",
            "rdma4j.softroce.");

    // Properties that each JVM sets: passed only if they are on the command line.
    private static final List<String> OF_EACH_JVM = List.of(
            "java.",
            "jdk.",
            "sun.",
            "os.arch",
            "os.name",
            "os.version",
            "user.home",
            "user.name",
            "file.encoding",
            "file.separator",
            "path.separator",
            "line.separator",
            "native.encoding",
            "stdout.encoding",
            "stderr.encoding",
            "stdin.encoding",
            "awt.toolkit");

    private JvmOptions() {}

    /** Options, with this JVM's own system properties among them. */
    static List<String> of(List<String> arguments, Properties properties) {
        List<String> options = new ArrayList<>();
        // Surefire enables them without an option.
        if (JvmOptions.class.desiredAssertionStatus()) {
            options.add("-ea");
        }
        for (String argument : arguments) {
            // A package opened to a module by name is of no use where all is on the class path.
            if (OPTIONS.stream().anyMatch(argument::startsWith)) {
                options.add(
                        argument.startsWith("--add-")
                                ? argument.substring(0, argument.lastIndexOf('=') + 1) + "ALL-UNNAMED"
                                : argument);
            } else if (argument.startsWith("-D")) {
                String name = argument.substring(2).split("=", 2)[0];
                // The others are among the properties.
                if (isOneOf(OF_EACH_JVM, name) && !isOneOf(OF_THIS_JVM, name)) {
                    options.add(argument);
                }
            }
        }
        Map<String, String> sorted = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> sorted.put(name, properties.getProperty(name)));
        sorted.forEach((name, value) -> {
            if (!isOneOf(OF_EACH_JVM, name) && !isOneOf(OF_THIS_JVM, name)) {
                options.add("-D" + name + "=" + value);
            }
        });
        return options;
    }

    private static boolean isOneOf(List<String> names, String name) {
        return names.stream().anyMatch(one -> one.endsWith(".") ? name.startsWith(one) : name.equals(one));
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
