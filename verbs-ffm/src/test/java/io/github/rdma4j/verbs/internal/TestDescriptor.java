// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.rdma4j.verbs.VerbsException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/** A file descriptor of a test, which becomes readable when the test signals it. */
public final class TestDescriptor implements AutoCloseable {
    private static final MethodHandle DUP2 = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("dup2"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private final int number;

    /** A new one. */
    public TestDescriptor() {
        this(FileDescriptors.createEventFd());
    }

    private TestDescriptor(int number) {
        this.number = number;
    }

    /**
     * Closes a descriptor and opens a new one with the same number, in one step. Between two steps another thread, such
     * as one of the JVM's own, could open a file and get the number, or close a file and leave a lower number free.
     *
     * @param closed must not be closed again
     * @return the new one
     */
    public static TestDescriptor inPlaceOf(TestDescriptor closed) {
        try (TestDescriptor fresh = new TestDescriptor()) {
            if ((int) DUP2.invokeExact(fresh.number, closed.number) != closed.number) {
                throw new AssertionError("dup2 failed");
            }
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return new TestDescriptor(closed.number);
    }

    /**
     * Takes all that this process may have; before it, it may have 512 at most from now on.
     *
     * @return what was taken, to be closed
     * @throws Exception if the limit cannot be lowered
     */
    public static List<TestDescriptor> takeAll() throws Exception {
        new ProcessBuilder("prlimit", "--pid=" + ProcessHandle.current().pid(), "--nofile=512:512")
                .start()
                .waitFor();
        List<TestDescriptor> all = new ArrayList<>();
        try {
            while (true) {
                all.add(new TestDescriptor());
            }
        } catch (VerbsException e) {
            return all; // there is none left
        }
    }

    /** {@return the descriptor} */
    public int number() {
        return number;
    }

    /** Makes it readable. */
    public void signal() {
        FileDescriptors.signal(number);
    }

    /** Takes what there is to read. */
    public void drain() {
        FileDescriptors.drain(number);
    }

    @Override
    public void close() {
        FileDescriptors.close(number);
    }
}
