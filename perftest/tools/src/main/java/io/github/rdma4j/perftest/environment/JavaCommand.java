// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of another JVM like this one. */
public final class JavaCommand {
    /** Flags that two JVMs cannot share, because they open a port. */
    private static final List<String> NOT_TWICE =
            List.of("-agentlib:jdwp", "-Xrunjdwp", "-Dcom.sun.management.jmxremote");

    private static final String NATIVE_ACCESS = "--enable-native-access";

    private JavaCommand() {}

    /** The flags that this JVM was started with. */
    public static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments();
    }

    /** Returns a command with the same java, flags and class path, but another main class. */
    public static List<String> of(Class<?> main) {
        Module module = main.getModule();
        return of(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                flags(),
                module.isNamed() ? System.getProperty("jdk.module.path") : System.getProperty("java.class.path"),
                module.getName(),
                main.getName());
    }

    /**
     * @param module name of the module that the class is in; null for the class path
     */
    public static List<String> of(Path java, List<String> flags, String path, String module, String main) {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        flags.stream()
                .filter(flag -> NOT_TWICE.stream().noneMatch(flag::startsWith))
                .forEach(command::add);
        if (flags.stream().noneMatch(flag -> flag.startsWith(NATIVE_ACCESS))) {
            // The manifest of a runnable jar enables native access, but only for a JVM that is started with -jar.
            command.add(NATIVE_ACCESS + "=" + (module == null ? "ALL-UNNAMED" : module));
        }
        command.addAll(module == null ? List.of("-cp", path, main) : List.of("-p", path, "-m", module + "/" + main));
        return command;
    }
}
