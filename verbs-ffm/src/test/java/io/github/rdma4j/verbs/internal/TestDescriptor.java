// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

/** A file descriptor of the tests' own, which becomes readable when they say so. */
public final class TestDescriptor implements AutoCloseable {
    private final int number = FileDescriptors.createEventFd();

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
