// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The activity of the JVM's compiler threads, from the CPU time that the kernel counts for them. They disturb the
 * measuring thread's caches or even use its CPU, so a run begins when they are idle.
 */
public final class CompilerThreads {
    private static final Path TASKS = Path.of("/proc/self/task");

    /** The kernel cuts names at 15 characters; both "C1 CompilerThread0" and "C2 CompilerThread0" contain this. */
    private static final String NAME = "CompilerThre";

    /** How long they must have used no CPU time to count as idle. */
    private static final Duration IDLE = Duration.ofMillis(30);

    /** The most CPU time of a compiler thread that wakes up without work. */
    private static final long NOTHING = Duration.ofMillis(1).toNanos();

    private final List<Path> statistics = new ArrayList<>();

    /** Finds the present compiler threads. */
    public CompilerThreads() {
        this(TASKS);
    }

    CompilerThreads(Path threads) {
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(threads)) {
            for (Path task : tasks) {
                if (isCompiler(task)) {
                    statistics.add(task.resolve("schedstat"));
                }
            }
        } catch (IOException | DirectoryIteratorException _) {
            // There is no /proc: continue with the threads found so far.
        }
    }

    /** A name that the kernel has cut may end within a character. */
    private static boolean isCompiler(Path task) {
        try {
            return Files.readString(task.resolve("comm"), StandardCharsets.ISO_8859_1)
                    .contains(NAME);
        } catch (IOException _) {
            // It has ended.
            return false;
        }
    }

    /** Returns the CPU time of all of them in nanoseconds; 0 if the kernel does not report it. */
    public long cpuNanoseconds() {
        long sum = 0;
        for (Path file : statistics) {
            try {
                // The first of three numbers.
                byte[] text = Files.readAllBytes(file);
                long value = 0;
                for (int i = 0; i < text.length && text[i] != ' '; i++) {
                    value = value * 10 + text[i] - '0';
                }
                sum += value;
            } catch (IOException _) {
                // The thread has ended, or this kernel keeps no such statistics.
            }
        }
        return sum;
    }

    /** Returns whether they have been idle since they had used this much CPU time. */
    public boolean idleSince(long before) {
        return cpuNanoseconds() - before < NOTHING;
    }

    /**
     * Sleeps until they have been idle for a moment.
     *
     * @param limit the longest sleep, about
     */
    public void awaitIdle(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            long before;
            do {
                before = cpuNanoseconds();
                Thread.sleep(IDLE);
            } while (!idleSince(before) && System.nanoTime() < deadline);
            // This check also costs work, and may itself have made a method hot enough to compile.
            Thread.sleep(IDLE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
