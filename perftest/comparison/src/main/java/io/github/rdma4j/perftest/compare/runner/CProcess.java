// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A C process and its output. Closing this kills the process if it still runs. */
public final class CProcess implements AutoCloseable {
    private static final long LISTEN_POLL_MILLISECONDS = 5;

    private final String title;
    private final ChildProcesses children;
    private final ProcessGuard guard;
    private final Process process;
    private final CompletableFuture<String> output = new CompletableFuture<>();

    /**
     * Starts the process.
     *
     * @param title for messages
     * @param command program and arguments
     * @param children registers it
     * @param guard kills it if this JVM is killed
     */
    public CProcess(String title, List<String> command, ChildProcesses children, ProcessGuard guard) {
        this.title = title;
        this.children = children;
        this.guard = guard;
        this.process = children.start(new ProcessBuilder(command).redirectErrorStream(true));
        guard.guard(process.pid());
        Thread.ofPlatform().daemon().name("rdma4j-c-output").start(this::read);
    }

    /** Returns a future that completes when the process ends. */
    CompletableFuture<?> onExit() {
        return process.onExit();
    }

    /** Waits until the process has ended, or another future is complete. */
    void awaitFirst(CompletableFuture<?> other, Deadline deadline) {
        try {
            CompletableFuture.anyOf(onExit(), other).get(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw late();
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void read() {
        try {
            output.complete(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException failure) {
            output.completeExceptionally(failure);
        }
    }

    /** Waits until the process listens on the port, unless it ends. */
    public void awaitListening(int port, Deadline deadline) {
        try {
            while (!ListeningPorts.contains(port)) {
                if (process.waitFor(LISTEN_POLL_MILLISECONDS, TimeUnit.MILLISECONDS)) {
                    throw failed();
                }
                if (deadline.passed()) {
                    throw new CompareException(
                            title + " does not listen on port " + port, "give it more time: --timeout");
                }
            }
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    /** Returns whether it has ended with an error. */
    boolean hasFailed() {
        return !process.isAlive() && process.exitValue() != 0;
    }

    /**
     * Waits for the end of the process.
     *
     * @return its whole output
     */
    public String await(Deadline deadline) {
        try {
            if (!process.waitFor(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS)) {
                throw late();
            }
            if (process.exitValue() != 0) {
                throw failed();
            }
            return output.get(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            throw interrupted();
        } catch (ExecutionException failure) {
            throw new CompareException(
                    "the output of " + title + " was lost: "
                            + failure.getCause().getMessage(),
                    "");
        } catch (TimeoutException _) {
            throw late();
        }
    }

    private CompareException late() {
        return new CompareException(title + " did not end in time (--timeout)", "give it more time");
    }

    /** Returns an exception that the process failed, with its last line of output. */
    CompareException failed() {
        return new CompareException(title + " ended with status " + process.exitValue() + lastWords(), "");
    }

    private String lastWords() {
        try {
            List<String> lines = output.get(1, TimeUnit.SECONDS)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("---"))
                    .toList();
            return lines.isEmpty()
                    ? ", and said nothing"
                    : ": " + String.join(" / ", lines.subList(Math.max(0, lines.size() - 2), lines.size()));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "";
        } catch (ExecutionException | TimeoutException _) {
            return "";
        }
    }

    private CompareException interrupted() {
        Thread.currentThread().interrupt();
        return new CompareException("interrupted while " + title + " was at work", "");
    }

    @Override
    public void close() {
        children.kill(process);
        guard.release(process.pid());
    }
}
