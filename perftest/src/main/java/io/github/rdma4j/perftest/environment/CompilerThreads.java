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
 * What the JVM's compiler threads are doing, seen from the CPU time that the kernel counts for them. They work beside
 * the measuring thread, on its caches or even on its CPU, so a run begins when they have nothing to do.
 */
public final class CompilerThreads {
    private static final Path TASKS = Path.of("/proc/self/task");

    /** The kernel cuts names at 15 characters; both "C1 CompilerThread0" and "C2 CompilerThread0" contain this. */
    private static final String NAME = "CompilerThre";

    /** How long they must have done nothing to count as idle. */
    private static final Duration IDLE = Duration.ofMillis(30);

    /** Waking up to see that there is nothing to do costs this much at most. */
    private static final long NOTHING = Duration.ofMillis(1).toNanos();

    private final List<Path> statistics = new ArrayList<>();

    /** Looks for the compiler threads that there are now. */
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
            // No /proc: what was found so far must do.
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

    /** CPU time of all of them in nanoseconds; 0 where the kernel does not tell. */
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

    /** Whether they have done nothing since they had used so much CPU time. */
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
            // Looking was work, too, and may have been the call that made something worth compiling.
            Thread.sleep(IDLE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
