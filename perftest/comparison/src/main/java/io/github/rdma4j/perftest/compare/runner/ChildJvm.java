// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.environment.JavaCommand;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A second JVM like this one, which carries out orders: {@link ChildOrders} is its side. */
final class ChildJvm implements AutoCloseable {
    private static final String ENDED = "ended";
    private static final long PATIENCE_AT_THE_END_SECONDS = 2;

    private final String name;
    private final ChildProcesses children;
    private final Process process;
    private final PrintStream orders;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private ChildJvm(String name, ChildProcesses children, Process process) {
        this.name = name;
        this.children = children;
        this.process = process;
        this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("rdma4j-server-answers").start(this::read);
    }

    /**
     * Starts the JVM and waits until it accepts orders.
     *
     * @param name its name in messages, such as "the Java server"
     * @param main its main class
     * @throws CompareException when it times out
     */
    static ChildJvm start(ChildProcesses children, String name, Class<?> main, Duration limit) {
        ProcessBuilder builder =
                new ProcessBuilder(JavaCommand.of(main)).redirectError(ProcessBuilder.Redirect.INHERIT);
        // Its content is among the flags already.
        builder.environment().remove("JDK_JAVA_OPTIONS");
        ChildJvm child = new ChildJvm(name, children, children.start(builder));
        try {
            child.expect(ChildOrders.READY, Deadline.in(limit));
            return child;
        } catch (RuntimeException | Error failure) {
            child.close();
            throw failure;
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int answer = line.indexOf(ChildOrders.PREFIX);
                if (answer >= 0) {
                    answers.add(line.substring(answer + ChildOrders.PREFIX.length()));
                } else {
                    System.err.println(line);
                }
            }
        } catch (IOException _) {
            // Treat it as the end of the JVM.
        }
        answers.add(ENDED);
    }

    /** Sends an order. */
    void order(String text) {
        orders.println(text);
    }

    /**
     * Returns the child's message about a run that failed on this side; an empty text if there is none within a second.
     */
    String complaint() {
        try {
            String answer = answers.poll(1, TimeUnit.SECONDS);
            if (answer == null) {
                return "";
            }
            return answer.startsWith(ChildOrders.FAILED)
                    ? ChildOrders.message(answer)
                    : answer.equals(ENDED) ? "its JVM has ended" : "";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    /**
     * Waits for an answer.
     *
     * @param expected its beginning
     * @return the whole answer
     * @throws CompareException when another one arrives, or none in time
     */
    String expect(String expected, Deadline deadline) {
        String answer;
        try {
            answer = answers.poll(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CompareException("interrupted while " + name + " was at work", "");
        }
        if (answer != null && answer.startsWith(expected)) {
            return answer;
        }
        if (answer == null) {
            throw new CompareException(
                    name + " did not become " + expected + " in time", "give it more time: --timeout");
        }
        if (answer.startsWith(ChildOrders.FAILED)) {
            throw new CompareException(name + ": " + ChildOrders.message(answer), ChildOrders.remedy(answer));
        }
        throw new CompareException(
                name + "'s JVM ended, or lost its way ('" + answer + "' instead of '" + expected + "')", "");
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
