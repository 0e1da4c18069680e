// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The other side of a test, or a tool under special conditions, as a process; its output goes to a file. */
final class PeerProcess implements AutoCloseable {
    /**
     * The option of env(1) for what {@link #signal} is to interrupt: a shell without job control has what it starts in
     * the background ignore SIGINT, and all that starts from there.
     */
    static final String INTERRUPTIBLE = "--default-signal=INT";

    private static final Duration START = Duration.ofSeconds(240);

    /**
     * Quick to start, also under emulation, where compiling is dear: with the first compiler, for what runs often, and
     * the classes that scripts/lib/device-tests has had loaded before.
     */
    private static final List<String> QUICK = Stream.concat(
                    Stream.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=10"),
                    Stream.ofNullable(System.getProperty("rdma4j.tests.classes"))
                            .flatMap(file -> Stream.of(
                                    "-XX:AOTCache=" + file,
                                    "-XX:+UnlockDiagnosticVMOptions",
                                    "-XX:ArchiveRelocationMode=0",
                                    "-Xlog:aot=off",
                                    "-Xlog:cds=off")))
            .toList();

    private final Process process;
    private final Path output;

    /** Starts a command; one that does not exist fails the test. */
    PeerProcess(List<String> command) throws IOException {
        output = Files.createTempFile("rdma4j-peer", ".out");
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** Starts one of the C tools, of the package perftest. */
    static PeerProcess ofC(String commandLine) throws IOException {
        return new PeerProcess(List.of(commandLine.strip().split(" +")));
    }

    /**
     * Starts one of our tools in a JVM of its own, behind a prefix that sets its conditions; quick to start, with
     * slower loops.
     */
    static PeerProcess ofJava(List<String> prefix, String commandLine) throws IOException {
        return ofJava(prefix, QUICK, commandLine);
    }

    /** The same with other flags for the JVM. */
    static PeerProcess ofJava(List<String> prefix, List<String> flags, String commandLine) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
        command.addAll(List.of(commandLine.strip().split(" +")));
        return new PeerProcess(command);
    }

    /** Waits until it listens on a TCP port. */
    PeerProcess awaitListening(int port) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (!listening(port)) {
            assertThat(process.isAlive()).as("it ended: %s", output()).isTrue();
            assertThat(System.nanoTime()).as("it does not listen: %s", output()).isLessThan(deadline);
            Thread.sleep(20);
        }
        return this;
    }

    /** Whether somebody listens there, asked without connecting: a tool takes one connection only. */
    static boolean listening(int port) throws IOException {
        String local = String.format(":%04X ", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.exists(Path.of(table))
                    && Files.readAllLines(Path.of(table)).stream()
                            .anyMatch(line -> line.contains(local) && line.contains(":0000 0A "))) {
                return true;
            }
        }
        return false;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The CPU time that it has used. */
    Duration cpuTime() {
        return process.info().totalCpuDuration().orElseThrow();
    }

    /** Its child processes and their descendants. */
    Stream<ProcessHandle> descendants() {
        return process.descendants();
    }

    /** Waits for its end; returns its status. */
    int await(Duration limit) throws InterruptedException {
        assertThat(process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS))
                .as("it ends within %s", limit)
                .isTrue();
        return process.exitValue();
    }

    /** Sends it a signal, as INT or STOP. */
    void signal(String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        assertThat(status).as("kill -%s", name).isZero();
    }

    /** Ends it as kill -9 does. */
    void kill() {
        process.destroyForcibly();
    }

    /** Its output so far. */
    String output() throws IOException {
        return Files.readString(output);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(output);
    }
}
