// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.options.Verb;

/** Refuses parameters that iWARP does not support, before the peer is contacted. */
final class IwarpLimits {
    private IwarpLimits() {}

    /**
     * Refuses parameters that the device does not support.
     *
     * @param device its name, for the message
     * @throws IllegalParameterException when a parameter is not supported by iWARP
     */
    static void check(String device, RunParameters parameters) {
        String here = " on " + device + ", an iWARP device: ";
        refuse(
                parameters.tool().verb() == Verb.ATOMIC,
                parameters.tool().command() + here
                        + "iWARP has no atomic operations; use the write, read and send tools");
        refuse(
                parameters.connection() != ConnectionType.RC,
                "-c/--connection: " + parameters.connection() + here
                        + "iWARP has reliable connections only; leave it out");
        refuse(
                parameters.workload().withImmediate(),
                "--write_with_imm" + here + "its writes carry no immediate data; leave it out");
        refuse(
                !parameters.peer().rdmaCm(),
                parameters.tool().command() + here + "only rdma_cm connects its queue pairs; give -R on both sides");
        if (countsReceives(parameters)) {
            checkCounts(here, parameters);
        }
    }

    /** Returns whether the sides exchange counts of receives: see {@link ReceiveCredits}. */
    static boolean countsReceives(RunParameters parameters) {
        return parameters.tool() == Tool.SEND_BANDWIDTH;
    }

    private static void checkCounts(String here, RunParameters parameters) {
        String counted = here + "the sides send each other how many receives each queue pair has, ";
        refuse(
                parameters.sharesReceiveQueue(),
                "--use-srq" + counted + "and a shared one has none of its own; leave it out");
        refuse(
                parameters.queues().receiveList() > 1,
                "--recv_post_list" + counted + "and lists post them late; leave it out");
        refuse(parameters.queues().events(), "-e/--events" + counted + "by writes, which wake nobody up; leave it out");
        refuse(
                parameters.gpu().wanted(),
                "GPU memory" + counted + "and a copy may hold one back; use host memory, or ib_write_bw");
        refuse(
                parameters.receiveDepthAsked() < ReceiveCredits.LEAST_DEPTH,
                "-r/--rx-depth and -n/--iters" + counted + "after each third of them: at least "
                        + ReceiveCredits.LEAST_DEPTH);
    }

    private static void refuse(boolean condition, String message) {
        if (condition) {
            throw new IllegalParameterException(message);
        }
    }
}
