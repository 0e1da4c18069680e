// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The example programs of docs/examples, compiled and run as their readers would. */
public final class ExamplePrograms implements AutoCloseable {
    public static final List<String> NAMES =
            List.of("Anywhere", "FirstEndpoint", "KeyValue", "Publisher", "SendFile", "WriteToPeer");

    private final List<Process> processes = new ArrayList<>();

    public static Path source(String name) {
        return Project.page("examples").resolve(name + ".java");
    }

    private static Path folder(String name) throws IOException {
        return Project.folder()
                .resolve("verbs-ffm/target/examples")
                .resolve(name + "-"
                        + Integer.toHexString(Files.readString(source(name)).hashCode()));
    }

    /** The folder of a program's classes. Compiles it if the unit tests have not: that takes a minute in a guest. */
    public static Path classes(String name) throws Exception {
        Path classes = folder(name);
        if (!Files.exists(classes.resolve(name + ".class"))) {
            String complaints = compile(name);
            if (!complaints.isEmpty()) {
                throw new AssertionError(complaints);
            }
        }
        return classes;
    }

    /** Compiles a program and returns the compiler's errors and warnings. */
    public static String compile(String name) throws Exception {
        Path classes = folder(name);
        Files.createDirectories(classes);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-Xlint:all,-restricted,-processing,-path",
                    "--release",
                    "25",
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path"));
            boolean compiled = compiler.getTask(
                            complaints, files, null, options, null, files.getJavaFileObjects(source(name)))
                    .call();
            return compiled ? complaints.toString() : "does not compile: " + complaints;
        }
    }

    public Process start(String name, String... arguments) throws Exception {
        List<String> command = ChildJvm.command(name, List.of(), classes(name));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(process);
        return process;
    }

    /**
     * Runs a program in this JVM, with its classes loaded again, and returns its output. A new JVM takes 20 s to start
     * in the microVM; {@link #start} tests that.
     */
    public static String run(String name, String... arguments) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            runMain(name, arguments);
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }

    /**
     * Runs a program in this JVM, with its classes loaded again. Its exception is wrapped in an
     * InvocationTargetException.
     */
    public static void runMain(String name, String... arguments) throws Exception {
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes(name).toUri().toURL()})) {
            Class<?> program = loader.loadClass(name);
            Constructor<?> constructor = program.getDeclaredConstructor();
            constructor.setAccessible(true);
            Method main = program.getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(constructor.newInstance(), (Object) arguments);
        }
    }

    /** The port in the first line of a server, which ends with its address. */
    public static String port(BufferedReader output) throws Exception {
        String line = output.readLine();
        if (line == null) {
            throw new AssertionError("the program ended without a word");
        }
        return line.substring(line.lastIndexOf(':') + 1);
    }

    public static String output(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(180, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError("the program failed: " + output);
        }
        return output;
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }
}
