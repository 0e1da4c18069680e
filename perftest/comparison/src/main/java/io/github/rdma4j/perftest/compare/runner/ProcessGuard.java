// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

/** Kills processes if this JVM is killed. */
public interface ProcessGuard {
    /** A guard that does nothing, for a machine that ends with this JVM. */
    ProcessGuard NONE = new ProcessGuard() {
        @Override
        public void guard(long pid) {}

        @Override
        public void release(long pid) {}
    };

    /** Registers a process. */
    void guard(long pid);

    /** Records that the process has ended. */
    void release(long pid);
}
