// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.Observation;
import io.github.rdma4j.perftest.result.PathLimit;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.RunListener;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.RunState;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps the results of a test so far, so that they are written however the test ends: with a dead peer, Ctrl-C, or an
 * endless run. The first caller writes the files, and only once.
 */
public final class ResultKeeper implements RunListener {
    /** An endless run has a result every few seconds: of more than these the first ones are forgotten. */
    static final int MOST_RESULTS = 10_000;

    private final Supplier<Optional<PathLimit>> limit;
    private final Deque<SizeResult> results = new ArrayDeque<>();
    private final Deque<Observation> observations = new ArrayDeque<>();
    private RunInfo info;
    private Instant started;
    private Environment environment;
    private RunOutcome whole;
    private boolean written;

    /** Creates a keeper without the limit of the links. */
    public ResultKeeper() {
        this(Optional::empty);
    }

    /**
     * @param limit returns the limit of the test's links; called when files are written
     */
    public ResultKeeper(Supplier<Optional<PathLimit>> limit) {
        this.limit = limit;
    }

    @Override
    public synchronized void begin(RunInfo test) {
        info = test;
    }

    @Override
    public synchronized void environment(Instant begin, Environment machine) {
        started = begin;
        environment = machine;
    }

    @Override
    public synchronized void observed(Observation observation) {
        keep(observations, observation);
    }

    @Override
    public synchronized void result(SizeResult result) {
        keep(results, result);
    }

    private static <T> void keep(Deque<T> all, T next) {
        if (all.size() == MOST_RESULTS) {
            all.removeFirst();
        }
        all.addLast(next);
    }

    @Override
    public synchronized void verified(RunOutcome outcome) {
        whole = outcome;
    }

    /**
     * Writes the files of a complete test, unless they have been written.
     *
     * @throws IOException when one cannot be written; the message names it
     */
    public synchronized void complete(RunOutcome outcome) throws IOException {
        if (!written) {
            written = true;
            ReportFiles.write(outcome, limit.get());
        }
    }

    /**
     * Writes the files with the results so far, unless they are already written, or the measured part has not begun.
     *
     * @param failure in words
     * @return whether the files contain results
     * @throws IOException when one cannot be written; the message names it
     */
    public synchronized boolean broken(RunState state, String failure) throws IOException {
        if (written || info == null || environment == null) {
            return false;
        }
        written = true;
        RunOutcome part = new RunOutcome(
                info,
                started,
                Duration.between(started, Instant.now()).toNanos() / 1e9,
                environment,
                List.copyOf(results),
                List.copyOf(observations),
                state,
                failure);
        ReportFiles.write(whole != null ? whole : part, limit.get());
        return ReportFiles.wanted(info.parameters().figures());
    }
}
