// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.findings;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * Keeps a command's results so far, so that they are shown however the command ends: after a failure or Ctrl-C. The
 * first caller shows them, and only once.
 *
 * <p>Safe for use by several threads: a signal is handled in a separate thread.
 *
 * @param <R> the type of report
 */
public final class KeptReport<R> {
    private final ToIntFunction<R> show;
    private Supplier<Optional<R>> soFar = Optional::empty;
    private boolean shown;

    /**
     * Creates an empty report.
     *
     * @param show prints a report and writes its documents; returns the exit status
     */
    public KeptReport(ToIntFunction<R> show) {
        this.show = show;
    }

    /**
     * Called when measuring starts.
     *
     * @param soFar what there is at the time of the question, by any thread; empty while nothing is measured
     */
    public synchronized void begin(Supplier<Optional<R>> soFar) {
        this.soFar = soFar;
    }

    /**
     * All is measured.
     *
     * @param report all of it
     * @param otherwise the exit status if something has ended the command before
     * @return the exit status
     */
    public synchronized int complete(R report, int otherwise) {
        if (shown) {
            return otherwise;
        }
        shown = true;
        return show.applyAsInt(report);
    }

    /**
     * Something ends the command: what there is is shown, unless that has happened, or there is nothing.
     *
     * @param ended adds what ended it
     */
    public synchronized void broken(UnaryOperator<R> ended) {
        if (!shown) {
            shown = true;
            soFar.get().ifPresent(report -> show.applyAsInt(ended.apply(report)));
        }
    }
}
