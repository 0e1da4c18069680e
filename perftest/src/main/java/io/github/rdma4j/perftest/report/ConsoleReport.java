// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.report;

import io.github.rdma4j.perftest.run.SizeResult;
import io.github.rdma4j.perftest.run.TestInfo;
import io.github.rdma4j.perftest.run.TestListener;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.io.PrintStream;

/** Prints a test as it goes: banner, addresses, table, and on a terminal the progress of a run. */
public final class ConsoleReport implements TestListener {
    private final PrintStream out;
    private final ProgressLine progress;

    /**
     * @param out standard output
     * @param terminal where to show progress; null to show none
     */
    public ConsoleReport(PrintStream out, PrintStream terminal) {
        this.out = out;
        this.progress = new ProgressLine(terminal);
    }

    @Override
    public void waiting(int port) {
        print(Banner.waiting());
    }

    @Override
    public void agreed(TestInfo info) {
        print(Banner.of(info));
    }

    @Override
    public void address(boolean local, PeerKeys keys) {
        print(Banner.address(local, keys));
    }

    @Override
    public void begin(TestInfo info) {
        print(Banner.LINE + "\n" + ResultTable.heading(info.parameters()));
    }

    @Override
    public void progress(long size, long messages, long total, long elapsedNanoseconds) {
        progress.show(size, messages, total, elapsedNanoseconds);
    }

    @Override
    public void result(SizeResult result) {
        progress.clear();
        print(ResultTable.row(result));
    }

    @Override
    public void end() {
        print(Banner.LINE + "\n");
    }

    /** Takes the progress line away, so that a message can follow. */
    public void interrupted() {
        progress.clear();
    }

    private void print(String text) {
        out.print(text);
        out.flush();
    }
}
