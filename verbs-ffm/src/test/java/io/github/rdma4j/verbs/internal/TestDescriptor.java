// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;

/** A file descriptor of the tests' own, which becomes readable when they say so. */
public final class TestDescriptor implements AutoCloseable {
    private final int number = FileDescriptors.createEventFd();

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
