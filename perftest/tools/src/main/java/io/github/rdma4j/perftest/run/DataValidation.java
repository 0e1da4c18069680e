// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.memory.SealedMessages;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Slots;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.result.SizeResult;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.perftest.wire.WireVersion;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The sender seals messages, and the receiver checks them (--data_validation).
 *
 * <p>ib_write_lat does this for each message, in its loop. The other tools check memory: before the run the sender
 * seals all slots, and after the run the receiver checks each slot that received a message. For atomic operations, the
 * counters are checked: every operation must have been executed once.
 */
final class DataValidation {
    private static final String REMEDY = "the memory, the link or a driver damages data: do not trust this path";

    /** The numbers of the slots of a stream start at a multiple of this. */
    private static final long STREAM = 1_000_000;

    private final RunParameters parameters;
    private final RunResources resources;
    private final Slots slots;
    private final SealedMessages messages;

    /** For one side of a test. */
    DataValidation(RunParameters parameters, RunResources resources, SystemData layout) {
        this.parameters = parameters;
        this.resources = resources;
        this.slots = Slots.of(parameters.size(), layout);
        this.messages = messages(parameters, resources);
    }

    /**
     * Sees that both sides do it or none.
     *
     * @throws RunFailedException when only one does
     */
    static void agree(RunParameters parameters, WireVersion.Peer peer) {
        boolean ours = parameters.memory().validation();
        if (ours && !peer.rdma4j()) {
            throw new RunFailedException(
                    "--data_validation: the peer is not rdma4j's tool, and the C tools do not seal their messages so",
                    "run rdma4j's tool on both sides, or leave the option out");
        }
        if (ours != peer.sealed()) {
            throw new RunFailedException(
                    "--data_validation was given to " + (ours ? "this side" : "the peer") + " only",
                    "give it to both sides or to none");
        }
    }

    /** Returns the checks of messages in a side's buffer; null if messages are not checked. */
    static SealedMessages messages(RunParameters parameters, RunResources resources) {
        return parameters.memory().validation() ? new SealedMessages(resources.buffer()) : null;
    }

    /** Returns whether memory is checked after the run, and not each message. */
    private boolean checksMemory() {
        return messages != null && parameters.tool() != Tool.WRITE_LATENCY;
    }

    /** Before the run, while the peer does not send yet. */
    void prepare() {
        if (!checksMemory()) {
            return;
        }
        for (int stream = 0; stream < resources.shape().streams(); stream++) {
            switch (parameters.tool().verb()) {
                case WRITE, SEND -> seal(stream, resources.sendOffset(stream));
                case READ -> seal(stream, resources.receiveOffset(stream));
                case ATOMIC -> clearCounter(stream);
            }
        }
        resources.publish();
    }

    /**
     * After the run, when all of it has arrived.
     *
     * @param results of this side
     * @throws RunFailedException when something is not as it was sent
     */
    void verify(List<SizeResult> results) {
        if (!checksMemory()) {
            return;
        }
        boolean requested = parameters.sends();
        boolean served = parameters.isPingPong() || parameters.workload().bidirectional() || !parameters.sends();
        for (int stream = 0; stream < resources.shape().streams(); stream++) {
            switch (parameters.tool().verb()) {
                case WRITE, SEND -> check(served, stream, resources.receiveOffset(stream), results);
                case READ -> check(requested, stream, resources.sendOffset(stream), results);
                case ATOMIC -> checkCounter(served, stream);
            }
        }
        if (messages.failure() != null) {
            throw new RunFailedException(messages.failure(), REMEDY);
        }
    }

    private void seal(int stream, long offset) {
        for (int slot = 0; slot < slots.count(); slot++) {
            messages.seal(offset + slot * slots.step(), parameters.size(), number(stream, slot));
        }
    }

    private void check(boolean received, int stream, long offset, List<SizeResult> results) {
        if (!received) {
            return;
        }
        long most = parameters.isTimed()
                ? results.getLast().iterations() / resources.shape().streams()
                : parameters.iterations();
        long used = Math.min(slots.count(), parameters.tool().isLatency() ? 1 : most);
        for (int slot = 0; slot < used; slot++) {
            messages.check(offset + slot * slots.step(), parameters.size(), number(stream, slot));
        }
    }

    private static long number(int stream, int slot) {
        return stream * STREAM + slot + 1;
    }

    private void clearCounter(int stream) {
        for (int slot = 0; slot < slots.count(); slot++) {
            resources.buffer().set(ValueLayout.JAVA_LONG, resources.receiveOffset(stream) + slot * slots.step(), 0);
        }
    }

    private void checkCounter(boolean served, int stream) {
        if (!served) {
            return;
        }
        long sum = 0;
        for (int slot = 0; slot < slots.count(); slot++) {
            sum += resources.buffer().get(ValueLayout.JAVA_LONG, resources.receiveOffset(stream) + slot * slots.step());
        }
        long expected = (long) parameters.iterations() * parameters.figures().rounds();
        if (sum != expected) {
            throw new RunFailedException(
                    "--data_validation: the counters of queue pair " + stream + " say " + sum + " after " + expected
                            + " operations that add 1",
                    REMEDY);
        }
    }
}
