// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.exit.CompareException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The processes that this one has started. They are ended when this one ends: by {@link #close()}, by an exit, or by a
 * signal that a JVM can catch. Thread-safe.
 */
public final class ChildProcesses implements AutoCloseable {
    private static final long KILL_SECONDS = 5;
    private static final long OUTPUT_SECONDS = 20;

    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private final Thread hook = new Thread(this::killAll, "rdma4j-child-processes");
    private volatile boolean closed;

    /** Registers itself for the exit of the JVM. */
    public ChildProcesses() {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The JVM is already ending: a process that starts now is killed at once.
            closed = true;
        }
    }

    /**
     * Starts a process.
     *
     * @throws CompareException when it cannot be started
     */
    Process start(ProcessBuilder builder) {
        try {
            Process process = builder.start();
            running.add(process);
            if (closed) {
                // The JVM began to exit in the meantime.
                kill(process);
            }
            return process;
        } catch (IOException failure) {
            throw new CompareException(failure.getMessage(), "");
        }
    }

    /**
     * Returns what a program prints, if that fits into a pipe, whatever its exit status is; empty if it does not end in
     * time.
     *
     * @param command the program and its arguments
     */
    String output(String... command) {
        Process process = start(new ProcessBuilder(command).redirectErrorStream(true));
        try {
            process.onExit().get(OUTPUT_SECONDS, TimeUnit.SECONDS);
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException | ExecutionException | TimeoutException _) {
            return "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "";
        } finally {
            kill(process);
        }
    }

    /** Kills a process, unless it has already ended. */
    void kill(Process process) {
        process.destroyForcibly();
        try {
            process.waitFor(KILL_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        running.remove(process);
    }

    private void killAll() {
        closed = true;
        running.forEach(Process::destroyForcibly);
        running.forEach(this::kill);
    }

    @Override
    public void close() {
        killAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The JVM is exiting: the hook has run, or does so now.
        }
    }
}
