// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.mesh;

import io.github.rdma4j.perftest.compare.print.Progress;
import java.io.PrintStream;

/** Prints the progress of a command to standard error, line by line. */
final class MeshProgress implements AutoCloseable {
    private final PrintStream err;
    private final Progress progress;

    MeshProgress(PrintStream err) {
        this.err = err;
        this.progress = new Progress(err, MeshCommand.NAME).start();
    }

    /** Starts a step. It is printed only after a while without a line. */
    void step(String what) {
        progress.step(what);
    }

    /** Prints a line. */
    synchronized void line(String text) {
        err.println(MeshCommand.NAME + ": " + text);
        progress.printed();
    }

    @Override
    public void close() {
        progress.close();
    }
}
