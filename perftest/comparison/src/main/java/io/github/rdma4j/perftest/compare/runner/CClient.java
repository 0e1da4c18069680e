// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import java.util.List;

/**
 * Runs clients in C.
 *
 * @param end the machine of the servers
 * @param children registers the clients
 * @param guard kills them if this JVM is killed
 */
public record CClient(ServerEnd end, ChildProcesses children, ProcessGuard guard) {
    /**
     * The result of a run.
     *
     * @param output the whole output of the client
     * @param cpu the CPU time of both ends, from {@link CpuTime}
     */
    record Ended(String output, long cpu) {}

    /**
     * Runs a server and a client, until both have ended.
     *
     * @param title of the client, for messages
     * @param command of the client: program and arguments
     * @throws io.github.rdma4j.perftest.exit.PerftestException when one of them fails, or they do not end in time
     */
    Ended run(String title, ServerProgram server, List<String> command, RunOrder order) {
        Deadline deadline = order.deadline();
        long before = CpuTime.ofEndedChildren();
        String output;
        long elsewhere;
        try (Serving serving = end.serve(server, order, deadline)) {
            output = output(title, command, serving, deadline);
            elsewhere = serving.finish(deadline);
        }
        return new Ended(output, CpuTime.sum(CpuTime.between(before, CpuTime.ofEndedChildren()), elsewhere));
    }

    private String output(String title, List<String> command, Serving serving, Deadline deadline) {
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
