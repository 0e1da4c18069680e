// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import java.util.List;

/**
 * The client of a run in C.
 *
 * @param title for messages
 * @param server the server that it connects to
 * @param command program and arguments
 */
record CClient(String title, ServerProgram server, List<String> command) {
    /**
     * The result of a run.
     *
     * @param output the whole output of the client
     * @param cpu the CPU time of both ends, from {@link CpuTime}
     */
    record Ended(String output, long cpu) {}

    /**
     * Runs a server and this client, until both have ended.
     *
     * @param end the machine of the server
     * @param children registers this client
     * @param guard kills it if this JVM is killed
     * @throws io.github.rdma4j.perftest.exit.PerftestException when one of them fails, or they do not end in time
     */
    Ended run(RunOrder order, ServerEnd end, ChildProcesses children, ProcessGuard guard) {
        Deadline deadline = order.deadline();
        long before = CpuTime.ofEndedChildren();
        String output;
        long elsewhere;
        try (Serving serving = end.serve(server, order, deadline)) {
            output = output(serving, deadline, children, guard);
            elsewhere = serving.finish(deadline);
        }
        return new Ended(output, CpuTime.sum(CpuTime.between(before, CpuTime.ofEndedChildren()), elsewhere));
    }

    private String output(Serving serving, Deadline deadline, ChildProcesses children, ProcessGuard guard) {
        try (CProcess client = new CProcess(title + " (client)", command, children, guard)) {
            client.awaitFirst(serving.ended(), deadline);
            // The client would wait for a failed server.
            serving.check();
            try {
                return client.await(deadline);
            } catch (CompareException failure) {
                String complaint = serving.complaint();
                throw complaint.isEmpty()
                        ? failure
                        : new CompareException(
                                failure.getMessage() + "; its server: " + complaint, failure.remedy(), failure);
            }
        }
    }
}
