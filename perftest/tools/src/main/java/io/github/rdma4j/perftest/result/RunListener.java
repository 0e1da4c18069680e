// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.time.Instant;

/** Hears of a test's steps as they happen. All methods do nothing unless overridden. */
public interface RunListener {
    /** Hears of nothing. */
    RunListener NONE = new RunListener() {};

    /** Something that the user should know, in a line: an option without effect, a stranger that has connected. */
    default void note(String line) {}

    /** A server is about to wait for its client. */
    default void waiting(int port) {}

    /** Both sides have agreed. */
    default void agreed(RunInfo info) {}

    /** One of the two ends of a queue pair is known; the local ends come before the remote ones. */
    default void address(boolean local, PeerKeys keys) {}

    /**
     * Reports the device and the machine, before the runs.
     *
     * @param started the start time of the test
     */
    default void environment(Instant started, Environment environment) {}

    /** The runs begin. */
    default void begin(RunInfo info) {}

    /**
     * Reports the progress of a run; called from another thread, about ten times a second, after its first second.
     *
     * @param size message size in bytes
     * @param messages sent so far, over all queue pairs
     * @param total messages to send, or 0 in a timed run
     * @param elapsedNanoseconds since the run began
     */
    default void progress(long size, long messages, long total, long elapsedNanoseconds) {}

    /**
     * The measured part of a timed run begins or ends; called from another thread.
     *
     * @param begins whether it begins
     */
    default void sampling(boolean begins) {}

    /** Reports the state of the machine during the run of the next result. */
    default void observed(Observation observation) {}

    /** A run is over. */
    default void result(SizeResult result) {}

    /** All runs are over. */
    default void end() {}
}
