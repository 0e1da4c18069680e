// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.count.InstructionRecord.Reader;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Counts the instructions of this machine, if it is a guest of {@code scripts/softroce --count}: the emulator writes
 * the counts into a file that this class reads. For use by one thread.
 */
public final class InstructionCounter implements AutoCloseable {
    /** The variable with the file's name in such a guest. */
    static final String VARIABLE = "RDMA4J_COUNT";

    /** The emulator recognizes this system call; its result does not matter. */
    private static final String SIGN = "sched_get_priority_max";

    private final BufferedReader file;
    private final Reader reader = new Reader();
    private final Runnable sign;

    /**
     * @param file the file that the emulator writes
     * @param sign makes the emulator write a record that is a mark
     */
    InstructionCounter(BufferedReader file, Runnable sign) {
        this.file = file;
        this.sign = sign;
    }

    /**
     * Opens the file.
     *
     * @param environment the environment of this process
     * @throws CompareException when this machine is not such a guest
     */
    public static InstructionCounter open(Map<String, String> environment) {
        String name = environment.get(VARIABLE);
        if (name == null) {
            throw new CompareException(
                    "nothing counts the instructions of this machine", "run it so: scripts/bench instructions");
        }
        try {
            MethodHandle function = Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow(SIGN),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            return new InstructionCounter(Files.newBufferedReader(Path.of(name)), () -> call(function));
        } catch (IOException failure) {
            throw new CompareException("the file of the counts cannot be read: " + failure, "");
        }
    }

    private static void call(MethodHandle function) {
        try {
            int _ = (int) function.invokeExact(0);
        } catch (Throwable failure) {
            throw new AssertionError("a downcall cannot throw this", failure);
        }
    }

    /**
     * Runs an action and counts its instructions.
     *
     * @return the records in between, without the marks at both ends
     */
    List<InstructionRecord> count(Runnable action) {
        records();
        action.run();
        return records();
    }

    /** Sets a mark, and returns the unread records before it. */
    private List<InstructionRecord> records() {
        sign.run();
        List<InstructionRecord> records = new ArrayList<>();
        try {
            for (String line = file.readLine(); line != null; line = file.readLine()) {
                InstructionRecord one = reader.line(line);
                if (one != null && one.mark()) {
                    return records;
                }
                if (one != null) {
                    records.add(one);
                }
            }
        } catch (IOException failure) {
            throw new CompareException("the file of the counts cannot be read: " + failure, "");
        }
        throw new CompareException("the emulator has not counted this moment", "is it still the file of this run?");
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException _) {
            // It was only read.
        }
    }
}
