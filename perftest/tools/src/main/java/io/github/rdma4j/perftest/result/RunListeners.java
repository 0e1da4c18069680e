// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.time.Instant;

/**
 * Two listeners of the same test.
 *
 * @param first is notified of each step before the other
 * @param second is notified after the first
 */
public record RunListeners(RunListener first, RunListener second) implements RunListener {
    @Override
    public void note(String line) {
        first.note(line);
        second.note(line);
    }

    @Override
    public void waiting(int port) {
        first.waiting(port);
        second.waiting(port);
    }

    @Override
    public void agreed(RunInfo info) {
        first.agreed(info);
        second.agreed(info);
    }

    @Override
    public void address(boolean local, PeerKeys keys) {
        first.address(local, keys);
        second.address(local, keys);
    }

    @Override
    public void environment(Instant started, Environment environment) {
        first.environment(started, environment);
        second.environment(started, environment);
    }

    @Override
    public void begin(RunInfo info) {
        first.begin(info);
        second.begin(info);
    }

    @Override
    public void progress(long size, long messages, long total, long elapsedNanoseconds) {
        first.progress(size, messages, total, elapsedNanoseconds);
        second.progress(size, messages, total, elapsedNanoseconds);
    }

    @Override
    public void sampling(boolean begins) {
        first.sampling(begins);
        second.sampling(begins);
    }

    @Override
    public void observed(Observation observation) {
        first.observed(observation);
        second.observed(observation);
    }

    @Override
    public void result(SizeResult result) {
        first.result(result);
        second.result(result);
    }

    @Override
    public void end() {
        first.end();
        second.end();
    }

    @Override
    public void verified(RunOutcome outcome) {
        first.verified(outcome);
        second.verified(outcome);
    }
}
