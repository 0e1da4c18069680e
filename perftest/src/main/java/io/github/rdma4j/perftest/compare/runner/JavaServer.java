// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.tcp.TcpRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The parent's view of {@link JavaServerMain}: one JVM for all rounds, so that its start and warm-up are in none. */
public final class JavaServer implements AutoCloseable, ProcessGuard {
    private static final String ENDED = "ended";
    private static final long PATIENCE_AT_THE_END_SECONDS = 2;

    private final ChildProcesses children;
    private final Process process;
    private final PrintStream orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private JavaServer(ChildProcesses children, Process process) {
        this.children = children;
        this.process = process;
        this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("rdma4j-server-answers").start(this::read);
    }

    /**
     * Starts the JVM and waits until it takes orders.
     *
     * @throws CompareException when it does not within the limit
     */
    public static JavaServer start(ChildProcesses children, Duration limit) {
        ProcessBuilder builder =
                new ProcessBuilder(JavaCommand.of(JavaServerMain.class)).redirectError(ProcessBuilder.Redirect.INHERIT);
        // Its content is among the flags already.
        builder.environment().remove("JDK_JAVA_OPTIONS");
        JavaServer server = new JavaServer(children, children.start(builder));
        try {
            server.expect(JavaServerMain.READY, Deadline.in(limit));
            return server;
        } catch (RuntimeException | Error failure) {
            server.close();
            throw failure;
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int answer = line.indexOf(JavaServerMain.PREFIX);
                if (answer >= 0) {
                    answers.add(line.substring(answer + JavaServerMain.PREFIX.length()));
                } else {
                    System.err.println(line);
                }
            }
        } catch (IOException _) {
            // The same as its end.
        }
        answers.add(ENDED);
    }

    /** Has it listen for the client of a run; it is warmed up by then. */
    void listen(RunOrder run, Deadline deadline) {
        orders.println(JavaServerMain.SERVE + run.encode());
        expect(JavaServerMain.LISTENING, deadline);
    }

    /** Has it listen for the client of a run over plain TCP. */
    void listen(TcpRun run, Deadline deadline) {
        orders.println(JavaServerMain.SERVE_TCP + run.encode());
        expect(JavaServerMain.LISTENING, deadline);
    }

    /**
     * Waits until the run is over on its side.
     *
     * @return CPU time that its process has used since the order, of {@link CpuTime}
     */
    long finish(Deadline deadline) {
        String answer = expect(JavaServerMain.DONE, deadline);
        return Long.parseLong(answer.substring(JavaServerMain.DONE.length()).strip());
    }

    /** What it says of a run that failed on the client's side; an empty text when it says nothing within a second. */
    String complaint() {
        try {
            String answer = answers.poll(1, TimeUnit.SECONDS);
            return answer != null && answer.startsWith(JavaServerMain.FAILED)
                    ? answer.substring(JavaServerMain.FAILED.length())
                    : "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private String expect(String expected, Deadline deadline) {
        String answer;
        try {
            answer = answers.poll(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CompareException("interrupted while the Java server was at work", "");
        }
        if (answer != null && answer.startsWith(expected)) {
            return answer;
        }
        if (answer == null) {
            throw new CompareException(
                    "the Java server did not become " + expected + " in time", "give it more time: --timeout");
        }
        throw new CompareException(
                answer.startsWith(JavaServerMain.FAILED)
                        ? "the Java server: " + answer.substring(JavaServerMain.FAILED.length())
                        : "the Java server's JVM ended, or lost its way ('" + answer + "' instead of '" + expected
                                + "')",
                "");
    }

    /** Entrusts a process to it, to be killed if this JVM is. */
    @Override
    public void guard(long pid) {
        orders.println(JavaServerMain.GUARD + pid);
    }

    /** The process has ended. */
    @Override
    public void release(long pid) {
        orders.println(JavaServerMain.RELEASE + pid);
    }

    @Override
    public void close() {
        orders.close();
        try {
            process.waitFor(PATIENCE_AT_THE_END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        children.kill(process);
    }
}
