// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads the number of instructions that a guest of {@code scripts/softroce --count} has executed so far. Used by one
 * thread.
 */
public final class Instructions implements AutoCloseable {
    private final BufferedReader file;
    private final MethodHandle sign;

    private Instructions(BufferedReader file) {
        this.file = file;
        Linker linker = Linker.nativeLinker();
        sign = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("sched_get_priority_max"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }

    /** Sets a first mark, so that the interval between the next two has no records of its own. */
    public static Instructions open() throws IOException {
        String name = System.getenv("RDMA4J_COUNT");
        if (name == null) {
            throw new IllegalStateException(
                    "nothing counts here: use scripts/bench netty --count or scripts/bench verbs --sums");
        }
        Instructions opened = new Instructions(Files.newBufferedReader(Path.of(name)));
        opened.mark();
        opened.next();
        return opened;
    }

    /** How many instructions outside the kernel, and in it. */
    public record Counts(long user, long kernel) {
        public Counts minus(Counts earlier) {
            return new Counts(user - earlier.user, kernel - earlier.kernel);
        }
    }

    /** A counted action. */
    public interface Action {
        void run() throws Exception;
    }

    /** Returns the instructions of an action, without the instructions for reading the counts. */
    public Counts of(Action action) throws Exception {
        mark();
        action.run();
        mark();
        Counts before = next();
        return next().minus(before);
    }

    private void mark() {
        try {
            int _ = (int) sign.invokeExact(0);
        } catch (Throwable failure) {
            throw new AssertionError("a downcall cannot throw this", failure);
        }
    }

    /** The record of the next mark. */
    private Counts next() throws IOException {
        boolean mark = false;
        long user = -1;
        for (String line = file.readLine(); line != null; line = file.readLine()) {
            if (line.startsWith("mark ")) {
                mark = true;
            } else if (line.startsWith("writes ")) {
                mark = false;
            } else if (line.startsWith("user ")) {
                user = number(line);
            } else if (mark && line.startsWith("kernel ")) {
                return new Counts(user, number(line));
            }
        }
        throw new IOException("the emulator has not counted this moment");
    }

    private static long number(String line) {
        return Long.parseLong(line.substring(line.indexOf(' ') + 1));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
