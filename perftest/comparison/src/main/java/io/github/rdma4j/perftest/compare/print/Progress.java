// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.print;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Prints the current step and its duration whenever a command has printed nothing for a while. A thread does so after
 * {@link #start()}; without it, only {@link #step} prints.
 */
public final class Progress implements AutoCloseable {
    /** Shorter than ten seconds without a line, even if a busy machine is late. */
    private static final Duration SILENCE = Duration.ofSeconds(7);

    private final PrintStream err;
    private final String name;
    private final long silence;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("rdma4j-progress").unstarted(this::watch);
    private String step = "starting";
    private long begun = System.nanoTime();
    private long lastLine = begun;
    private boolean closed;

    /**
     * @param err standard error, which receives the lines
     * @param name the command's name, with which each line starts
     */
    public Progress(PrintStream err, String name) {
        this(err, name, SILENCE);
    }

    /** For tests: any silence. */
    public Progress(PrintStream err, String name, Duration silence) {
        this.err = err;
        this.name = name;
        this.silence = silence.toNanos();
    }

    /** Starts the thread; returns this. */
    public Progress start() {
        thread.start();
        return this;
    }

    /** For tests. */
    Thread thread() {
        return thread;
    }

    /** Starts a step. */
    public synchronized void step(String what) {
        long now = System.nanoTime();
        if (now - lastLine >= silence) {
            print(what, now, now);
        }
        step = what;
        begun = now;
    }

    /** Records that the command has printed a line of its own. */
    public synchronized void printed() {
        lastLine = System.nanoTime();
    }

    private synchronized void watch() {
        try {
            while (!closed) {
                long now = System.nanoTime();
                long left = lastLine + silence - now;
                if (left <= 0) {
                    print(step, begun, now);
                } else {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void print(String what, long since, long now) {
        err.println(name + ": " + what + ", for " + TimeUnit.NANOSECONDS.toSeconds(now - since) + " s");
        err.flush();
        lastLine = now;
    }

    /** Stops printing. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
