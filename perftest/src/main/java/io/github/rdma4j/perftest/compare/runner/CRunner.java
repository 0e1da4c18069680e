// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.environment.CpuTime;

/** Runs the C tool: two processes. */
public final class CRunner implements Runner {
    private final CTools tools;
    private final ChildProcesses children;
    private final ProcessGuard guard;

    /**
     * @param tools where they are
     * @param children where the processes are registered
     * @param guard kills them if this JVM is killed
     */
    public CRunner(CTools tools, ChildProcesses children, ProcessGuard guard) {
        this.tools = tools;
        this.children = children;
        this.guard = guard;
    }

    @Override
    public Measurement run(RunOrder order) {
        String name = "C's " + order.tool().command();
        long before = CpuTime.ofEndedChildren();
        String printed = CProcess.serverAndClient(
                new CProcess.Pair(name, tools.server(order), tools.client(order), true), order, children, guard);
        long used = CpuTime.between(before, CpuTime.ofEndedChildren());
        return Measurement.of(Implementation.C, CToolOutput.parse(printed)).using(order.messages(), used);
    }
}
