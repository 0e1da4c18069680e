// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program in a JVM of its own: for what changes or breaks the whole JVM, such as limits and the carriers of virtual
 * threads, and for peers that are killed.
 */
public final class ChildJvm {
    private static final int MINUTES = 5;

    /**
     * Options for a short-lived JVM. In an emulated guest, compilation takes half of a start, because the emulator
     * translates the compiled code once more. So interpreting for longer pays.
     */
    private static final List<String> QUICK_TO_START = List.of(
            "-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=10", "-XX:+UseSerialGC", "-XX:-UsePerfData");

    /** The classes that this JVM was started with: see scripts/lib/device-tests. */
    private static final List<String> LOADED_CLASSES = Stream.ofNullable(System.getProperty("rdma4j.tests.classes"))
            .flatMap(file -> Stream.of(
                    "-XX:AOTCache=" + file,
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0",
                    "-Xlog:aot=off",
                    "-Xlog:cds=off"))
            .toList();

    private ChildJvm() {}

    /**
     * Loads the library's classes into this JVM, which must be one of its own that will have no file descriptor left:
     * without one none can be loaded.
     */
    public static void loadClasses() throws Exception {
        for (String folder : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(folder)) && !folder.endsWith("test-classes")) {
                try (Stream<Path> files = Files.walk(Path.of(folder, "io/github/rdma4j"))) {
                    for (Path file : files.toList()) {
                        String name = Path.of(folder).relativize(file).toString();
                        if (name.matches(".*/(base|verbs(/endpoint|/cm|/internal(/\\w+)*)?)/\\w+([$]\\w+)*[.]class")) {
                            Class.forName(
                                    name.substring(0, name.length() - 6).replace('/', '.'),
                                    false,
                                    ChildJvm.class.getClassLoader());
                        }
                    }
                }
            }
        }
    }

    /**
     * A command that starts a program with the class path of this JVM.
     *
     * @param main name of a class with a {@code main} method
     * @param flags of the JVM
     * @param classes more folders for the class path, behind it
     * @return the command, to which the program's arguments can be added
     */
    public static List<String> command(String main, List<String> flags, Path... classes) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(QUICK_TO_START);
        command.addAll(LOADED_CLASSES);
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(flags);
        StringBuilder path = new StringBuilder(System.getProperty("java.class.path"));
        for (Path folder : classes) {
            path.append(File.pathSeparatorChar).append(folder);
        }
        command.addAll(List.of("-cp", path.toString(), main));
        return command;
    }

    /**
     * Runs a program with the class path of this JVM, and fails if it does not end well within five minutes.
     *
     * @param main with a {@code main} method
     * @param flags of the JVM
     * @return the lines that it printed
     */
    public static List<String> run(Class<?> main, String... flags) throws IOException, InterruptedException {
        return run(command(main.getName(), List.of(flags)));
    }

    /**
     * Runs a command, and fails if it does not end well within five minutes.
     *
     * @param command with its arguments
     * @return the lines that it printed
     */
    public static List<String> run(List<String> command) throws IOException, InterruptedException {
        File printed = File.createTempFile("child-jvm", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(printed)
                .start();
        try {
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            List<String> lines = Files.readAllLines(printed.toPath());
            assertThat(ended).as("it hangs; it printed %s", lines).isTrue();
            assertThat(process.exitValue()).as(String.join("\n", lines)).isZero();
            return lines;
        } finally {
            process.destroyForcibly();
            Files.delete(printed.toPath());
        }
    }
}
