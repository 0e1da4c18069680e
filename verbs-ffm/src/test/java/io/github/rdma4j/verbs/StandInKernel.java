// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A kernel that seems to have an adapter ({@code src/test/c/kernel}), on which the adapter's real user-space driver
 * runs. Tests run in a JVM of their own, since a library that stands before libc has to be there from the start.
 *
 * @param device mlx5 or efa
 * @param folder that the library and the sysfs go into
 */
public record StandInKernel(String device, Path folder) {
    private static final Path SOURCES = Project.folder().resolve("verbs-ffm/src/test/c");

    /** Compiles it. */
    public void build() throws IOException, InterruptedException {
        ChildJvm.run(List.of("sh", SOURCES.resolve("kernel/build").toString(), device, library()));
    }

    /** {@return the script that runs a command on it} */
    Path run() {
        return SOURCES.resolve(device + "-kernel/run");
    }

    private String library() {
        return folder.resolve(device + "-kernel.so").toString();
    }

    /** Runs a command; settings are {@code NAME=VALUE} for its environment. */
    public List<String> run(List<String> settings, List<String> command) {
        List<String> all = new ArrayList<>(List.of("env"));
        all.addAll(settings);
        all.addAll(
                List.of("sh", run().toString(), library(), folder.resolve("sys").toString()));
        all.addAll(command);
        return all;
    }

    /** Plays classes of tests, with settings for the environment, and {@code -D…} for the JVM. */
    void play(List<Class<?>> classes, String... settings) throws IOException, InterruptedException {
        List<String> environment = new ArrayList<>();
        List<String> flags = new ArrayList<>();
        List.of(settings).forEach(setting -> (setting.startsWith("-") ? flags : environment).add(setting));
        List<String> command = new ArrayList<>(ChildJvm.command("org.junit.platform.console.ConsoleLauncher", flags));
        command.add("execute");
        classes.forEach(type -> command.add("--select-class=" + type.getName()));
        command.addAll(List.of("--include-classname=.*", "--details=tree", "--disable-banner", "--fail-if-no-tests"));
        List<String> printed = ChildJvm.run(run(environment, command));
        assertThat(printed).anyMatch(line -> line.matches(".*[1-9]\\d* tests successful.*"));
    }

    /** Controls the kernel from a test that runs on it. */
    static final class Control {
        private static final SymbolLookup LIBRARY =
                SymbolLookup.libraryLookup(Path.of(System.getenv("LD_PRELOAD")), Arena.global());
        private static final MethodHandle OBJECTS = Linker.nativeLinker()
                .downcallHandle(LIBRARY.findOrThrow("standin_objects"), FunctionDescriptor.of(JAVA_INT));

        private static final MethodHandle SET = Linker.nativeLinker()
                .downcallHandle(LIBRARY.findOrThrow("standin_set"), FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

        private Control() {}

        /** {@return how many objects the kernel has} */
        static int objects() {
            try {
                return (int) OBJECTS.invokeExact();
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        /**
         * Gives one of the stand-in's settings another value.
         *
         * @param name of the environment variable
         * @param value a number
         */
        static void set(String name, int value) {
            try (Arena arena = Arena.ofConfined()) {
                SET.invokeExact(arena.allocateFrom(name), arena.allocateFrom(Integer.toString(value)));
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }
}
