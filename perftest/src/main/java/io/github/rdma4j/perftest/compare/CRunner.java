// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the C tool: two processes. */
final class CRunner implements Runner {
    private final CTools tools;
    private final ChildProcesses children;
    private final JavaServer guard;

    /**
     * @param tools where they are
     * @param children where the processes are registered
     * @param guard kills them if this JVM is killed
     */
    CRunner(CTools tools, ChildProcesses children, JavaServer guard) {
        this.tools = tools;
        this.children = children;
        this.guard = guard;
    }

    @Override
    public Measurement run(RunOrder order) {
        Deadline deadline = Deadline.in(Duration.ofSeconds(order.timeoutSeconds()));
        String name = "C's " + order.tool().command();
        List<String> command = new ArrayList<>();
        command.add(tools.program(order.tool()).toString());
        command.addAll(order.arguments());
        try (CProcess server = new CProcess(name + " (server)", command, children, guard)) {
            server.awaitListening(order.port(), deadline);
            command.add(RunOrder.HOST);
            try (CProcess client = new CProcess(name + " (client)", command, children, guard)) {
                awaitFirst(server, client, deadline);
                if (server.hasFailed()) {
                    // The client would wait for it.
                    throw server.failed();
                }
                String output = client.await(deadline);
                server.await(deadline);
                return Measurement.of(Implementation.C, ToolOutput.parse(output));
            }
        }
    }

    private static void awaitFirst(CProcess server, CProcess client, Deadline deadline) {
        try {
            CompletableFuture.anyOf(server.ended(), client.ended())
                    .get(deadline.remainingNanoseconds(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw client.late();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CompareException("interrupted while the C tools were at work", "");
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
