// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.wire.PeerKeys;
import java.time.Instant;

/** Receives the steps of a test as they happen. All methods do nothing unless overridden. */
public interface RunListener {
    /** Ignores all steps. */
    RunListener NONE = new RunListener() {};

    /** Reports a line for the user: an option without effect, or an unknown client that has connected. */
    default void note(String line) {}

    /** A server is about to wait for its client. */
    default void waiting(int port) {}

    /** Both sides have agreed. */
    default void agreed(RunInfo info) {}

    /** Reports one end of a queue pair; the local ends come before the remote ones. */
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
     * Reports that the measured part of a timed run starts or ends; called from another thread.
     *
     * @param begins whether it starts
     */
    default void sampling(boolean begins) {}

    /** Reports the state of the machine during the run of the next result. */
    default void observed(Observation observation) {}

    /** Reports the end of a run. */
    default void result(SizeResult result) {}

    /** Reports the end of all runs. */
    default void end() {}

    /** Reports that the data of all runs is right, before the resources are released ({@code --wait_destroy}). */
    default void verified(RunOutcome outcome) {}
}
